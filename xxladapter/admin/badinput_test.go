package admin

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A bodyField is a field of the body of a call, with values that no call may accept.
type bodyField struct {
	name string
	bad  []any
}

// badFields returns the fields of a body with bad values: a wrong type of JSON, and by its own type
// too long a text, too large and too small a number, and times outside of every range.
func badFields(body reflect.Type) (fields []bodyField) {
	for body.Kind() == reflect.Pointer {
		body = body.Elem()
	}
	for _, f := range jsonFields(body) {
		is := f.Type
		if is.Kind() == reflect.Pointer {
			is = is.Elem()
		}
		bad := bodyField{name: f.name}
		switch {
		case f.name == "ifUpdated", f.name == "updateTime":
			bad.bad = []any{17, "yesterday"} // any instant may be what the caller has read
		case is == reflect.TypeFor[time.Time]():
			bad.bad = []any{17, "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}
		case f.name == "glueSource":
			bad.bad = []any{17, []any{}} // its only limit is that of the body
		case is.Kind() == reflect.String:
			bad.bad = []any{17, []any{}, strings.Repeat("x", 600_000)}
		case is.Kind() == reflect.Bool:
			bad.bad = []any{"true", 1}
		case is.Kind() == reflect.Int || is.Kind() == reflect.Int64:
			bad.bad = []any{"1", 1.5, -1, 1e30}
		case is.Kind() == reflect.Slice:
			bad.bad = []any{17, map[string]any{"x": 1}, []any{[]any{17}}}
		default:
			bad.bad = []any{17, []any{1}}
		}
		fields = append(fields, bad)
	}
	return fields
}

// TestEveryCallRefusesBadBodies gives every field of every body values that are wrong, one at a time
// beside values that are right. The answer names the field, and nothing is stored.
func TestEveryCallRefusesBadBodies(t *testing.T) {
	for _, c := range newSite(t).server.calls() {
		name := c.method + " " + c.path
		if c.body == nil || c.need == public || c.path == "/api/v1/me/password" { // these have tests of their own
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := auditSite(t, false, nil)
			if strings.Contains(name, "/nodes/") {
				s.lease("node-1", "node-2")
			}
			right := map[string]any{}
			if body := audited[name]; body != "" {
				require.NoError(t, json.Unmarshal([]byte(body), &right))
			}
			before := s.audit()
			refused := func(field string, value any) {
				t.Helper()
				wrong := maps.Clone(right)
				wrong[field] = value
				body, err := json.Marshal(wrong)
				require.NoError(t, err)
				status, answer := s.do(c.method, pathOf(c), operatorSecret, string(body))
				shown := string(body[:min(len(body), 200)])
				require.GreaterOrEqual(t, status, http.StatusBadRequest, "%s was accepted: %s", shown, answer)
				require.Less(t, status, http.StatusInternalServerError, "%s: %s", shown, answer)
				var said struct{ Message string }
				require.NoError(t, json.Unmarshal([]byte(answer), &said), answer)
				if status == http.StatusBadRequest { // otherwise the field names what does not exist
					require.Contains(t, said.Message, field, shown)
				}
				require.NotContains(t, said.Message, "\n")
				require.Less(t, len(said.Message), 1000, "what was sent is not sent back whole")
			}
			refused("nosuch", 1)
			for _, f := range badFields(c.body) {
				for _, value := range f.bad {
					refused(f.name, value)
				}
			}
			require.Equal(t, before, s.audit(), "something was stored")
		})
	}
}

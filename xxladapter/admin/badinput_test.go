package admin

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A bodyField is a field of the body of a call, with values that no call may accept.
type bodyField struct {
	name string
	bad  []any
}

// badFields returns the fields of a body with bad values: a wrong type of JSON and, by the type of
// the field, too long a text, too large and too small a number, and times outside of every range.
func badFields(body reflect.Type) (fields []bodyField) {
	for body.Kind() == reflect.Pointer {
		body = body.Elem()
	}
	for _, f := range api.JSONFields(body) {
		is := f.Type
		if is.Kind() == reflect.Pointer {
			is = is.Elem()
		}
		bad := bodyField{name: f.Name}
		switch {
		case f.Name == "ifUpdated", f.Name == "updateTime":
			bad.bad = []any{17, "yesterday"} // any instant may be what the caller has read
		case is == reflect.TypeFor[time.Time]():
			bad.bad = []any{17, "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}
		case f.Name == "glueSource":
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

var (
	ruleWords = regexp.MustCompile(`must|unknown field|is not a parameter of|is not valid UTF-8`)
	goWords   = regexp.MustCompile(`int64|\[\]|admin\.|xxladapter\.|unmarshal`)
)

// saysARule checks that a refusal says what is allowed, in words that no reader has to know Go for.
func saysARule(t *testing.T, message string) {
	t.Helper()
	require.Regexp(t, ruleWords, message)
	require.NotRegexp(t, goWords, message)
}

// TestEveryCallRefusesBadBodies gives every field of every body values that are wrong, one at a
// time beside values that are right. The answer names the field, and nothing is stored.
func TestEveryCallRefusesBadBodies(t *testing.T) {
	for _, c := range newSite(t).server.calls() {
		name := c.Method + " " + c.Path
		if c.Body == nil || c.Need == api.Public || c.Path == "/api/v1/me/password" { // TestSigningInRefusesBadBodies
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
			before := s.contents()
			refusedWhole := func(field, body string) {
				t.Helper()
				status, answer := s.do(c.Method, pathOf(c), operatorSecret, body)
				shown := body[:min(len(body), 200)]
				require.GreaterOrEqual(t, status, http.StatusBadRequest, "%s was accepted: %s", shown, answer)
				require.Less(t, status, http.StatusInternalServerError, "%s: %s", shown, answer)
				var said struct{ Message string }
				require.NoError(t, json.Unmarshal([]byte(answer), &said), answer)
				if status == http.StatusBadRequest { // otherwise the field names what does not exist
					require.Contains(t, said.Message, field, shown)
					saysARule(t, said.Message)
					saysItsField(t, strings.TrimPrefix(field, "request "), answer)
				}
				require.NotContains(t, said.Message, "\n")
				require.Less(t, len(said.Message), 1000, "what was sent is not sent back whole")
				require.True(t, before == s.contents(), "something was stored of %s", shown)
			}
			refused := func(field string, value any) {
				t.Helper()
				wrong := maps.Clone(right)
				wrong[field] = value
				body, err := json.Marshal(wrong)
				require.NoError(t, err)
				refusedWhole(field, string(body))
			}
			for _, body := range []string{`[]`, `17`, `"x"`, `true`} {
				refusedWhole("request body", body)
			}
			refused("nosuch", 1)
			for _, f := range badFields(c.Body) {
				for _, value := range f.bad {
					refused(f.name, value)
				}
			}
		})
	}
}

// TestSigningInRefusesBadBodies sends bad bodies with the calls that a token of the settings cannot
// make. A text that is too long is refused like a wrong one, or because the body is too large.
func TestSigningInRefusesBadBodies(t *testing.T) {
	for call, right := range map[string]map[string]any{
		"POST /api/v1/session":       {"name": "root", "password": "pass of root"},
		"POST /api/v1/session/first": {"token": "t", "name": "first", "password": "pass of first"},
		"PUT /api/v1/me/password":    {"old": "pass of root", "new": "another pass"},
	} {
		t.Run(call, func(t *testing.T) {
			s := newSite(t)
			session := s.people()
			before := s.contents()
			method, path, _ := strings.Cut(call, " ")
			refused := func(field string, value any) (status int, message, answer string) {
				t.Helper()
				wrong := maps.Clone(right)
				wrong[field] = value
				body, err := json.Marshal(wrong)
				require.NoError(t, err)
				status, answer, _ = s.doAs(session, method, path, string(body))
				var said struct{ Message string }
				require.NoError(t, json.Unmarshal([]byte(answer), &said), answer)
				require.Less(t, len(said.Message), 1000, "what was sent is not sent back whole")
				require.True(t, before == s.contents(), "something was stored of %s %v", call, wrong)
				return status, said.Message, answer
			}
			named := func(field string, value any) {
				t.Helper()
				status, message, answer := refused(field, value)
				require.Equal(t, http.StatusBadRequest, status, message)
				require.Contains(t, message, field)
				saysARule(t, message)
				saysItsField(t, field, answer)
			}
			named("nosuch", 1)
			for field := range right {
				for _, value := range []any{17, true, []any{}, map[string]any{}} {
					named(field, value)
				}
				status, message, _ := refused(field, strings.Repeat("x", 600_000))
				require.GreaterOrEqual(t, status, http.StatusBadRequest, message)
				require.Less(t, status, http.StatusInternalServerError, message)
			}
		})
	}
}

// TestAMalformedQueryIsRefused sends queries of which net/url's Query would drop a part, so that a
// call would select more than it says.
func TestAMalformedQueryIsRefused(t *testing.T) {
	s := newSite(t)
	for call, part := range map[string]string{
		"GET /api/v1/jobs?author=50%":            "author=50%",
		"GET /api/v1/jobs?running&author=%zz":    "author=%zz",
		"GET /api/v1/runs?job=5;status=FAIL":     "job=5;status=FAIL",
		"POST /api/v1/export?appName=pay%&x=%20": "appName=pay%",
	} {
		method, path, _ := strings.Cut(call, " ")
		status, answer := s.do(method, path, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, call)
		var failure api.Error
		require.NoError(t, json.Unmarshal([]byte(answer), &failure))
		require.Contains(t, failure.Message, strconv.Quote(part)+" is not a parameter of "+method)
	}
}

// badValues returns values of a parameter that no call may accept, as in a URL.
func badValues(p api.Param) []string {
	switch {
	case p.Kind == reflect.TypeFor[time.Time]():
		return []string{"", "yesterday", "17", "2026-01-02", "2026-01-02T15:04:05"}
	case p.Kind.Kind() == reflect.Bool, p.Kind.Kind() == reflect.Pointer:
		return []string{"yes", "2", "TRUE"}
	case p.Kind.Kind() == reflect.Int || p.Kind.Kind() == reflect.Int64:
		bad := []string{"-1", "x", "1.5", "01", "1e3", "%201", "9223372036854775808"}
		if p.In == "path" {
			return append(bad, "0")
		}
		return append(bad, "")
	}
	return []string{"%ff", strings.Repeat("x", 600)}
}

// TestEveryCallRefusesBadParameters gives every parameter in the path and the query of every call
// values that are wrong, gives it twice, and gives one that the call does not have. The answer
// names the parameter, and nothing is stored.
func TestEveryCallRefusesBadParameters(t *testing.T) {
	s := auditSite(t, false, nil)
	before := s.contents()
	tried := 0
	for _, c := range s.server.calls() {
		if c.Need == api.Public {
			continue // these have tests of their own
		}
		t.Run(c.Method+" "+c.Path, func(t *testing.T) {
			refused := func(name, path string) {
				t.Helper()
				tried++
				status, answer := s.do(c.Method, path, operatorSecret, audited[c.Method+" "+c.Path])
				if status == http.StatusForbidden { // a token of the settings is no user
					require.True(t, forUsers(c), answer)
					return
				}
				if status == http.StatusNotFound && !strings.Contains(path, "%ff") { // a name that nothing has
					require.Contains(t, c.Path, "{name}", answer)
					return
				}
				require.Equal(t, http.StatusBadRequest, status, "%s was accepted: %s", path, answer)
				var said struct{ Code, Message string }
				require.NoError(t, json.Unmarshal([]byte(answer), &said), answer)
				require.Equal(t, "invalid", said.Code)
				require.Contains(t, said.Message, name, path)
				saysARule(t, said.Message)
				saysItsField(t, name, answer)
				require.True(t, before == s.contents(), "something was stored of %s", path)
			}
			right := pathOf(c)
			refused("nosuch", right+"?nosuch=1")
			for p := range api.ParamsOf(c.Query) {
				switch p.In {
				case "path":
					for _, value := range badValues(p) {
						refused(p.Name, pathOf(api.Call{Path: strings.Replace(c.Path, "{"+p.Name+"}", value, 1)}))
					}
				case "query":
					refused(p.Name, right+"?"+p.Name+"=1&"+p.Name+"=1")
					for _, value := range badValues(p) {
						refused(p.Name, right+"?"+p.Name+"="+value)
					}
				}
			}
		})
	}
	require.Greater(t, tried, 300)
}

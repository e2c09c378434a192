package admin

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// badHeaders are values of header parameters that no call may accept. A client may send any
// Last-Event-ID to the events, see TestEventsBeginAgainAfterAnUnknownID.
var badHeaders = map[string][]string{
	"POST /api/v1/jobs/{id}/trigger Idempotency-Key": {"", "ü", "a\tb", "\xff", strings.Repeat("k", 129)},
	"POST /api/v1/runs/{id}/rerun Idempotency-Key":   {"", "ü", "a\tb", "\xff", strings.Repeat("k", 129)},
	"GET /api/v1/runs/{id}/tail Last-Event-ID":       {"x", "-1", "+1", "01", "1.5", "1e3", "\xff", "9223372036854775807", "9223372036854775808"},
	"GET /api/v1/events Last-Event-ID":               {},
}

// doWith makes a call with headers in place of the token of the tests.
func (s *site) doWith(c api.Call, headers http.Header) (status int, answer string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), c.Method, s.url+pathOf(c), strings.NewReader(audited[c.Method+" "+c.Path]))
	require.NoError(s.t, err)
	req.Header = headers
	status, answer, _ = s.send(req)
	return status, answer
}

// TestEveryCallRefusesBadHeaders sends every call that is not public wrong headers: bad values of
// its own parameters, HTTP's conditions, which the API does not read, wrong tokens, and parameters
// and tokens twice. The answer names the header, and nothing is stored.
func TestEveryCallRefusesBadHeaders(t *testing.T) {
	s := auditSite(t, false, nil)
	before := s.contents()
	known := map[string]bool{}
	for _, c := range s.server.calls() {
		name := c.Method + " " + c.Path
		for p := range api.ParamsOf(c.Query) {
			if p.In == "header" {
				require.Contains(t, badHeaders, name+" "+p.Name)
				known[name+" "+p.Name] = true
			}
		}
		if c.Need.Public {
			continue
		}
		t.Run(name, func(t *testing.T) {
			refused := func(want int, names string, headers http.Header) {
				t.Helper()
				status, answer := s.doWith(c, headers)
				if status == http.StatusForbidden { // a token of the settings is no user
					require.True(t, forUsers(c), answer)
					return
				}
				require.Equal(t, want, status, "%.200s was accepted: %s", headers, answer)
				require.True(t, before == s.contents(), "something was stored with %.200s", headers)
				if want != http.StatusBadRequest {
					return
				}
				var said struct{ Code, Message string }
				require.NoError(t, json.Unmarshal([]byte(answer), &said), answer)
				require.Equal(t, "invalid", said.Code)
				require.Contains(t, said.Message, names)
				saysARule(t, said.Message)
			}
			with := func(name string, values ...string) http.Header {
				return http.Header{"Authorization": {"Bearer " + operatorSecret}, http.CanonicalHeaderKey(name): values}
			}
			for p := range api.ParamsOf(c.Query) {
				if p.In != "header" {
					continue
				}
				refused(http.StatusBadRequest, p.Name, with(p.Name, "1", "1"))
				for _, value := range badHeaders[name+" "+p.Name] {
					refused(http.StatusBadRequest, p.Name, with(p.Name, value))
				}
			}
			if c.Method != http.MethodGet {
				for _, condition := range []string{"If-Match", "If-None-Match", "If-Unmodified-Since"} {
					refused(http.StatusBadRequest, condition, with(condition, "*"))
				}
			}
			for _, token := range []string{"", operatorSecret, "Bearer", "Bearer ", "Bearer x", "Bearer \xff", "Basic " + operatorSecret, "Bearer " + strings.Repeat("x", 100_000)} {
				refused(http.StatusUnauthorized, "", http.Header{"Authorization": {token}})
				refused(http.StatusUnauthorized, "", http.Header{wire.HeaderToken: {token + "x"}})
			}
			refused(http.StatusBadRequest, "Authorization", with("Authorization", "Bearer "+operatorSecret, "Bearer x"))
			refused(http.StatusBadRequest, wire.HeaderToken, http.Header{http.CanonicalHeaderKey(wire.HeaderToken): {operatorSecret, "x"}})
		})
	}
	require.Len(t, known, len(badHeaders), "a header of the table is no parameter of its call")
}

// TestAReadIgnoresConditions sends a condition with both methods that read.
func TestAReadIgnoresConditions(t *testing.T) {
	s := newSite(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/api/v1/jobs", nil)
		require.NoError(t, err)
		req.Header = http.Header{"Authorization": {"Bearer " + testToken}, "If-None-Match": {`"x"`}}
		status, answer, _ := s.send(req)
		require.Equal(t, http.StatusOK, status, "%s: %s", method, answer)
	}
}

// TestTheSchemeOfATokenHasNoCase sends the scheme as RFC 9110 allows.
func TestTheSchemeOfATokenHasNoCase(t *testing.T) {
	s := newSite(t)
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		status, answer := s.doWith(api.Call{Method: "GET", Path: "/api/v1/jobs"}, http.Header{"Authorization": {scheme + " " + testToken}})
		require.Equal(t, http.StatusOK, status, answer)
	}
}

// TestEventsBeginAgainAfterAnUnknownID sends ids that this server has not given: the client may
// have them from another one, and reads everything again.
func TestEventsBeginAgainAfterAnUnknownID(t *testing.T) {
	s := newSite(t)
	for _, last := range []string{"x", "-1", "a-9223372036854775808", "ü", "-", strings.Repeat("x", 10_000)} {
		var e eventForm
		s.stream("/api/v1/events", last).next(&e)
		require.Equal(t, eventForm{"all", 0}, e, last)
	}
}

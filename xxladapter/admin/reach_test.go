package admin

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// TestABulkMoveNeedsTheRoleInBothGroups checks that the role that admits to bulk calls, which is
// less than a change needs, does not decide about the new group.
func TestABulkMoveNeedsTheRoleInBothGroups(t *testing.T) {
	for _, change := range []string{`{"jobGroup":2}`, `{"appName":"secluded-app"}`} {
		for role, want := range map[xxladapter.Role]int64{"viewer": 1, "operator": 1, "editor": 2} {
			s := twoGroupsOn(t)
			do := s.as(granted(1, "editor"), granted(2, role))
			status, answer := do("POST", "/api/v1/jobs", `{"jobGroup":1,"name":"n","author":"a","executorHandler":"h"}`)
			require.Equal(t, http.StatusOK, status, answer)
			_, answer = do("POST", "/api/v1/jobs/bulk", `{"action":"change","ids":[3],"change":`+change+`}`)
			require.Equal(t, want == 1, strings.Contains(answer, `"code":"forbidden"`), "%s: %s", role, answer)
			require.Equal(t, want, s.stored(3).GroupID, "%s: %s", role, answer)
		}
	}
}

// TestATokenReachesNoOtherCredential checks that a limited token neither lists nor deletes what
// else its user signs in with.
func TestATokenReachesNoOtherCredential(t *testing.T) {
	s := newSite(t)
	session := s.people()
	status, answer, _ := s.doAs(session, "POST", "/api/v1/tokens", `{"name":"ro","role":"viewer","expires":"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	require.Equal(t, http.StatusOK, status, answer)
	token := answer[strings.Index(answer, "xwt_"):strings.LastIndex(answer, `"`)]
	_, answer = s.do("GET", "/api/v1/tokens", token, "")
	require.Contains(t, answer, `"name":"ro"`)
	require.NotContains(t, answer, `"name":"ci"`)
	for _, call := range []string{"DELETE /tokens/1", "GET /me/sessions"} {
		method, path, _ := strings.Cut(call, " ")
		status, answer := s.do(method, api.Base+path, token, "")
		require.Equal(t, http.StatusForbidden, status, "%s: %s", call, answer)
		require.Contains(t, answer, "this call needs a session")
		status, answer, _ = s.doAs(session, method, api.Base+path, "")
		require.Equal(t, http.StatusOK, status, "%s: %s", call, answer)
	}
}

// TestAllowedAddressesAreForOperatorsOfAllGroups checks that the operator of one group reaches its
// executors alone.
func TestAllowedAddressesAreForOperatorsOfAllGroups(t *testing.T) {
	s := twoGroupsOn(t)
	var err error
	s.server.opts.Addresses.Allow, err = access.ParsePrefixes([]string{"10.0.0.0/8"})
	require.NoError(t, err)
	for _, tt := range []struct {
		grant   xxladapter.Grant
		address string
		status  int
	}{
		{granted(1, "operator"), "http://shown:9999/", http.StatusOK},
		{granted(1, "operator"), "http://10.0.0.7:9999/", http.StatusBadRequest},
		{granted(0, "operator"), "http://10.0.0.7:9999/", http.StatusOK},
		{granted(0, "operator"), "http://11.0.0.7:9999/", http.StatusBadRequest},
	} {
		status, answer := s.as(tt.grant)("POST", "/api/v1/jobs/1/trigger", `{"addressList":["`+tt.address+`"]}`)
		require.Equal(t, tt.status, status, "%v %s: %s", tt.grant, tt.address, answer)
	}
}

// TestTheAuditOfUsersIsForAdministrators checks that a caller who may not list users does not read
// of them in the audit either.
func TestTheAuditOfUsersIsForAdministrators(t *testing.T) {
	s := twoGroupsOn(t)
	for _, call := range []string{`PUT /users/2 {"password":"a password"}`, `PUT /groups/1 {"title":"renamed"}`} {
		parts := strings.SplitN(call, " ", 3)
		status, answer := s.do(parts[0], api.Base+parts[1], testToken, parts[2])
		require.Equal(t, http.StatusOK, status, answer)
	}
	for _, path := range []string{"audit", "audit?kind=user", "audit/export", "audit/export?format=csv"} {
		for role, want := range map[xxladapter.Role]bool{"viewer": false, "coder": false, "admin": true} {
			_, answer := s.as(granted(0, role))("GET", "/api/v1/"+path, "")
			sees := false
			for lines := bufio.NewScanner(strings.NewReader(answer)); lines.Scan(); {
				sees = sees || strings.Contains(lines.Text(), "reader")
			}
			require.Equal(t, want, sees, "%s %s: %s", path, role, answer)
			if !strings.Contains(path, "kind") {
				require.Contains(t, answer, "shown-app")
			}
		}
	}
}

// TestAServerThatCallsNoExecutorsSaysSo is about programs that embed the server without a client.
func TestAServerThatCallsNoExecutorsSaysSo(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.Executors = nil })
	for _, call := range []string{"GET /api/v1/groups/1/executors", "GET /api/v1/runs/1/log", "POST /api/v1/runs/1/kill"} {
		method, path, _ := strings.Cut(call, " ")
		status, body := s.do(method, path, testToken, "")
		require.Equal(t, http.StatusBadGateway, status, call)
		require.Contains(t, body, `"message":"this server calls no executors, another one of the store must be asked"`, call)
	}
}

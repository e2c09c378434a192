package admin

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// TestWhoMadeAChangeIsShownWithinRights moves a job from a group that its readers may not see, by
// the executor of that group and from a known address.
func TestWhoMadeAChangeIsShownWithinRights(t *testing.T) {
	s := twoGroupsOn(t)
	ctx := xxladapter.WithCall(xxladapter.WithActor(t.Context(), xxladapter.Actor{
		Kind: xxladapter.ActorExecutor, Name: "secluded-app", Address: "10.9.8.7",
	}), "POST /api/updateJob")
	j, err := s.store.Job(t.Context(), 2)
	require.NoError(t, err)
	j.GroupID = 1
	require.NoError(t, xxladapter.UpdateJob(ctx, s.store, j, false))
	paths := []string{"/jobs/2/versions", "/jobs/2/versions/1", "/jobs/2/versions/2", "/jobs/2/why?at=" + time.Now().UTC().Format(time.RFC3339)}
	reader, admin := s.as(granted(1, xxladapter.RoleCoder)), s.as(granted(0, xxladapter.RoleAdmin))
	everything := ""
	for _, path := range paths {
		status, body := reader("GET", api.Base+path, "")
		require.Equal(t, http.StatusOK, status, "%s: %s", path, body)
		for _, hidden := range []string{"10.9.8.7", "secluded-app", `"jobGroup":2`, `"before":2`} {
			require.NotContains(t, body, hidden, path)
		}
		_, body = admin("GET", api.Base+path, "")
		everything += body
	}
	for _, shown := range []string{"10.9.8.7", "secluded-app", `"jobGroup":2`, `"before":2`} {
		require.Contains(t, everything, shown)
	}

	for _, path := range []string{"/audit", "/audit/export", "/audit/export?format=csv"} {
		for role, shown := range map[xxladapter.Role]bool{xxladapter.RoleCoder: false, xxladapter.RoleAdmin: true} {
			_, body := s.as(granted(0, role))("GET", api.Base+path, "")
			require.Contains(t, body, "secluded-app", "all groups are shown")
			if shown {
				require.Contains(t, body, "10.9.8.7", "%s for %s", path, role)
			} else {
				require.NotContains(t, body, "10.9.8.7", "%s for %s", path, role)
			}
		}
	}
}

// TestATokensGroupsAreThoseOfItsUser checks that a token's scope neither reaches nor reveals other
// groups.
func TestATokensGroupsAreThoseOfItsUser(t *testing.T) {
	s := twoGroupsOn(t)
	for scope, refused := range map[string]string{
		`"user":"reader","groups":[1]`:   "",
		`"user":"reader","groups":[2]`:   "groups name group 2, must be groups in which reader has a role",
		`"user":"reader","groups":[9]`:   "groups name group 9, must be groups in which reader has a role",
		`"user":"reader","groups":[1,1]`: "groups name group 1 twice",
		`"user":"reader","groups":[0]`:   "groups name group 0",
		`"user":"reader","groups":[-1]`:  "groups name group -1",
		`"user":"root","groups":[1,2]`:   "",
		`"user":"root","groups":[2,9]`:   "groups name group 9",
	} {
		body := fmt.Sprintf(`{"name":"t","expires":%q,%s}`, time.Now().Add(time.Hour).Format(time.RFC3339), scope)
		status, answer := s.do("POST", "/api/v1/tokens", testToken, body)
		if refused == "" {
			require.Equal(t, http.StatusOK, status, "%s: %s", scope, answer)
			continue
		}
		require.Equal(t, http.StatusBadRequest, status, scope)
		require.Contains(t, answer, refused)
	}
}

// TestAnswersAreNotGuessedAndNotKept checks the headers of all kinds of answers.
func TestAnswersAreNotGuessedAndNotKept(t *testing.T) {
	s := newSite(t)
	session := s.people()
	for path, kept := range map[string]bool{
		"/api/v1/me": false, "/api/v1/audit/export": false, "/api/v1/users": false, "/api/v1/nosuch": false,
		"/api/v1/events": false, "/healthz": true, "/nosuch": true,
	} {
		_, _, resp := s.doAs(session, "GET", path, "")
		require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"), path)
		if !kept {
			require.Equal(t, "no-store", resp.Header.Get("Cache-Control"), path)
		}
		_ = resp.Body.Close() // events do not end by themselves
	}
}

package admin

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestJobsHaveTags follows the tags of a job through the calls that know them.
func TestJobsHaveTags(t *testing.T) {
	s := newSite(t)
	s.createJob(`,"tags":["nightly","billing","nightly"]`)
	s.createJob("")
	s.createJob(`,"tags":["nightly"]`)
	ok := func(method, path, body string) string {
		t.Helper()
		status, answer := s.do(method, "/api/v1/"+path, testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
		return answer
	}
	require.Contains(t, ok("GET", "jobs/1", ""), `"tags":["billing","nightly"]`)
	require.Contains(t, ok("GET", "jobs/2", ""), `"tags":[]`)
	ids := func(query string) (ids []int64) {
		var list jobList
		s.get("/api/v1/jobs?"+query, &list)
		for _, j := range list.Jobs {
			ids = append(ids, j.ID)
		}
		return ids
	}
	require.Equal(t, []int64{1, 3}, ids("tag=nightly"))
	require.Equal(t, []int64{1}, ids("tag=billing&light"))
	require.Empty(t, ids("tag=night"))
	require.JSONEq(t, `{"tags":[{"tag":"billing","jobs":1},{"tag":"nightly","jobs":2}]}`, ok("GET", "tags", ""))

	ok("POST", "jobs/1/copy", `{"name":"copy"}`)
	require.Equal(t, []int64{1, 3, 4}, ids("tag=nightly"))
	require.Contains(t, ok("POST", "jobs/bulk", `{"action":"change","filter":{"tag":"billing"},"change":{"tags":["renamed"]}}`), `"undo":{"action":"change","change":{"tags":["billing","nightly"]}}`)
	require.Equal(t, []int64{1, 4}, ids("tag=renamed"))
	require.Equal(t, []int64{3}, ids("tag=nightly"))
	require.Contains(t, ok("GET", "jobs/1/versions", ""), `{"field":"tags","before":["billing","nightly"],"after":["renamed"]}`)
	ok("POST", "jobs/1/versions/1/restore", "")
	require.Equal(t, []int64{1, 3}, ids("tag=nightly"))
	ok("PUT", "jobs/1", `{"name":"keeps its tags"}`)
	require.Equal(t, []int64{1}, ids("tag=billing"))
	ok("PUT", "jobs/1", `{"tags":[]}`)
	require.Empty(t, ids("tag=billing"))

	for body, message := range map[string]string{
		`{"tags":"nightly"}`: "tags is a JSON string, must be a list",
		`{"tags":[1]}`:       "must be a",
		`{"tags":["a,b"]}`:   `tags contains \"a,b\", must have no comma`,
		`{"tags":[" a"]}`:    `tags contains \" a\"`,
		`{"tags":[""]}`:      "tags is empty",
		`{"tags":["a\nb"]}`:  "must not contain control characters",
		`{"tags":["` + strings.Repeat("x", 65) + `"]}`: "tags has 65 characters, must have 1 to 64",
		`{"tags":[` + many(21) + `]}`:                  "tags has 21 entries, must have at most 20",
	} {
		status, answer := s.do("PUT", "/api/v1/jobs/3", testToken, body)
		require.Equal(t, http.StatusBadRequest, status, body)
		if !strings.Contains(body, "\n") {
			require.Contains(t, answer, message, body)
		}
	}
	require.Equal(t, []int64{3}, ids("tag=nightly"))
	for path, message := range map[string]string{
		"jobs?tag=" + strings.Repeat("x", 256): "tag has 256 characters, must have at most 255",
		"tags?group=1":                         `\"group\" is not a parameter of GET /api/v1/tags`,
	} {
		status, answer := s.do("GET", "/api/v1/"+path, testToken, "")
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, answer, message)
	}
}

// many returns n different tags as JSON.
func many(n int) string {
	var tags []string
	for i := range n {
		tags = append(tags, `"`+strings.Repeat("x", i+1)+`"`)
	}
	return strings.Join(tags, ",")
}

// TestTagsOfAnotherGroupAreNotListed checks that a tag says nothing of a group that is not granted.
func TestTagsOfAnotherGroupAreNotListed(t *testing.T) {
	s := twoGroupsOn(t)
	for id, tag := range map[int64]string{1: "of one", 2: "of two"} {
		j, err := s.store.Job(t.Context(), id)
		require.NoError(t, err)
		j.Tags = []string{tag, "shared"}
		require.NoError(t, xxladapter.UpdateJob(t.Context(), s.store, j, false))
	}
	_, answer := s.as(granted(1, xxladapter.RoleViewer))("GET", "/api/v1/tags", "")
	require.JSONEq(t, `{"tags":[{"tag":"of one","jobs":1},{"tag":"shared","jobs":1}]}`, answer)
}

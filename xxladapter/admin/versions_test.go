package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// edit makes a call that must succeed and decodes its answer, unless out is nil.
func (s *site) edit(method, path, body string, out any) {
	s.t.Helper()
	status, answer := s.do(method, path, testToken, body)
	require.Equal(s.t, http.StatusOK, status, answer)
	if out != nil {
		require.NoError(s.t, json.Unmarshal([]byte(answer), out))
	}
}

// read returns a fresh answer.
func read[T any](s *site, path string) (out T) {
	s.t.Helper()
	s.get(path, &out)
	return out
}

// refused makes a call and returns its error.
func (s *site) refused(want int, method, path, body string) (failure api.Error) {
	s.t.Helper()
	status, answer := s.do(method, path, testToken, body)
	require.Equal(s.t, want, status, answer)
	require.NoError(s.t, json.Unmarshal([]byte(answer), &failure))
	return failure
}

func TestVersionsAreListedComparedAndRestored(t *testing.T) {
	s := newSite(t)
	id := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?","glueType":"GLUE_SHELL","glueSource":"echo one"`)
	path := fmt.Sprintf("/api/v1/jobs/%d", id)
	s.edit("PUT", path, `{"scheduleConf":"0 30 2 * * ?","settings":{"zone":"Europe/Berlin"}}`, nil)
	s.edit("PUT", path+"/glue", `{"glueSource":"echo two","glueRemark":"second"}`, nil)
	s.edit("POST", path+"/start", "", nil)

	list := read[versionList](s, path+"/versions")
	require.Len(t, list.Versions, 4)
	calls := []string{"POST " + api.Base + "/jobs/{id}/start", "PUT " + api.Base + "/jobs/{id}/glue", "PUT " + api.Base + "/jobs/{id}", "POST " + api.Base + "/jobs"}
	for i, v := range list.Versions {
		require.EqualValues(t, 4-i, v.Version)
		require.Equal(t, calls[i], v.Call)
		require.Equal(t, xxladapter.ActorOperator, v.Actor.Kind)
		require.Nil(t, v.Job)
	}
	require.Equal(t, []string{"running"}, fieldNames(list.Versions[0].Changes))
	require.Equal(t, []string{"glueUpdated", "glueRemark"}, fieldNames(list.Versions[1].Changes))
	require.Equal(t, []string{"scheduleConf", "settings"}, fieldNames(list.Versions[2].Changes))
	require.JSONEq(t, `"0 0 2 * * ?"`, string(list.Versions[2].Changes[0].Before))
	require.Len(t, list.Versions[3].Changes, len((&xxladapter.Job{}).Fields()))

	page := read[versionList](s, path+"/versions?limit=3")
	require.Equal(t, list.Versions[:3], page.Versions, "the last one is compared with the one behind the page")
	page = read[versionList](s, fmt.Sprintf("%s/versions?after=%d", path, page.Next))
	require.Equal(t, list.Versions[3:], page.Versions)

	v := read[versionForm](s, path+"/versions/2")
	require.Equal(t, "0 30 2 * * ?", *v.Job.ScheduleConf)
	require.Nil(t, v.Job.GlueSource)
	require.Equal(t, []string{"scheduleConf", "settings"}, fieldNames(v.Changes))
	v = read[versionForm](s, path+"/versions/1?against=4")
	require.Equal(t, []string{"scheduleConf", "glueUpdated", "glueRemark", "settings", "running"}, fieldNames(v.Changes))

	changed := s.changed
	s.edit("POST", path+"/versions/1/restore", "", nil)
	j, err := s.store.Job(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "0 0 2 * * ?", j.ScheduleConf)
	require.Equal(t, xxladapter.Settings{}, j.Settings)
	require.True(t, j.Running, "it stays on")
	require.Equal(t, "echo two", j.GlueSource, "sources have versions of their own")
	require.Equal(t, changed+1, s.changed, "it continues with the restored schedule")
	v = read[versionForm](s, path+"/versions/5?against=1")
	require.Equal(t, []string{"glueUpdated", "glueRemark", "running"}, fieldNames(v.Changes))

	for _, c := range []struct{ method, path, message string }{
		{"GET", path + "/versions/77", "job 1 has no version 77"},
		{"GET", path + "/versions/1?against=77", "job 1 has no version 77"},
		{"POST", path + "/versions/77/restore", "job 1 has no version 77"},
		{"GET", "/api/v1/jobs/77/versions", "job 77 does not exist"},
	} {
		require.Equal(t, c.message, s.refused(http.StatusNotFound, c.method, c.path, "").Message)
	}
	_, err = s.store.PurgeJobVersions(t.Context(), time.Now().Add(time.Hour), 100)
	require.NoError(t, err)
	list = read[versionList](s, path+"/versions")
	require.Len(t, list.Versions, 1)
	require.Empty(t, list.Versions[0].Changes, "what it differed from was deleted")
}

// conflictIn returns a conflict; an empty text stands for an omitted value.
func conflictIn(field, yours, stored, base string) xxladapter.FieldConflict {
	raw := func(text string) json.RawMessage {
		if text == "" {
			return nil
		}
		return json.RawMessage(text)
	}
	return xxladapter.FieldConflict{Field: field, Yours: raw(yours), Stored: raw(stored), Base: raw(base)}
}

func fieldNames(changes []xxladapter.FieldChange) (names []string) {
	for _, c := range changes {
		names = append(names, c.Field)
	}
	return names
}

// TestAConflictHidesTheGroupThatAJobHasLeft edits a job as it was in a group that does not exist
// for the caller.
func TestAConflictHidesTheGroupThatAJobHasLeft(t *testing.T) {
	s := newSite(t)
	path := fmt.Sprintf("/api/v1/jobs/%d", s.createJob(""))
	s.edit("POST", "/api/v1/groups", `{"appName":"other-app"}`, nil)
	s.edit("PUT", path, `{"appName":"other-app"}`, nil)
	status, answer := s.as(granted(2, xxladapter.RoleEditor))("PUT", path, `{"ifVersion":1,"name":"m"}`)
	require.Equal(t, http.StatusConflict, status, answer)
	require.Contains(t, answer, `{"field":"jobGroup","stored":2,"base":0}`)
}

func TestTheSecondOfTwoEditorsSeesTheConflict(t *testing.T) {
	s := newSite(t)
	id := s.createJob(`,"executorParam":"p"`)
	path := fmt.Sprintf("/api/v1/jobs/%d", id)
	was := read[jobForm](s, path)
	at := was.Updated.Format(time.RFC3339)
	put := func(fields string) string { return fmt.Sprintf(`{"ifUpdated":%q,%s}`, at, fields) }
	s.edit("PUT", path, put(`"name":"first","author":"first"`), nil)

	failure := s.refused(http.StatusConflict, "PUT", path, put(`"name":"second","executorParam":"p","executorHandler":"h2"`))
	require.Equal(t, xxladapter.CodeConflict, failure.Code)
	require.Equal(t, fmt.Sprintf("job 1 was changed meanwhile, must have the updateTime %s to be changed by this call", at), failure.Message)
	require.Equal(t, []xxladapter.FieldConflict{
		conflictIn("name", `"second"`, `"first"`, `"n"`),
		conflictIn("author", "", `"first"`, `"a"`),
		conflictIn("executorHandler", `"h2"`, `"h"`, `"h"`),
	}, failure.Conflicts)
	s.edit("POST", "/api/v1/groups", `{"appName":"other-app"}`, nil)
	failure = s.refused(http.StatusConflict, "PUT", path, put(`"name":"first","author":"first","appName":"other-app"`))
	require.Equal(t, []xxladapter.FieldConflict{conflictIn("jobGroup", `2`, `1`, `1`)}, failure.Conflicts)
	failure = s.refused(http.StatusConflict, "PUT", path, put(`"name":"first","author":"first","appName":"no-app"`))
	require.Empty(t, failure.Conflicts, "no group has this app name")
	j, err := s.store.Job(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "first", j.Name)
	require.Equal(t, "h", j.Handler, "nothing was changed")

	// With the new time, or the version, it is no conflict.
	at = j.Updated.Format(time.RFC3339)
	s.edit("PUT", path, put(`"name":"second"`), nil)
	s.edit("PUT", path, `{"ifVersion":3,"name":"third"}`, nil)
	failure = s.refused(http.StatusConflict, "PUT", path, `{"ifVersion":3,"name":"fourth"}`)
	require.Equal(t, []xxladapter.FieldConflict{conflictIn("name", `"fourth"`, `"third"`, `"second"`)}, failure.Conflicts)
	s.edit("PUT", path, `{"name":"unconditional"}`, nil)

	failure = s.refused(http.StatusConflict, "PUT", path, `{"ifUpdated":"2026-01-02T15:04:05.5Z","name":"fifth"}`)
	require.Contains(t, failure.Message, "must have the updateTime 2026-01-02T15:04:05.5Z to be", "a job never has it")
	for body, message := range map[string]string{
		`{"ifVersion":1,"ifUpdated":"2026-01-02T15:04:05Z"}`: "ifUpdated and ifVersion are both given",
		`{"ifVersion":-1}`:     "ifVersion is -1",
		`{"ifUpdated":"noon"}`: "ifUpdated is \"noon\", must be an RFC 3339 instant",
		`{"ifUpdated":7}`:      "ifUpdated is",
	} {
		require.Contains(t, s.refused(http.StatusBadRequest, "PUT", path, body).Message, message)
	}
	require.Equal(t, "job 1 has no version 77", s.refused(http.StatusNotFound, "PUT", path, `{"ifVersion":77}`).Message)
	for _, call := range []string{"/api/v1/jobs", path + "/copy"} {
		require.Contains(t, s.refused(http.StatusBadRequest, "POST", call, `{"ifVersion":1}`).Message, "unknown field")
	}
}

// Several editors read the same state; one of them changes it.
func TestOnlyOneOfSeveralEditorsAtOnceSucceeds(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	path := fmt.Sprintf("/api/v1/jobs/%d", id)
	was := read[jobForm](s, path)
	const editors = 8
	var wait sync.WaitGroup
	statuses := make([]int, editors)
	answers := make([]string, editors)
	for i := range editors {
		wait.Go(func() {
			statuses[i], answers[i] = s.do("PUT", path, testToken, fmt.Sprintf(`{"ifUpdated":%q,"name":"editor %d"}`, was.Updated.Format(time.RFC3339), i))
		})
	}
	wait.Wait()
	won := 0
	for i, status := range statuses {
		if status == http.StatusOK {
			won++
			continue
		}
		require.Equal(t, http.StatusConflict, status, answers[i])
		require.Contains(t, answers[i], fmt.Sprintf(`"conflicts":[{"field":"name","yours":"editor %d","stored":"editor `, i))
	}
	require.Equal(t, 1, won)
}

func TestTheSourceIsReadAndWritten(t *testing.T) {
	s := newSite(t)
	id := s.shell()
	path := fmt.Sprintf("/api/v1/jobs/%d/glue", id)
	is := read[glueList](s, path)
	require.Equal(t, "echo one", is.Source)
	require.Equal(t, "first", is.Remark)
	require.EqualValues(t, "GLUE_SHELL", is.Type)
	at := is.Updated.Format(time.RFC3339)
	put := func(source, remark string) string {
		return fmt.Sprintf(`{"ifUpdated":%q,"glueSource":%q,"glueRemark":%q}`, at, source, remark)
	}
	s.edit("PUT", fmt.Sprintf("/api/v1/jobs/%d", id), `{"name":"renamed"}`, nil)
	var saved glueSaved
	s.edit("PUT", path, put("echo two", "second"), &saved)
	require.True(t, saved.Updated.After(*is.Updated))

	failure := s.refused(http.StatusConflict, "PUT", path, put("echo three", "third"))
	require.Contains(t, failure.Message, "source of job 1 was changed meanwhile")
	require.Equal(t, []xxladapter.FieldConflict{
		conflictIn("glueSource", `"echo three"`, `"echo two"`, `"echo one"`),
		conflictIn("glueRemark", `"third"`, `"second"`, `"first"`),
	}, failure.Conflicts)
	at = saved.Updated.Format(time.RFC3339)
	s.edit("PUT", path, put("echo three", "third"), nil)
	s.edit("PUT", path, `{"glueType":"GLUE_PYTHON","glueSource":"print(4)","glueRemark":"fourth"}`, nil)
	is = read[glueList](s, path)
	require.Equal(t, "print(4)", is.Source)
	require.Len(t, is.Versions, 4)

	for body, message := range map[string]string{
		`{"glueSource":"x"}`:                                                 "glueRemark has 0 characters, must say in 4 to 100 what was changed",
		`{"glueSource":"x","glueRemark":"abc"}`:                              "glueRemark has 3 characters",
		`{"glueSource":"x","glueRemark":"     "}`:                            "glueRemark has 5 characters",
		`{"glueSource":"x","glueRemark":"` + strings.Repeat("名", 101) + `"}`: "glueRemark has 101 characters",
		`{"glueRemark":"remark"}`:                                            "glueSource is missing",
		`{"glueSource":"x","glueRemark":"remark","glueType":"BEAN"}`:         "glueType is BEAN, must be another type",
		`{"glueSource":"x","glueRemark":"remark","glueType":"GLUE_LISP"}`:    "glueType is ",
		`{"glueSource":7,"glueRemark":"remark"}`:                             "glueSource is a JSON number",
		`{"glueSource":"x","glueRemark":"remark","name":"x"}`:                "unknown field",
	} {
		require.Contains(t, s.refused(http.StatusBadRequest, "PUT", path, body).Message, message)
	}
	s.edit("PUT", path, `{"glueSource":"x","glueRemark":"`+strings.Repeat("名", 100)+`"}`, nil)
	bean := s.createJob("")
	require.Contains(t, s.refused(http.StatusBadRequest, "PUT", fmt.Sprintf("/api/v1/jobs/%d/glue", bean), `{"glueSource":"x","glueRemark":"remark"}`).Message, "glueType is BEAN")
}

func TestTheSecondOfTwoEditorsOfAGroupSeesTheConflict(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	_, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "title"})
	require.NoError(t, err)
	const path = "/api/v1/groups/1"
	raw := func() string {
		status, answer := s.do("GET", path, testToken, "")
		require.Equal(t, http.StatusOK, status, answer)
		return answer
	}
	put := func(base, fields string) string { return fmt.Sprintf(`{"ifUnchanged":%s,%s}`, base, fields) }
	was := raw()

	// Executors that register and addresses that are drained are no edits.
	require.NoError(t, s.store.Register(ctx, "some-app", "http://a:1"))
	s.edit("POST", path+"/drain", `{"address":"http://a:1"}`, nil)
	s.edit("PUT", path, put(was, `"title":"first","accessToken":"a-first-token"`), nil)

	failure := s.refused(http.StatusConflict, "PUT", path, put(was, `"title":"second","addressType":1,"addressList":["http://b:1"]`))
	require.Equal(t, xxladapter.CodeConflict, failure.Code)
	require.Equal(t, "group 1 was changed meanwhile, must be as in ifUnchanged to be changed by this call", failure.Message)
	require.Equal(t, "group_changed", failure.Rule)
	require.Equal(t, []xxladapter.FieldConflict{
		conflictIn("title", `"second"`, `"first"`, `"title"`),
		conflictIn("addressType", `1`, `0`, `0`),
		conflictIn("accessToken", "", `"********"`, `""`),
		conflictIn("addressList", `["http://b:1"]`, `[]`, `[]`),
	}, failure.Conflicts)
	g, err := s.store.Group(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, "first", g.Title, "nothing was changed")
	require.Equal(t, "a-first-token", g.AccessToken)

	now := raw()
	s.edit("PUT", path, put(now, `"addressType":1,"addressList":["http://b:1"]`), nil)
	failure = s.refused(http.StatusConflict, "PUT", path, put(now, `"accessToken":""`))
	require.Equal(t, []xxladapter.FieldConflict{
		conflictIn("addressType", "", `1`, `0`),
		conflictIn("accessToken", `""`, `"********"`, `"********"`),
		conflictIn("addressList", "", `["http://b:1"]`, `[]`),
	}, failure.Conflicts)
	now = raw()
	s.edit("PUT", path, `{"accessToken":""}`, nil)
	failure = s.refused(http.StatusConflict, "PUT", path, put(now, `"title":"third"`))
	require.Equal(t, []xxladapter.FieldConflict{
		conflictIn("title", `"third"`, `"first"`, `"first"`),
		conflictIn("accessToken", "", `""`, `"********"`),
	}, failure.Conflicts)

	for body, message := range map[string]string{
		`{"title":"x","ifUnchanged":{}}`:                                                         "ifUnchanged lacks appName, title or addressType",
		`{"title":"x","ifUnchanged":{"appName":"some-app","title":"first"}}`:                     "ifUnchanged lacks appName, title or addressType",
		put(strings.Replace(raw(), `"id":1`, `"id":2`, 1), `"title":"x"`):                        "id is 2, must be 1 as in the path",
		put(strings.Replace(raw(), `"id":1`, `"accessToken":"a-first-token"`, 1), `"title":"x"`): "ifUnchanged has an accessToken",
	} {
		require.Contains(t, s.refused(http.StatusBadRequest, "PUT", path, body).Message, message)
	}
	s.edit("POST", "/api/v1/groups", `{"appName":"other-app"}`, nil)
	require.Contains(t, s.refused(http.StatusConflict, "PUT", path, `{"appName":"other-app"}`).Message, "is taken by group 2")
	require.Contains(t, s.refused(http.StatusBadRequest, "POST", "/api/v1/groups", put(raw(), `"appName":"other-app"`)).Message, "unknown field")
}

// An overtakenStore stores another edit of the group just before the next edit that is saved.
type overtakenStore struct {
	Store
	other func(*xxladapter.Group)
}

func (s *overtakenStore) SaveGroup(ctx context.Context, g *xxladapter.Group) (int64, error) {
	if change := s.other; change != nil {
		s.other = nil
		is, err := s.Store.Group(ctx, g.ID)
		if err != nil {
			return 0, err
		}
		change(is)
		if _, err := s.Store.SaveGroup(ctx, is); err != nil {
			return 0, err
		}
	}
	return s.Store.SaveGroup(ctx, g)
}

// TestAnEditOfAGroupThatIsOvertaken checks an edit of a group that is saved after another one has
// overtaken it. With the condition it is a conflict; without, the other edit is kept as well.
func TestAnEditOfAGroupThatIsOvertaken(t *testing.T) {
	store := new(overtakenStore)
	s := siteWith(t, func(o *Options) {
		store.Store = o.Store
		o.Store = store
	})
	_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "title"})
	require.NoError(t, err)
	const path = "/api/v1/groups/1"
	_, was := s.do("GET", path, testToken, "")
	store.other = func(g *xxladapter.Group) { g.Title = "quicker" }
	failure := s.refused(http.StatusConflict, "PUT", path, `{"accessToken":"a-first-token","ifUnchanged":`+was+`}`)
	require.Equal(t, []xxladapter.FieldConflict{
		conflictIn("title", "", `"quicker"`, `"title"`),
		conflictIn("accessToken", `"********"`, `""`, `""`),
	}, failure.Conflicts)

	store.other = func(g *xxladapter.Group) { g.Title = "quicker again" }
	s.edit("PUT", path, `{"accessToken":"a-first-token"}`, nil)
	g, err := s.store.Group(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "quicker again", g.Title)
	require.Equal(t, "a-first-token", g.AccessToken)
}

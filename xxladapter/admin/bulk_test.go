package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// bulk makes a bulk call and returns the lines between the first and the last one, by job.
func (s *site) bulk(body string) (results map[int64]bulkLine, last bulkLine) {
	s.t.Helper()
	status, answer := s.do("POST", "/api/v1/jobs/bulk", testToken, body)
	require.Equal(s.t, http.StatusOK, status, answer)
	results = map[int64]bulkLine{}
	total := 0
	for i, text := range strings.Split(answer, "\n") {
		var line bulkLine
		require.NoError(s.t, json.Unmarshal([]byte(text), &line), text)
		switch {
		case i == 0:
			require.NotNil(s.t, line.Total)
			total, last = *line.Total, line
		case line.Done:
			last = line
			require.Equal(s.t, total, line.Succeeded+line.Failed)
		default:
			require.NotZero(s.t, line.ID)
			require.NotContains(s.t, results, line.ID, "one line for each job")
			results[line.ID] = line
		}
	}
	if last.Total == nil {
		require.Len(s.t, results, total)
	}
	return results, last
}

func (s *site) stored(id int64) *xxladapter.Job {
	s.t.Helper()
	j, err := s.store.Job(s.t.Context(), id)
	require.NoError(s.t, err)
	return j
}

func TestBulkActionsAndTheirUndo(t *testing.T) {
	s := newSite(t)
	for range 3 {
		s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	}
	s.createJob("")
	status, answer := s.do("PUT", "/api/v1/jobs/4", testToken, `{"name":"without a schedule"}`)
	require.Equal(t, http.StatusOK, status, answer)
	undo := func(line bulkLine) {
		t.Helper()
		require.NotNil(t, line.Undo)
		text, err := json.Marshal(bulkForm{Action: line.Undo.Action, Change: line.Undo.Change, IDs: []int64{line.ID}})
		require.NoError(t, err)
		_, last := s.bulk(string(text))
		require.Equal(t, bulkLine{Done: true, Succeeded: 1}, last)
	}

	results, last := s.bulk(`{"action":"start","ids":[3,1,2,1,4,99]}`)
	require.Equal(t, bulkLine{Done: true, Succeeded: 3, Failed: 2}, last)
	require.Equal(t, xxladapter.CodeInvalid, results[4].Error.Code, "it has no schedule")
	require.Nil(t, results[4].Undo)
	require.Equal(t, xxladapter.CodeNotFound, results[99].Error.Code)
	require.True(t, s.stored(1).Running && s.stored(2).Running && s.stored(3).Running)
	undo(results[2])
	require.False(t, s.stored(2).Running)

	results, last = s.bulk(`{"action":"stop","filter":{"running":true}}`)
	require.Equal(t, bulkLine{Done: true, Succeeded: 2}, last)
	require.False(t, s.stored(1).Running || s.stored(3).Running)
	undo(results[1])
	require.True(t, s.stored(1).Running)
	results, _ = s.bulk(`{"action":"start","ids":[1]}`)
	require.Nil(t, results[1].Undo, "it ran already")

	before := *s.stored(1)
	results, _ = s.bulk(`{"action":"change","ids":[1],"change":{"author":"another","alarmEmail":"a@example.org","childJobIds":[2],"scheduleConf":"0 0 3 * * ?"}}`)
	require.Equal(t, "another", s.stored(1).Author)
	undo(results[1])
	after := *s.stored(1)
	after.Updated, before.Updated, after.TriggerNext, before.TriggerNext = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	require.Equal(t, before, after)
	results, _ = s.bulk(fmt.Sprintf(`{"action":"change","ids":[1],"change":{"author":%q}}`, before.Author))
	require.Nil(t, results[1].Undo, "nothing was changed")

	s.createJob("")
	s.edit("PUT", "/api/v1/jobs/1", `{"childJobIds":[5,2]}`, nil)
	require.NoError(t, xxladapter.RemoveJob(t.Context(), s.store, s.stored(5).ID))
	results, _ = s.bulk(`{"action":"change","ids":[1],"change":{"childJobIds":[3]}}`)
	undo(results[1])
	require.Equal(t, []int64{2}, s.stored(1).ChildIDs, "without the child that is gone")
	s.edit("PUT", "/api/v1/jobs/1", `{"childJobIds":[]}`, nil)

	script := s.shell()
	results, _ = s.bulk(fmt.Sprintf(`{"action":"change","ids":[%d],"change":{"glueSource":"echo two"}}`, script))
	require.Empty(t, s.stored(script).GlueRemark, "a remark is about its version")
	undo(results[script])
	require.Equal(t, []string{"echo one", "first"}, []string{s.stored(script).GlueSource, s.stored(script).GlueRemark})
	require.NoError(t, xxladapter.RemoveJob(t.Context(), s.store, script))

	results, last = s.bulk(`{"action":"trigger","ids":[1,4],"trigger":{"executorParam":"p"}}`)
	require.Equal(t, bulkLine{Done: true, Succeeded: 2}, last)
	require.NotZero(t, results[1].Order)
	require.Len(t, s.planned, 2)
	require.Equal(t, "p", *s.planned[0].Param)

	_, last = s.bulk(`{"action":"delete","filter":{"all":true},"dryRun":true}`)
	require.Equal(t, 4, *last.Total)
	require.NotNil(t, s.stored(4), "a dry run changes nothing")
	_, last = s.bulk(`{"action":"delete","filter":{"name":"without a"}}`)
	require.Equal(t, bulkLine{Done: true, Succeeded: 1}, last)
	_, err := s.store.Job(t.Context(), 4)
	require.ErrorIs(t, err, xxladapter.ErrNotFound)
	results, last = s.bulk(`{"action":"delete","ids":[4,2,99]}`)
	require.Equal(t, bulkLine{Done: true, Succeeded: 1, Failed: 2}, last)
	require.Equal(t, bulkLine{ID: 2}, results[2], "there is no way back")
	require.Equal(t, xxladapter.CodeNotFound, results[4].Error.Code, "it is gone already")
	require.Equal(t, xxladapter.CodeNotFound, results[99].Error.Code)
	results, last = s.bulk(`{"action":"delete","filter":{"all":true}}`)
	require.Equal(t, bulkLine{Done: true, Succeeded: 2}, last)
	require.Equal(t, map[int64]bulkLine{1: {ID: 1}, 3: {ID: 3}}, results)
}

func TestBadBulkCallsAreRefused(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	for body, message := range map[string]string{
		`{"ids":[1]}`:                                                              `action is "", must be one of`,
		`{"action":"explode","ids":[1]}`:                                           `action is "explode"`,
		`{"action":7,"ids":[1]}`:                                                   "action is a JSON number",
		`{"action":"delete"}`:                                                      "exactly one of ids and filter",
		`{"action":"delete","ids":[1],"filter":{"all":true}}`:                      "exactly one of ids and filter",
		`{"action":"delete","filter":{}}`:                                          "filter is empty, all must be true",
		`{"action":"delete","filter":{"group":1}}`:                                 `unknown field "group"`,
		`{"action":"delete","filter":{"type":"NEVER"}}`:                            "NEVER",
		`{"action":"delete","ids":["1"]}`:                                          "ids is a JSON string",
		`{"action":"delete","ids":[0]}`:                                            "ids contains 0",
		`{"action":"delete","ids":[1],"change":{"name":"x"}}`:                      "change must be given with the action change",
		`{"action":"change","ids":[1]}`:                                            "change must be given with the action change",
		`{"action":"change","ids":[1],"change":{"id":2}}`:                          "change.id is 2",
		`{"action":"stop","ids":[1],"trigger":{"executorParam":"p"}}`:              "must be omitted unless the action is trigger",
		`{"action":"delete","ids":[` + strings.Repeat("1,", maxBulk) + `1]}`:       "must have at most 100000",
		`{"action":"delete","filter":{"name":"` + strings.Repeat("x", 256) + `"}}`: "name has 256 characters",
	} {
		status, answer := s.do("POST", "/api/v1/jobs/bulk", testToken, body)
		require.Equal(t, http.StatusBadRequest, status, "%.80s", body)
		require.Contains(t, strings.ReplaceAll(answer, `\"`, `"`), message, "%.80s", body)
	}
	require.NotNil(t, s.stored(1))
}

func TestABulkCallNeedsTheRoleForEachJob(t *testing.T) {
	s := twoGroupsOn(t)
	do := s.as(granted(1, xxladapter.RoleOperator))
	_, answer := do("POST", "/api/v1/jobs/bulk", `{"action":"stop","ids":[1]}`)
	require.Contains(t, answer, `{"done":true,"succeeded":1}`)
	for _, action := range []string{`"delete"`, `"change","change":{"name":"x"}`} {
		_, answer = do("POST", "/api/v1/jobs/bulk", `{"ids":[1],"action":`+action+`}`)
		require.Contains(t, answer, `"code":"forbidden"`)
		require.Contains(t, answer, `{"done":true,"failed":1}`)
	}
	require.Equal(t, "shown", s.stored(1).Name)
}

// A caller that leaves cancels what has not begun.
func TestABulkCallCanBeCancelled(t *testing.T) {
	s := newSite(t)
	const jobs = 1000
	for range jobs {
		s.createJob("")
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &cancelling{ResponseRecorder: httptest.NewRecorder(), after: 20, cancel: cancel}
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/jobs/bulk", strings.NewReader(`{"action":"delete","filter":{"all":true}}`))
	r.Header.Set("Authorization", "Bearer "+testToken)
	s.server.ServeHTTP(w, r)
	left, err := s.store.Jobs(t.Context(), xxladapter.JobFilter{})
	require.NoError(t, err)
	require.Greater(t, len(left), jobs-3*bulkBatch)
	require.Less(t, len(left), jobs-10)
	require.NotContains(t, w.Body.String(), `"done":true`)
	require.Equal(t, jobs-len(left)+1, strings.Count(w.Body.String(), "\n"), "each that was deleted has a line")
}

// A cancelling caller leaves after some lines.
type cancelling struct {
	*httptest.ResponseRecorder
	after  int
	cancel context.CancelFunc
}

func (c *cancelling) Write(text []byte) (int, error) {
	if c.after--; c.after == 0 {
		c.cancel()
	}
	return c.ResponseRecorder.Write(text)
}

// Many jobs are edited in few transactions, and the result of one job does not depend on the
// others.
func TestABulkCallEditsJobsTogether(t *testing.T) {
	counted := new(countingStore)
	s := siteWith(t, func(o *Options) { counted.Store, o.Store = o.Store, counted })
	const jobs = 2*bulkBatch + 10
	for range jobs {
		s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	}
	for _, call := range []struct {
		body   string
		failed int
	}{
		{`{"action":"start","filter":{"all":true}}`, 0},
		{`{"action":"change","filter":{"all":true},"change":{"scheduleConf":"0 0 3 * * ?"}}`, 0},
		{`{"action":"change","filter":{"all":true},"change":{"childJobIds":[5]}}`, 1},
		{`{"action":"stop","filter":{"all":true}}`, 0},
		{`{"action":"delete","filter":{"all":true}}`, 0},
	} {
		counted.calls.Store(0)
		results, last := s.bulk(call.body)
		require.Equal(t, bulkLine{Done: true, Succeeded: jobs - call.failed, Failed: call.failed}, last, call.body)
		require.Len(t, results, jobs)
		require.EqualValues(t, 3, counted.calls.Load(), call.body)
	}
}

// A countingStore counts calls that edit jobs.
type countingStore struct {
	Store
	calls atomic.Int64
}

func (s *countingStore) EditJobs(
	ctx context.Context, edits []xxladapter.JobEdit, whole bool,
) ([]xxladapter.JobEdited, error) {
	s.calls.Add(1)
	return s.Store.EditJobs(ctx, edits, whole)
}

package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// get decodes an answer.
func (s *site) get(path string, out any) {
	s.t.Helper()
	status, body := s.do("GET", path, testToken, "")
	require.Equal(s.t, http.StatusOK, status, "%s: %s", path, body)
	require.NoError(s.t, json.Unmarshal([]byte(body), out))
}

func TestGroupLife(t *testing.T) {
	s := newSite(t)
	status, body := s.do("POST", "/api/v1/groups", testToken, `{"appName":"some-app","accessToken":"a-secret-of-its-own"}`)
	require.Equal(t, http.StatusOK, status, body)
	for _, path := range []string{"/api/v1/groups", "/api/v1/groups/1"} {
		_, body = s.do("GET", path, testToken, "")
		require.NotContains(t, body, "a-secret-of-its-own", "a secret is never shown")
		require.Contains(t, body, `"hasAccessToken":true`)
	}
	require.Equal(t, 200, s.call("/api/registry", "some-app", "a-secret-of-its-own", `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://10.0.0.7:9999/"}`).Code)

	status, body = s.do("PUT", "/api/v1/groups/1", testToken, `{"title":"renamed"}`)
	require.Equal(t, http.StatusOK, status, body)
	g, err := s.store.Group(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "renamed", g.Title)
	require.Equal(t, "a-secret-of-its-own", g.AccessToken, "a field that is omitted stays as it is")
	require.Equal(t, []string{"http://10.0.0.7:9999/"}, g.Addresses)

	status, body = s.do("PUT", "/api/v1/groups/1", testToken, `{"addressType":1,"addressList":["http://10.0.0.9:9999/"],"accessToken":""}`)
	require.Equal(t, http.StatusOK, status, body)
	g, err = s.store.Group(t.Context(), 1)
	require.NoError(t, err)
	require.Empty(t, g.AccessToken)
	require.Equal(t, []string{"http://10.0.0.9:9999/"}, g.Addresses)
	require.Equal(t, 500, s.call("/api/registry", "some-app", "a-secret-of-its-own", `{}`).Code, "a removed token is refused at once")

	for body, want := range map[string]string{
		`{"id":2}`:                      "id is 2, must be 1 as in the path",
		`{"hasAccessToken":true}`:       "must be omitted: they are read-only",
		`{"accessToken":"short"}`:       "accessToken has 5 characters, must have 8 to 255",
		`{"accessToken":"a b c d e f"}`: "accessToken has a blank",
		`{"appName":"x"}`:               "appName has 1 characters",
	} {
		status, answer := s.do("PUT", "/api/v1/groups/1", testToken, body)
		require.Equal(t, http.StatusBadRequest, status, body)
		require.Contains(t, answer, want)
	}
	s.createJob("")
	status, body = s.do("DELETE", "/api/v1/groups/1", testToken, "")
	require.Equal(t, http.StatusConflict, status, body)
	s.removeJobs()
	status, _ = s.do("DELETE", "/api/v1/groups/1", testToken, "")
	require.Equal(t, http.StatusOK, status)
	status, body = s.do("GET", "/api/v1/groups/1", testToken, "")
	require.Equal(t, http.StatusNotFound, status)
	requireError(t, "not_found", "group 1 does not exist", body)
}

func TestExecutorsOfAGroupAreCalled(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	require.NoError(t, s.store.Register(t.Context(), "some-app", "http://10.0.0.7:9999/"))
	s.run(1, xxladapter.ResultOK)
	_, _, err := s.store.FinishRun(t.Context(), xxladapter.RunResult{LogID: s.run(1, xxladapter.ResultOK), Code: xxladapter.ResultOK})
	require.NoError(t, err)
	_, body := s.do("GET", "/api/v1/groups/1/executors", testToken, "")
	registered, err := s.store.Registrations(t.Context(), "some-app")
	require.NoError(t, err)
	beat, err := json.Marshal(registered[0].Updated)
	require.NoError(t, err)
	require.JSONEq(t, `{"executors":[{"address":"http://10.0.0.7:9999/","alive":true,"generation":"G3","roundTripMs":1.5,"beat":`+string(beat)+`,"runsNow":1}]}`, body)
	require.Equal(t, []string{"http://10.0.0.7:9999/ some-app"}, s.executors.asked)
	s.executors.fail = errors.New("connection refused")
	_, body = s.do("GET", "/api/v1/groups/1/executors", testToken, "")
	require.JSONEq(t, `{"executors":[{"address":"http://10.0.0.7:9999/","alive":false,"error":"connection refused","beat":`+string(beat)+`,"runsNow":1}]}`, body)

	_, err = s.store.SaveGroup(t.Context(), &xxladapter.Group{ID: 1, AppName: "some-app", Title: "t", AddressType: xxladapter.AddressManual, Addresses: []string{"http://10.0.0.8:9999/"}})
	require.NoError(t, err)
	_, body = s.do("GET", "/api/v1/groups/1/executors", testToken, "")
	require.JSONEq(t, `{"executors":[{"address":"http://10.0.0.8:9999/","alive":false,"error":"connection refused","runsNow":0}]}`, body, "an address that was typed in has no beat")
}

func TestACopyIsAnotherStoppedJob(t *testing.T) {
	s := newSite(t)
	id := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?","glueRemark":"r","settings":{"zone":"Asia/Shanghai"}`)
	path := fmt.Sprintf("/api/v1/jobs/%d", id)
	_, _ = s.do("POST", path+"/start", testToken, "")
	status, body := s.do("POST", path+"/copy", testToken, `{"name":"the copy"}`)
	require.Equal(t, http.StatusOK, status, body)
	of, err := s.store.Job(t.Context(), id)
	require.NoError(t, err)
	copied, err := s.store.Job(t.Context(), id+1)
	require.NoError(t, err)
	require.Equal(t, "the copy", copied.Name)
	require.False(t, copied.Running)
	require.Zero(t, copied.TriggerNext)
	copied.ID, copied.Name, copied.Running, copied.TriggerNext = of.ID, of.Name, of.Running, of.TriggerNext
	copied.Added, copied.Updated, copied.GlueUpdated = of.Added, of.Updated, of.GlueUpdated
	require.Equal(t, of, copied)
	status, _ = s.do("POST", path+"/copy", testToken, "")
	require.Equal(t, http.StatusOK, status, "the body may be left out")
}

func TestPreviews(t *testing.T) {
	s := newSite(t)
	var list struct{ Next []time.Time }
	s.get("/api/v1/cron/next?expr=0+0+12+LW+*+%3F&zone=Asia/Shanghai&from=2026-11-21T00:00:00Z&count=2", &list)
	shanghai := time.FixedZone("", 8*3600)
	for i, want := range []time.Time{time.Date(2026, 11, 30, 12, 0, 0, 0, shanghai), time.Date(2026, 12, 31, 12, 0, 0, 0, shanghai)} {
		require.True(t, want.Equal(list.Next[i]), list.Next)
	}
	s.get("/api/v1/cron/next?expr=0+0+12+*+*+%3F+2027&from=2027-12-30T00:00:00Z", &list)
	require.Len(t, list.Next, 2, "fewer where it ends")
	s.get("/api/v1/cron/next?expr=0/5+*+*+*+*&profile=unix&count=100", &list)
	require.Len(t, list.Next, 100)
	for query, want := range map[string]string{
		"expr=0+99+*+*+*+%3F":                "99",
		"":                                   "must have 6 or 7 fields",
		"expr=0+0+12+*+*+%3F&zone=Mars/Base": `zone is "Mars/Base", must be an IANA time zone`,
		"expr=0+0+12+*+*+%3F&profile=spring": `profile is "spring", must be one of quartz, xxl34, sane, unix`,
		"expr=0+0+12+*+*+%3F&count=101":      "count is 101, must be 1 to 100",
		"expr=0+0+12+*+*+%3F&from=yesterday": `from is "yesterday", must be an RFC 3339 instant`,
		"expr=0+0+12+*+*+%3F&expr=x":         "expr is given 2 times, must be given once",
		"expr=0+0+12+*+*+%3F&cuont=5":        "\"cuont\" is not a parameter of GET /api/v1/cron/next",
		"expr=" + fmt.Sprintf("%0129d", 0):   "expr has 129 bytes, must have at most 128",
	} {
		status, body := s.do("GET", "/api/v1/cron/next?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		var answer api.Error
		require.NoError(t, json.Unmarshal([]byte(body), &answer))
		require.Contains(t, answer.Message, want)
	}

	id := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	path := fmt.Sprintf("/api/v1/jobs/%d/next?count=3", id)
	s.get(path, &list)
	require.Len(t, list.Next, 3)
	stopped := list.Next
	_, _ = s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", id), testToken, "")
	s.get(path, &list)
	require.Equal(t, stopped, list.Next)
}

// TestNextTimesOfAJobThatWaitsForItsRun checks that they are shown as if the run ended now.
func TestNextTimesOfAJobThatWaitsForItsRun(t *testing.T) {
	s := newSite(t)
	id := s.createJob(`,"scheduleType":"FIX_DELAY","scheduleConf":"60"`)
	require.NoError(t, storetest.StartAt(t.Context(), s.store, id, xxladapter.AfterRun))
	var list instantList
	s.get(fmt.Sprintf("/api/v1/jobs/%d/next?count=3", id), &list)
	require.Len(t, list.Next, 3)
	require.WithinDuration(t, time.Now().Add(time.Minute), list.Next[0], 30*time.Second)
}

// TestStartOfAJobThatWaitsForItsRun checks that the answer has no time: it is unknown as yet.
func TestStartOfAJobThatWaitsForItsRun(t *testing.T) {
	s := newSite(t)
	id := s.createJob(`,"scheduleType":"FIX_DELAY","scheduleConf":"60"`)
	require.NoError(t, storetest.StartAt(t.Context(), s.store, id, xxladapter.AfterRun))
	status, body := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", id), testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	require.JSONEq(t, `{}`, body)
}

func TestWhatIsOpenAndWhatWasMissed(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	id := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	var open struct {
		Fires []struct {
			ID      int64
			JobName string
			Due     time.Time
			State   string
		}
		More bool
	}
	for range 3 {
		_, _ = s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/trigger", id), testToken, "")
	}
	s.get("/api/v1/fires?limit=2&state=planned", &open)
	require.Len(t, open.Fires, 2)
	var job struct{ Name string }
	s.get(fmt.Sprintf("/api/v1/jobs/%d", id), &job)
	require.Equal(t, job.Name, open.Fires[0].JobName)
	require.True(t, open.More)
	last := open.Fires[1]
	open.More = false
	s.get(fmt.Sprintf("/api/v1/fires?afterDue=%s&afterId=%d", last.Due.Format(time.RFC3339Nano), last.ID), &open)
	require.Len(t, open.Fires, 1)
	require.False(t, open.More)
	for query, want := range map[string]string{"state=lost": "must be one of planned, claimed, ambiguous", "afterId=1": "only one of afterDue and afterId is given"} {
		status, body := s.do("GET", "/api/v1/fires?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, body, want)
	}

	lease, err := s.store.Lease(ctx, "n1", time.Minute)
	require.NoError(t, err)
	require.NoError(t, storetest.StartAt(ctx, s.store, id, time.Now().Add(-time.Hour)))
	_, _, err = s.store.ClaimDue(ctx, lease.Term, time.Second, 10, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		d := xxladapter.Decision{JobID: id, Next: now.Add(time.Hour)}
		for range 4 {
			d.Misfires = append(d.Misfires, xxladapter.Misfire{
				JobID: id, Due: due[0].TriggerNext, Until: due[0].TriggerNext, Strategy: xxladapter.MisfireDoNothing, At: now,
			})
		}
		d.Misfires = append(d.Misfires, d.Misfires[0])
		d.Misfires[4].Strategy = xxladapter.MisfireStoreLost
		return []xxladapter.Decision{d}
	})
	require.NoError(t, err)
	for _, order := range []string{"", "&newest"} {
		var ids []int64
		for next, pages := int64(0), 0; pages == 0 || next != 0; pages++ {
			var missed struct {
				Misfires []struct {
					ID                    int64
					Kind, MisfireStrategy string
				}
				Next int64
			}
			s.get(fmt.Sprintf("/api/v1/jobs/%d/misfires?limit=2&after=%d%s", id, next, order), &missed)
			require.LessOrEqual(t, len(missed.Misfires), 2)
			require.Less(t, pages, 3)
			for _, m := range missed.Misfires {
				kind, strategy := "late", "DO_NOTHING"
				if m.ID == 5 {
					kind, strategy = "lost", ""
				}
				require.Equal(t, kind, m.Kind)
				require.Equal(t, strategy, m.MisfireStrategy)
				ids = append(ids, m.ID)
			}
			next = missed.Next
		}
		if order != "" {
			slices.Reverse(ids)
		}
		require.Equal(t, []int64{1, 2, 3, 4, 5}, ids)
	}

	var nodes struct {
		Nodes []struct {
			Node       string
			Partitions int
		}
	}
	s.get("/api/v1/nodes", &nodes)
	require.Len(t, nodes.Nodes, 1)
	require.Equal(t, "n1", nodes.Nodes[0].Node)
	require.Equal(t, 64, nodes.Nodes[0].Partitions)
}

func TestLogsArePagedAndFiltered(t *testing.T) {
	s := newSite(t)
	job, other := s.createJob(""), s.createJob("")
	for range 3 {
		s.run(job, xxladapter.ResultOK)
	}
	failed := s.run(other, xxladapter.ResultFail)
	type logs struct {
		Runs []struct {
			ID     int64
			Status string
		}
		Next int64
	}
	var seen []int64
	for next := int64(0); ; {
		var list logs
		s.get(fmt.Sprintf("/api/v1/runs?limit=3&newest&after=%d", next), &list)
		require.LessOrEqual(t, len(list.Runs), 3)
		for _, l := range list.Runs {
			seen = append(seen, l.ID)
		}
		if next = list.Next; next == 0 {
			break
		}
	}
	require.Equal(t, []int64{4, 3, 2, 1}, seen)
	var list logs
	s.get("/api/v1/runs?status=FAIL&group=1&since=2025-01-01T00:00:00Z&before=2027-01-01T00:00:00Z", &list)
	require.Equal(t, failed, list.Runs[0].ID)
	require.Equal(t, "FAIL", list.Runs[0].Status)
	list = logs{}
	s.get("/api/v1/runs?since=2027-01-01T00:00:00Z", &list)
	require.NotNil(t, list.Runs)
	require.Empty(t, list.Runs)
	status, body := s.do("GET", "/api/v1/runs?status=GONE", testToken, "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, `status is \"GONE\", must be one of RUNNING, SUCCESS, FAIL, LOST`)
}

// TestAJobWithTimesOfAnotherAgeIsListed checks that one odd row does not hide the others: RFC 3339,
// and so an answer in JSON, has no form for years beyond 9999.
func TestAJobWithTimesOfAnotherAgeIsListed(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	ctx := t.Context()
	lease, err := s.store.Lease(ctx, "n1", time.Minute)
	require.NoError(t, err)
	require.NoError(t, storetest.StartAt(ctx, s.store, id, time.Now().Add(-time.Hour)))
	_, _, err = s.store.ClaimDue(ctx, lease.Term, 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
		return []xxladapter.Decision{{JobID: id, Last: time.UnixMilli(-1 << 60), Next: time.UnixMilli(1 << 60)}}
	})
	require.NoError(t, err)
	for _, path := range []string{"/api/v1/jobs", fmt.Sprintf("/api/v1/jobs/%d", id)} {
		status, body := s.do("GET", path, testToken, "")
		require.Equal(t, http.StatusOK, status, path)
		require.Contains(t, body, `"executorHandler":"h"`)
		require.NotContains(t, body, "triggerNextTime")
		require.NotContains(t, body, "triggerLastTime")
	}
}

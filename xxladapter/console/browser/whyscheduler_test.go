package browser

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// An ahead store has a clock five seconds ahead of this machine's. A scheduler whose SkewLimit is
// smaller gives its lease back.
type ahead struct{ xxladapter.Store }

func (s ahead) Now(ctx context.Context) (time.Time, error) {
	now, err := s.Store.Now(ctx)
	return now.Add(5 * time.Second), err
}

// Where schedulers plan nothing, the page says whether there are any, and whether a clock is the
// reason. The terms of other schedulers are real leases in the store, without a scheduler behind
// them.
func TestWhyByTheScheduler(t *testing.T) {
	t.Parallel()
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Store, o.SkewLimit = ahead{o.Store}, 2*time.Second })
	group := s.group("Orders")
	overdue, due := s.everySecond(group, "overdue")
	waits, dueOfWaits := s.waits(group, "waits")
	tab := s.open("help")
	tab.explains(overdue, due, "clocks_apart")
	tab.explains(overdue, due, "no_scheduler")

	lease, err := s.store.Lease(t.Context(), "other:1:a", time.Minute)
	require.NoError(t, err)
	tab.explains(overdue, due, "overdue")
	tab.explains(waits, dueOfWaits, "no_place")

	claimed, dueOfClaimed := s.waits(group, "claimed")
	open, err := s.store.OpenFires(t.Context(), xxladapter.FireFilter{JobID: claimed})
	require.NoError(t, err)
	_, err = s.store.ClaimFire(t.Context(), lease.Term, open[0].ID, []*xxladapter.Log{{JobID: claimed, GroupID: group, TriggerTime: time.Now()}})
	require.NoError(t, err)
	tab.explains(claimed, dueOfClaimed, "being_sent")
	require.NoError(t, s.store.Resign(t.Context(), lease.Term))
	tab.explains(claimed, dueOfClaimed, "node_froze")
}

// everySecond starts a job that is due each second, and returns a due time at which no minute
// begins: the page takes a time without seconds for a whole minute.
func (s *site) everySecond(group int64, name string) (job int64, due string) {
	s.t.Helper()
	job = s.job(group, name, map[string]any{"scheduleType": "CRON", "scheduleConf": "* * * * * ?"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	var started struct{ TriggerNextTime time.Time }
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &started)
	if started.TriggerNextTime.Second() == 0 {
		started.TriggerNextTime = started.TriggerNextTime.Add(time.Second)
	}
	return job, started.TriggerNextTime.UTC().Format(time.RFC3339)
}

// waits plans a fire that nobody claims, and returns when it was due.
func (s *site) waits(group int64, name string) (job int64, due string) {
	s.t.Helper()
	job = s.job(group, name, nil)
	planned, err := s.store.PlanFires(s.t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(s.t, err)
	return job, planned[0].Due.UTC().Format(time.RFC3339)
}

// The page explains a fire by the outcome of its hand-over, and by what other programs have done to
// the tables.
func TestWhyByTheHandOver(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	// silent reads each request and closes the connection without an answer.
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(silent.Close)
	accepts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"code":200}`) }))
	t.Cleanup(accepts.Close)
	byHand := func(app, address string) int64 {
		var made struct{ ID int64 }
		s.call("POST", "/groups", map[string]any{"appName": app, "title": app, "addressType": 1, "addressList": []string{address}}, &made)
		return made.ID
	}
	drained, unclear, gone := byHand("drained", "http://127.0.0.1:1/"), byHand("silent", silent.URL), byHand("leaves", accepts.URL)
	s.call("POST", fmt.Sprintf("/groups/%d/drain", drained), map[string]any{"address": "http://127.0.0.1:1/"}, nil)

	now := time.Now().UTC().Truncate(time.Second)
	late := s.job(group, "late", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "86400", "settings": map[string]any{"misfireWindowMs": 3_600_000}})
	succeeds := func(job int64, due string) {
		t.Helper()
		testserver.Eventually(s.t, 30*time.Second, "its run succeeded", func() bool {
			var line struct {
				Runs []struct{ Due, Status string }
			}
			s.call("GET", fmt.Sprintf("/jobs/%d/timeline", job), nil, &line)
			return slices.ContainsFunc(line.Runs, func(r struct{ Due, Status string }) bool {
				return r.Due == due && r.Status == "SUCCESS"
			})
		})
	}
	cleared, due := s.everySecond(group, "cleared")
	foreign := s.job(group, "foreign", nil)
	broken := s.job(group, "broken", nil)
	db, err := sql.Open("sqlite", "file:"+s.file+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	_, err1 := db.ExecContext(t.Context(), `INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (?, ?, ?, 200, 200)`, group, foreign, now.Format(time.DateTime))
	_, err2 := db.ExecContext(t.Context(), `UPDATE xxl_job_info SET schedule_type = 'CRON', schedule_conf = 'every now and then' WHERE id = ?`, broken)
	require.NoError(t, err1)
	require.NoError(t, err2)
	require.NoError(t, db.Close())

	tab := s.open("help")
	for _, tt := range []struct {
		code   string
		group  int64
		fields map[string]any
	}{
		{"drained", drained, nil},
		{"unanswered", unclear, map[string]any{"settings": map[string]any{"ambiguous": "SKIP"}}},
		{"ambiguous", unclear, nil},
		{"result_lost", gone, nil},
	} {
		job := s.job(tt.group, tt.code, tt.fields)
		run := s.run(job, "")
		if tt.code == "result_lost" {
			s.call("PUT", fmt.Sprintf("/groups/%d", gone), map[string]any{"appName": "leaves", "title": "leaves", "addressType": 1, "addressList": []string{"http://127.0.0.1:1/"}}, nil)
		}
		tab.explains(job, s.dueOf(job, run), tt.code)
	}
	succeeds(cleared, due)
	s.call("POST", fmt.Sprintf("/jobs/%d/stop", cleared), nil, nil)
	s.call("POST", "/runs/clear", map[string]any{"jobId": cleared, "all": true}, nil)
	tab.explains(cleared, due, "no_record")
	s.startAt(late, now) // seconds after it was due
	succeeds(late, now.Format(time.RFC3339))
	for code, job := range map[string]int64{"ran_late": late, "not_traced": foreign, "bad_schedule": broken} {
		tab.explains(job, now.Format(time.RFC3339), code)
	}
}

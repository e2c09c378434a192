package node

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// get returns status and body.
func (r *running) get(path string) (int, string) {
	r.t.Helper()
	resp, err := http.Get(r.url + path)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	return resp.StatusCode, string(body)
}

// logOf waits for a run of the job to have an outcome of its hand-over.
func (r *running) logOf(job int64) *xxladapter.Log {
	r.t.Helper()
	var found *xxladapter.Log
	within(r.t, "the outcome of the trigger", func() bool {
		logs, err := r.store.Logs(r.t.Context(), xxladapter.LogFilter{JobID: job, Limit: 1})
		if err == nil && len(logs) == 1 && logs[0].TriggerCode != xxladapter.ResultNone {
			found = logs[0]
		}
		return found != nil
	})
	return found
}

func (r *running) trigger(job int64) {
	r.t.Helper()
	_, err := r.store.PlanFires(r.t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual, RetryCount: -1}})
	require.NoError(r.t, err)
	r.node.scheduler.Sweep()
}

func TestANodeIsReadyOnceItHoldsALease(t *testing.T) {
	store, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "node.db"), sqlstore.Options{})
	require.NoError(t, err)
	_, err = store.Lease(t.Context(), "n2", time.Minute)
	require.NoError(t, err)
	var failing []string
	for _, c := range checks(store, func() scheduler.Stats { return scheduler.Stats{Skewed: true, Skew: 3 * time.Second} }, "n1") {
		if err := c.Do(t.Context()); err != nil {
			failing = append(failing, c.Name+": "+err.Error())
		}
	}
	require.Equal(t, []string{"lease: this node holds no lease", "clock: differs by 3s from the store's, must be within the limit"}, failing)
	require.NoError(t, store.Close())

	r := runNode(t, Options{})
	within(t, "the node is ready", func() bool {
		status, _ := r.get("/readyz")
		return status == http.StatusOK
	})
}

func TestTheRowsOfARemovedJobGoAtOnce(t *testing.T) {
	r := runNode(t, Options{})
	job, other := r.job(r.group("some-app", "http://127.0.0.1:1/"), nil), r.job(1, nil)
	r.trigger(job)
	r.trigger(other)
	r.logOf(job)
	r.logOf(other)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, r.url+"/api/v1/jobs/"+strconv.FormatInt(job, 10), nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	within(t, "the rows are gone, well before the minute is over", func() bool {
		logs, err := r.store.Logs(t.Context(), xxladapter.LogFilter{})
		return err == nil && len(logs) == 1 && logs[0].JobID == other
	})
}

func TestMetricsOfAWholeTrip(t *testing.T) {
	r := runNode(t, Options{Metrics: metrics.New()})
	exec := httptest.NewServer(executorFunc(func(wire.RunRequest) {}))
	defer exec.Close()
	job := r.job(r.group("some-app", exec.URL), nil)
	r.trigger(job)
	l := r.logOf(job)
	for range 2 {
		resp, err := http.Post(r.url+"/api/callback", wire.ContentType, strings.NewReader(`[{"logId":`+strconv.FormatInt(l.ID, 10)+`,"handleCode":200},{"logId":4711,"handleCode":200}]`))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	_, body := r.get("/metrics")
	for _, line := range []string{
		`xxlwheel_fires_total{result="sent"} 1`,
		`xxlwheel_callbacks_total{outcome="applied"} 1`,
		`xxlwheel_callbacks_total{outcome="duplicate"} 1`,
		`xxlwheel_callbacks_total{outcome="unknown"} 2`,
		`xxlwheel_executors_online{app="some-app"} 1`,
		`xxlwheel_run_duration_seconds_count 1`,
		`xxlwheel_partition_planned{partition="0"} 1`,
		`xxlwheel_store_op_duration_seconds_count{op="finish_run"} 2`,
		`xxlwheel_store_up 1`,
		`xxlwheel_misfires_total{strategy="DO_NOTHING"} 0`,
	} {
		require.Contains(t, body, line+"\n")
	}
}

// TestTheSchedulerDoesNotCallItself gives a group the scheduler's own address, by the name
// localhost.
func TestTheSchedulerDoesNotCallItself(t *testing.T) {
	r := runNode(t, Options{})
	u, err := url.Parse(r.url)
	require.NoError(t, err)
	port := u.Port()
	job := r.job(r.group("some-app", "http://localhost:"+port), nil)
	r.trigger(job)
	l := r.logOf(job)
	require.Equal(t, xxladapter.ResultFail, l.TriggerCode)
	require.Contains(t, l.TriggerMsg, "is the scheduler itself")
}

// A group's own token goes to its executors, and the token for all to the others.
func TestExecutorsAreSentTheirOwnToken(t *testing.T) {
	r := runNode(t, Options{AccessToken: "for-all-of-them"})
	sent := make(chan [2]string, 2)
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		sent <- [2]string{req.Header.Get(wire.HeaderAppName), req.Header.Get(wire.HeaderToken)}
		_, _ = w.Write([]byte(`{"code":200}`))
	}))
	defer exec.Close()
	free := r.job(r.group("free-app", exec.URL), nil)
	own, err := r.store.SaveGroup(t.Context(), &xxladapter.Group{
		AppName: "own-app", Title: "t", AccessToken: "its-own-token", AddressType: xxladapter.AddressManual, Addresses: []string{exec.URL},
	})
	require.NoError(t, err)
	r.trigger(free)
	require.Equal(t, [2]string{"free-app", "for-all-of-them"}, <-sent)
	r.trigger(r.job(own, nil))
	require.Equal(t, [2]string{"own-app", "its-own-token"}, <-sent)

	// The address that both groups have does not tell which app is asked before a run.
	for _, route := range []xxladapter.RouteStrategy{xxladapter.RouteFailover, xxladapter.RouteBusyover} {
		r.trigger(r.job(own, func(j *xxladapter.Job) { j.Route = route }))
		for range 2 { // the beat and the run
			require.Equal(t, [2]string{"own-app", "its-own-token"}, <-sent, route)
		}
	}
}

func TestANodeServesNobodyElseWithoutASecret(t *testing.T) {
	store, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "node.db"), sqlstore.Options{})
	require.NoError(t, err)
	defer store.Close()
	for token, rule := range map[string]string{"": "Options.AccessToken is empty", "default_token": "which is well known"} {
		n, err := New(Options{Store: store, AccessToken: token})
		require.NoError(t, err)
		ln, err := net.Listen("tcp", "0.0.0.0:0")
		require.NoError(t, err)
		err = n.Serve(t.Context(), ln)
		require.ErrorContains(t, err, rule)
		_, err = net.Dial("tcp", ln.Addr().String())
		require.Error(t, err, "the port is closed")
	}
}

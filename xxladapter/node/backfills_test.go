package node

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestABackfillReachesTheExecutor runs a node on a real store and follows a backfill through it:
// the executor gets each due time as its scheduled time, once, in order.
func TestABackfillReachesTheExecutor(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []time.Time
	var node *Node
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var run wire.RunRequest
		if r.URL.Path != wire.PathRun || wire.Decode(body, &run) != nil {
			return
		}
		mu.Lock()
		got = append(got, time.UnixMilli(int64(run.ScheduledTime)).UTC())
		mu.Unlock()
		_, _ = io.WriteString(w, `{"code":200}`)
		go func() { // the result; a failure leaves the run open, and the test red
			_ = node.handOver.Complete(t.Context(), []wire.Callback{{LogID: run.LogID, HandleCode: xxladapter.ResultOK}})
		}()
	}))
	defer exec.Close()
	store, err := sqlstore.OpenSQLite(t.Context(), t.TempDir()+"/x.db", sqlstore.Options{})
	require.NoError(t, err)
	defer store.Close()
	node, err = New(Options{Store: store, Zone: time.UTC})
	require.NoError(t, err)
	call := func(method, path, body string) string {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Host = "localhost"
		w := httptest.NewRecorder()
		node.http.Handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		return w.Body.String()
	}
	_, err = store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t", AddressType: xxladapter.AddressManual, Addresses: []string{exec.URL + "/"}})
	require.NoError(t, err)
	call("POST", "/api/v1/jobs", `{"appName":"some-app","name":"n","author":"a","executorHandler":"h","scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"}`)
	stop := schedule(t, node)
	defer stop()
	call("POST", "/api/v1/jobs/1/backfill", `{"from":"2026-03-01T00:00:00Z","to":"2026-03-06T00:00:00Z"}`)
	within(t, "the end of the backfill", func() bool {
		return strings.Contains(call("GET", "/api/v1/backfills/1", ""), `"state":"DONE"`)
	})
	var want []time.Time
	for day := 1; day <= 5; day++ {
		want = append(want, time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC))
	}
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, want, got)
	require.Contains(t, call("GET", "/api/v1/backfills/1", ""), `"succeeded":5,"failed":0,"dropped":0`)
}

// schedule lets a node schedule until stop is called.
func schedule(t *testing.T, n *Node) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Schedule(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

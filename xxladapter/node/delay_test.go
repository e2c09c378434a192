package node

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestADelayIsKeptBetweenRuns lets a whole node run a FIX_DELAY job that takes a while: each run is
// due exactly one delay after the end of the one before, as the node knows it, and no two overlap.
func TestADelayIsKeptBetweenRuns(t *testing.T) {
	t.Parallel()
	const delay, takes = 300 * time.Millisecond, 100 * time.Millisecond
	var mu sync.Mutex
	var ends []time.Time // when each result was stored
	r := runNode(t, Options{OnEvent: func(e trigger.Event) {
		if e.Kind == trigger.EventResult {
			mu.Lock()
			defer mu.Unlock()
			ends = append(ends, e.At)
		}
	}})
	runs := make(chan wire.RunRequest, 100)
	exec := httptest.NewServer(executorFunc(func(run wire.RunRequest) { runs <- run }))
	defer exec.Close()
	id := r.job(r.group("some-app", exec.URL), func(j *xxladapter.Job) {
		j.ScheduleType, j.ScheduleConf = xxladapter.ScheduleFixDelay, "0.3"
	})
	require.NoError(t, storetest.StartAt(t.Context(), r.store, id, time.Now().Add(delay)))
	r.node.scheduler.Wake()

	for n := range 4 {
		run := <-runs
		began := time.Now()
		due := time.UnixMilli(int64(run.ScheduledTime))
		require.False(t, began.Before(due), "early")
		if n > 0 {
			mu.Lock()
			require.Len(t, ends, n)
			end := ends[n-1]
			mu.Unlock()
			// The end is read from the clock before it is stored, and reported after.
			require.WithinRange(t, due, end.Add(delay-time.Second), end.Add(delay+time.Millisecond))
			require.Less(t, began.Sub(end), delay+2*time.Second, "the scan is notified")
		}
		j, err := r.store.Job(t.Context(), id)
		require.NoError(t, err)
		require.True(t, j.Waits())
		time.Sleep(takes) // the run
		require.Empty(t, runs, "the next one waits for this one")
		require.NoError(t, post(r.url, []wire.Callback{{LogID: run.LogID, HandleCode: wire.CodeOK}}))
	}
	require.NoError(t, xxladapter.StopJob(t.Context(), r.store, id, time.Time{}))
}

package trigger

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestBackoff(t *testing.T) {
	const s = 1000 // milliseconds
	tests := []struct {
		pause, limit xxladapter.Milliseconds
		retries      int
		jitter       float64
		want         time.Duration
	}{
		// No pause is set: at once, and then no faster than XXL-JOB would be.
		{0, 0, 0, 0, 0},
		{0, 0, 0, 1, 0},
		{0, 0, 1, 0, 1 * time.Second},
		{0, 0, 2, 0, 2 * time.Second},
		{0, 0, 4, 0, 8 * time.Second},
		{0, 0, 5, 0, 10 * time.Second},
		{0, 0, 1 << 30, 0, 10 * time.Second},
		{0, 0, 5, 1, 5 * time.Second},
		{0, 3 * s, 5, 0, 3 * time.Second},
		{0, 60 * s, 9, 0, 10 * time.Second},

		// It doubles up to the limit.
		{10 * s, 0, 0, 0, 10 * time.Second},
		{10 * s, 0, 1, 0, 20 * time.Second},
		{10 * s, 0, 3, 0, 80 * time.Second},
		{10 * s, 0, 8, 0, 2560 * time.Second},
		{10 * s, 0, 9, 0, time.Hour},
		{10 * s, 0, math.MaxInt, 0, time.Hour},
		{10 * s, 35 * s, 1, 0, 20 * time.Second},
		{10 * s, 35 * s, 2, 0, 35 * time.Second},
		{10 * s, 5 * s, 0, 0, 5 * time.Second},

		// Up to half of it is taken off, in whole milliseconds.
		{10 * s, 0, 0, 1, 5 * time.Second},
		{10 * s, 0, 1, 0.5, 15 * time.Second},
		{10 * s, 35 * s, 9, 0.999, 17_517 * time.Millisecond},
		{1, 0, 0, 0.999, 0},
	}
	for _, tt := range tests {
		set := &xxladapter.Settings{RetryBackoff: tt.pause, RetryBackoffLimit: tt.limit}
		require.Equal(t, tt.want, backoff(set, tt.retries, tt.jitter), "%+v", tt)
	}
}

func TestRetriesWaitLongerEachTimeAndSayWhichTheyAre(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	f := newFixture(t, xxladapter.RouteFirst, closed.URL)
	f.job.Settings.RetryBackoff, f.job.RetryCount = 60_000, 3
	require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
	f.over.jitter = func() float64 { return 0.5 }

	fire := f.plan(xxladapter.Fire{RetryCount: -1})
	for n, pause := range []time.Duration{45 * time.Second, 90 * time.Second, 180 * time.Second, 0} {
		began := time.Now()
		require.NoError(t, f.over.Fire(t.Context(), fire))
		l := f.logs()[n]
		require.Contains(t, l.TriggerMsg, fmt.Sprintf("<br>attempt：%d of 4<br>", n+1))
		if pause == 0 {
			require.NotContains(t, l.TriggerMsg, "next attempt")
			require.Empty(t, f.open())
			return
		}
		require.Len(t, f.open(), 1)
		fire = f.open()[0]
		require.WithinRange(t, fire.Due, began.Add(pause-time.Millisecond), time.Now().Add(pause))
		require.Contains(t, l.TriggerMsg, "<br>next attempt："+fire.Due.UTC().Format("2006-01-02T15:04:05.000Z"))
		// The retry is replaced by one that is due now, so that the test need not wait.
		term, _ := f.sched.term()
		_, err := f.store.SettleFire(t.Context(), term, xxladapter.Settlement{FireID: fire.ID})
		require.NoError(t, err)
		fire.Due = began
		planned, err := f.store.PlanFires(t.Context(), []xxladapter.Fire{fire})
		require.NoError(t, err)
		fire = planned[0]
	}
}

func TestAFailedRunOfOneShardWaitsToo(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteShardingBroadcast, exec.URL, exec.URL)
	f.job.Settings.RetryBackoff = 60_000
	require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
	f.over.jitter = func() float64 { return 0 }
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	began := time.Now()
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[1].ID), HandleCode: 500}}))
	open := f.open()
	require.Len(t, open, 1)
	require.Equal(t, []int{1, 2, 1}, []int{open[0].ShardIndex, open[0].ShardTotal, open[0].RetryCount})
	require.WithinRange(t, open[0].Due, began.Add(time.Minute-time.Millisecond), time.Now().Add(time.Minute))
}

func TestTheTriggerMessageNamesEveryFact(t *testing.T) {
	due := time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC)
	f := xxladapter.Fire{Type: xxladapter.TriggerRetry, Attempt: 3, Due: due, Owner: xxladapter.Term{Node: "node-1"}}
	job := &xxladapter.Job{Route: xxladapter.RouteShardingBroadcast, Block: xxladapter.BlockCoverEarly, Timeout: 7 * time.Second, RetryCount: 3}
	group := &xxladapter.Group{Addresses: []string{"http://a/", "http://b/"}}
	l := &xxladapter.Log{Address: "http://b/", Handler: "work", Param: "<p>", Sharding: "1/2", RetryCount: 1}
	next := []xxladapter.Fire{{Due: due.Add(time.Minute)}}
	require.Equal(t, "trigger type：RETRY<br>scheduler：node-1<br>registration：automatic<br>addresses：[http://a/, http://b/]<br>"+
		"route：SHARDING_BROADCAST(1/2)<br>block：COVER_EARLY<br>timeout：7<br>retries：1<br>attempt：3 of 4<br>due：2026-03-01T12:00:00.250Z<br><br>"+
		"address：http://b/<br>handler：work<br>param：&lt;p&gt;<br>result：error, busy<br>next attempt：2026-03-01T12:01:00.250Z",
		(&run{fire: f, job: job, group: group, log: l}).message(failed(due, "busy"), next))
}

package trigger

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// clocks maps names to how far the store's clock is ahead of this process's clock.
var clocks = map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour, "the same": 0}

// TestWhatFollowsAFailedHandOverIsDueByTheStoresClock checks the due times of retries and of the
// next run of a FIX_DELAY job while the clock of this process is off.
func TestWhatFollowsAFailedHandOverIsDueByTheStoresClock(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, off := range clocks {
		t.Run(name, func(t *testing.T) {
			clock := func() time.Time { return time.Now().Add(off) }
			f := newFixtureAt(t, clock, xxladapter.RouteFirst, closed.URL)
			f.over.jitter = func() float64 { return 0 }
			f.job.ScheduleType, f.job.ScheduleConf, f.job.RetryCount = xxladapter.ScheduleFixDelay, "60", 1
			f.job.Settings.RetryBackoff = 60_000
			fire := f.delayedFrom(clock())
			from := clock().Truncate(time.Millisecond)
			require.NoError(t, f.over.Fire(t.Context(), fire))
			retries, err := f.store.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			require.Len(t, retries, 1)
			require.WithinRange(t, retries[0].Due, from.Add(time.Minute), clock().Add(time.Minute))

			f = newFixtureAt(t, clock, xxladapter.RouteFirst, closed.URL)
			f.job.ScheduleType, f.job.ScheduleConf, f.job.RetryCount = xxladapter.ScheduleFixDelay, "60", 0
			fire = f.delayedFrom(clock())
			from = clock().Truncate(time.Millisecond)
			require.NoError(t, f.over.Fire(t.Context(), fire))
			j, err := f.store.Job(t.Context(), f.job.ID)
			require.NoError(t, err)
			require.WithinRange(t, j.TriggerNext, from.Add(time.Minute), clock().Add(time.Minute+time.Millisecond))
		})
	}
}

// TestSilenceIsMeasuredByTheStoresClock checks that the store's clock decides how long an executor
// that does not answer is asked again.
func TestSilenceIsMeasuredByTheStoresClock(t *testing.T) {
	for name, off := range clocks {
		t.Run(name, func(t *testing.T) {
			exec := newFakeExecutor(t, func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) })
			f := newFixtureAt(t, func() time.Time { return time.Now().Add(off) }, xxladapter.RouteFirst, exec.URL)
			f.job.RetryCount = 0
			require.NoError(t, f.over.Fire(t.Context(), f.delayedFrom(time.Now().Add(off))))
			open, err := f.store.OpenFires(t.Context(), xxladapter.FireFilter{State: xxladapter.FireAmbiguous})
			require.NoError(t, err)
			require.Len(t, open, 1)
			for claimed, stays := range map[time.Duration]bool{0: true, resolveLimit / 2: true, resolveLimit + time.Second: false} {
				r := run{HandOver: f.over, fire: open[0]}
				r.fire.Claimed = r.fire.Claimed.Add(-claimed)
				o := r.unanswered(t.Context(), time.Now(), "silent")
				require.Equal(t, stays, o.kind == EventAmbiguous, "after %v", claimed)
			}
		})
	}
}

// TestASilentExecutorIsGivenUpInTimeAfterASetback sets the store's clock back between the claim and
// the first question.
func TestASilentExecutorIsGivenUpInTimeAfterASetback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		off := time.Duration(0)
		clock := func() time.Time { return time.Now().Add(off) }
		f := newFixtureAt(t, clock, xxladapter.RouteFirst, "http://a/")
		f.over.opts.Sender = &ranOnce{from: time.Now().Add(time.Hour)}
		term, ok := f.sched.Term()
		require.True(t, ok)
		run := []*xxladapter.Log{{JobID: f.job.ID, Address: "http://a/"}}
		_, err := f.store.ClaimFire(t.Context(), term, f.plan(xxladapter.Fire{}).ID, run)
		require.NoError(t, err)
		off = -time.Hour
		f.sweep(resolveLimit - time.Second)
		require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
		f.sweep(5 * time.Second)
		require.Equal(t, xxladapter.ResultFail, f.logs()[0].TriggerCode)
	})
}

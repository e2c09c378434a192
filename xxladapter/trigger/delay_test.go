package trigger

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// delayed gives the fixture's job a fixed delay of a minute, changes it as given, and returns its
// next fire.
func (f *fixture) delayed(change func(*xxladapter.Job)) xxladapter.Fire {
	f.t.Helper()
	f.job.ScheduleType, f.job.ScheduleConf, f.job.RetryCount = xxladapter.ScheduleFixDelay, "60", 0
	if change != nil {
		change(f.job)
	}
	return f.delayedFrom(time.Now())
}

// delayedFrom stores the job as it is, lets it be due at now by the store's clock, and returns its
// fire.
func (f *fixture) delayedFrom(now time.Time) xxladapter.Fire {
	f.t.Helper()
	ctx := f.t.Context()
	require.NoError(f.t, xxladapter.UpdateJob(ctx, f.store, f.job, false))
	due := now.Truncate(time.Millisecond)
	require.NoError(f.t, storetest.StartAt(ctx, f.store, f.job.ID, due))
	term, _ := f.sched.term()
	fires, _, err := f.store.ClaimDue(ctx, term, 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
		return []xxladapter.Decision{{JobID: f.job.ID, Last: due, Next: xxladapter.AfterRun, Fires: []xxladapter.Fire{
			{JobID: f.job.ID, Due: due, Type: xxladapter.TriggerCron, RetryCount: -1},
		}}}
	})
	require.NoError(f.t, err)
	require.Len(f.t, fires, 1)
	return fires[0]
}

// goesOn checks that the job is due one minute after some instant between from and now or, if want
// is false, that it still waits for the end of its run.
func (f *fixture) goesOn(from time.Time, want bool) {
	f.t.Helper()
	j, err := f.store.Job(f.t.Context(), f.job.ID)
	require.NoError(f.t, err)
	require.Equal(f.t, !want, j.Waits())
	if want {
		require.WithinRange(f.t, j.TriggerNext, from.Add(time.Minute-time.Millisecond), time.Now().Add(time.Minute+time.Millisecond))
	}
}

func TestADelayCountsFromTheEndOfTheRunHoweverItEnds(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	t.Run("a result", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
		f.goesOn(time.Time{}, false)
		from := time.Now()
		for range 2 {
			require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[0].ID), HandleCode: 500}}))
		}
		f.goesOn(from, true)
	})
	t.Run("a lost run", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
		from := time.Now()
		require.NoError(t, f.over.Lose(t.Context(), f.logs()[0].ID, "gone"))
		f.goesOn(from, true)
	})
	t.Run("a failed hand-over", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst, closed.URL)
		from := time.Now()
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
		f.goesOn(from, true)
	})
	t.Run("nobody registered", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst)
		from := time.Now()
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
		f.goesOn(from, true)
	})
	t.Run("nobody knows, and it is skipped", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }).URL)
		from := time.Now()
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(func(j *xxladapter.Job) { j.Settings.Ambiguous = xxladapter.AmbiguousSkip })))
		f.goesOn(from, true)
	})
	t.Run("nobody knows yet", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }).URL)
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
		f.goesOn(time.Time{}, false)
	})
	t.Run("the last retry", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst, closed.URL)
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(func(j *xxladapter.Job) { j.RetryCount = 1 })))
		f.goesOn(time.Time{}, false)
		from := time.Now()
		require.Len(t, f.firePlanned(), 1)
		f.goesOn(from, true)
	})
	t.Run("the last shard", func(t *testing.T) {
		one, two := newFakeExecutor(t, nil), newFakeExecutor(t, nil)
		f := newFixture(t, xxladapter.RouteShardingBroadcast, one.URL, two.URL)
		require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[1].ID), HandleCode: 200}}))
		f.goesOn(time.Time{}, false)
		from := time.Now()
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[0].ID), HandleCode: 500}}))
		f.goesOn(from, true)
	})
}

func TestTheSchedulerIsNotifiedWhenAScheduleContinues(t *testing.T) {
	f := newFixture(t, xxladapter.RouteFirst)
	require.NoError(t, f.over.Fire(t.Context(), f.delayed(nil)))
	j, err := f.store.Job(t.Context(), f.job.ID)
	require.NoError(t, err)
	require.Len(t, f.sched.resumed, 1)
	require.True(t, j.TriggerNext.Equal(f.sched.resumed[0]))

	f = newFixture(t, xxladapter.RouteFirst)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	require.Empty(t, f.sched.resumed, "of a job of another schedule type")
}

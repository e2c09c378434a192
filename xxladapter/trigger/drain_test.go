package trigger

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func (f *fixture) drain(d xxladapter.Drain) {
	f.t.Helper()
	require.NoError(f.t, f.store.DrainExecutor(f.t.Context(), f.job.GroupID, d))
}

// TestNoRouteSendsToADrainedAddress drains one of two executors, fires often enough for each route
// to visit both, and undoes it.
func TestNoRouteSendsToADrainedAddress(t *testing.T) {
	for _, route := range xxladapter.RouteStrategy("").Values() {
		t.Run(string(route), func(t *testing.T) {
			one, two := newFakeExecutor(t, nil), newFakeExecutor(t, nil)
			f := newFixture(t, route, one.URL, two.URL)
			fire := func(addresses ...string) {
				t.Helper()
				require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1, Addresses: addresses})))
			}
			for _, drained := range []*fakeExecutor{one, two} {
				f.drain(xxladapter.Drain{Address: drained.URL})
				before := len(drained.taken())
				for range 4 {
					fire()
					fire(one.URL, two.URL)
				}
				require.Len(t, drained.taken(), before)
				require.NoError(t, f.store.UndrainExecutor(t.Context(), f.job.GroupID, drained.URL))
			}
			require.Len(t, one.taken(), 8)
			require.Len(t, two.taken(), 8)
			if route == xxladapter.RouteShardingBroadcast {
				require.EqualValues(t, 1, one.taken()[0].BroadcastTotal, "a drained address is no shard")
				fire()
				require.Len(t, two.taken(), 9)
			}
			for _, l := range f.logs() {
				require.Equal(t, xxladapter.ResultOK, l.TriggerCode, l.TriggerMsg)
			}
		})
	}
}

// TestWithoutAnAddressLeftARunFails checks that the failure of a single run and of a broadcast says
// why, and that the next run is sent when the drain has ended by itself.
func TestWithoutAnAddressLeftARunFails(t *testing.T) {
	for _, route := range []xxladapter.RouteStrategy{xxladapter.RouteRound, xxladapter.RouteShardingBroadcast} {
		exec := newFakeExecutor(t, nil)
		now := time.Now()
		f := newFixtureAt(t, func() time.Time { return now }, route, exec.URL)
		f.drain(xxladapter.Drain{Address: exec.URL, Until: now.Add(time.Second)})
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: 0})))
		logs := f.logs()
		require.Len(t, logs, 1)
		require.Equal(t, xxladapter.ResultFail, logs[0].TriggerCode)
		require.Empty(t, logs[0].Address)
		require.Contains(t, logs[0].TriggerMsg, xxladapter.ReasonDrained)
		require.Empty(t, exec.taken())
		require.Empty(t, f.open())

		now = now.Add(time.Second)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: 0})))
		require.Len(t, exec.taken(), 1)
	}
}

// TestARunWithoutAnAnswerIsAskedWhereItWent checks that such a run is sent again to its executor,
// although that has been drained since.
func TestARunWithoutAnAnswerIsAskedWhereItWent(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	job := *f.job
	job.Settings.Ambiguous = xxladapter.AmbiguousResend
	require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, &job, false))
	fire := f.plan(xxladapter.Fire{RetryCount: 0})
	term, _ := f.sched.Term()
	claimed, err := f.store.ClaimFire(t.Context(), term, fire.ID, []*xxladapter.Log{{JobID: job.ID, GroupID: job.GroupID, Address: exec.URL, TriggerTime: time.Now()}})
	require.NoError(t, err)
	f.drain(xxladapter.Drain{Address: exec.URL})
	require.NoError(t, f.over.Resolve(t.Context(), claimed[0]))
	require.Len(t, exec.taken(), 1)
	require.Empty(t, f.open())
}

package trigger

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// firePlanned fires all planned fires and returns them.
func (f *fixture) firePlanned() []xxladapter.Fire {
	f.t.Helper()
	fires, err := f.store.OpenFires(f.t.Context(), xxladapter.FireFilter{State: xxladapter.FirePlanned})
	require.NoError(f.t, err)
	for _, fire := range fires {
		require.NoError(f.t, f.over.Fire(f.t.Context(), fire))
	}
	return fires
}

// TestAFailedHandOverIsRetriedAsOftenAsTheJobSays checks the retries of a run that no executor
// accepts (XXL-JOB 2.4.2, JobFailMonitorHelper.java).
func TestAFailedHandOverIsRetriedAsOftenAsTheJobSays(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	clock := time.Now()
	f := newFixtureAt(t, func() time.Time { return clock }, xxladapter.RouteFirst, closed.URL)
	param := "given once"
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1, Param: &param})))
	for _, left := range []int{1, 0} {
		if left == 0 {
			require.Len(t, f.firePlanned(), 1, "the second one waits")
			clock = clock.Add(xxladapter.DefaultRetryBackoff)
		}
		retries := f.firePlanned()
		require.Len(t, retries, 1)
		require.Equal(t, xxladapter.TriggerRetry, retries[0].Type)
		require.Equal(t, left, retries[0].RetryCount)
		require.Equal(t, param, *retries[0].Param, "a retry has the parameter of the attempt before")
	}
	require.Empty(t, f.firePlanned(), "two retries, as the job says")
	logs := f.logs()
	require.Len(t, logs, 3)
	for i, l := range logs {
		require.Equal(t, 500, l.TriggerCode)
		require.Equal(t, 2-i, l.RetryCount)
	}
}

func TestAFailedRunIsRetriedOnceHoweverOftenItIsReported(t *testing.T) {
	f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	failure := wire.Callback{LogID: wire.Int(f.logs()[0].ID), HandleCode: 500, HandleMsg: "boom"}
	for range 3 {
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{failure, failure}))
	}
	require.Len(t, f.firePlanned(), 1)
	require.Len(t, f.logs(), 2)
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[1].ID), HandleCode: 200}}))
	require.Empty(t, f.firePlanned(), "a success ends it")
}

func TestOnlyTheShardThatFailedIsRetried(t *testing.T) {
	one, two := newFakeExecutor(t, nil), newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteShardingBroadcast, one.URL, two.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	logs := f.logs()
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{
		{LogID: wire.Int(logs[0].ID), HandleCode: 200}, {LogID: wire.Int(logs[1].ID), HandleCode: 502},
	}))
	retries := f.firePlanned()
	require.Len(t, retries, 1)
	require.Equal(t, []int{1, 2}, []int{retries[0].ShardIndex, retries[0].ShardTotal})
	require.Len(t, one.taken(), 1)
	require.Len(t, two.taken(), 2)
	require.Equal(t, "1/2", f.logs()[2].Sharding)
}

func TestALateFailureOfARunThatWasWrittenOffIsNotRetriedAgain(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	f := newFixture(t, xxladapter.RouteFirst, closed.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: 1})))
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[0].ID), HandleCode: 500}}))
	require.Len(t, f.firePlanned(), 1)
}

// TestASuccessTriggersTheChildrenOnce checks the child jobs of a run (XXL-JOB 2.4.2,
// XxlJobCompleter.java).
func TestASuccessTriggersTheChildrenOnce(t *testing.T) {
	f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
	ctx := t.Context()
	child := *f.job
	child.Name, child.ChildIDs = "child", nil
	childID, err := xxladapter.CreateJob(ctx, f.store, &child)
	require.NoError(t, err)
	f.job.ChildIDs = []int64{childID, 99, f.job.ID} // one that does not exist, and itself
	require.NoError(t, xxladapter.UpdateJob(ctx, f.store, f.job, false))

	f.over.opts.Store = unasked{f.store, t}
	require.NoError(t, f.over.Fire(ctx, f.plan(xxladapter.Fire{RetryCount: -1})))
	success := wire.Callback{LogID: wire.Int(f.logs()[0].ID), HandleCode: 200}
	for range 2 {
		require.NoError(t, f.over.Complete(ctx, []wire.Callback{success}))
	}
	require.Len(t, f.sched.planned, 2)
	require.Equal(t, f.open(), f.sched.planned, "as they are stored")
	require.Zero(t, f.sched.swept(), "nobody has to look for them")
	fires := f.firePlanned()
	require.Len(t, fires, 2)
	for _, fire := range fires {
		require.Equal(t, xxladapter.TriggerParent, fire.Type)
	}
	require.Empty(t, f.open(), "the child that does not exist leaves nothing behind")
	logs := f.logs()
	require.Len(t, logs, 2)
	require.Equal(t, childID, logs[1].JobID)
	require.Equal(t, "p=1", logs[1].Param, "the child has its own parameter")
}

// An unasked store fails the test if anybody lists its open fires, which it has returned already.
type unasked struct {
	*memstore.Store
	t *testing.T
}

func (u unasked) OpenFires(context.Context, xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	u.t.Error("the store is asked for open fires")
	return nil, nil
}

// TestARetryIsPassedOnAsItIsStored checks that the scheduler gets the retry of a failed hand-over
// directly, without a sweep.
func TestARetryIsPassedOnAsItIsStored(t *testing.T) {
	for _, pause := range []xxladapter.Milliseconds{0, 61_000} {
		exec := newFakeExecutor(t, func(w http.ResponseWriter, _ string) { fmt.Fprint(w, `{"code":500}`) })
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		f.job.RetryCount, f.job.Settings.RetryBackoff = 3, pause
		require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
		f.over.opts.Store = unasked{f.store, t}

		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		require.Len(t, f.open(), 1)
		require.Equal(t, f.open(), f.sched.planned)
		require.Zero(t, f.sched.swept(), "nobody has to look for it")
	}
}

func TestAFailureTriggersNoChildren(t *testing.T) {
	job := &xxladapter.Job{ID: 1, ChildIDs: []int64{2, 3}}
	require.Len(t, children(job, time.Now()), 2)
	f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
	f.job.ChildIDs, f.job.RetryCount = []int64{99}, 0
	require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[0].ID), HandleCode: 500}}))
	require.Empty(t, f.open())
}

func TestParseSharding(t *testing.T) {
	for text, want := range map[string][2]int{
		"1/3": {1, 3}, "0/1": {0, 1}, "": {}, "3": {}, "a/b": {}, "1/0": {}, "-1/3": {},
	} {
		index, total := parseSharding(text)
		require.Equal(t, want, [2]int{index, total}, text)
	}
}

package trigger

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// lose brings a run in a queue into the state that it has after its store has lost who took it:
// ambiguous, and known to no process.
func (f *fixture) lose(q *fakeQueue) (fire xxladapter.Fire) {
	f.t.Helper()
	fire = f.plan(xxladapter.Fire{})
	require.NoError(f.t, f.over.Fire(f.t.Context(), fire))
	<-f.events
	l := f.logs()[0]
	term, _ := f.sched.Term()
	_, err := f.store.SettleFire(f.t.Context(), term, xxladapter.Settlement{FireID: fire.ID, LogID: l.ID, State: xxladapter.FireAmbiguous})
	require.NoError(f.t, err)
	f.over.queued = queuedRuns{}
	clear(q.runs) // an executor has taken it
	clear(q.seen)
	return fire
}

func TestARunWhoseTakerTheStoreHasLostIsNotPublishedAgain(t *testing.T) {
	const a, b = "nats://some-app/a", "nats://some-app/b"
	for name, route := range map[string]xxladapter.RouteStrategy{"any executor": xxladapter.RouteRound, "one executor": xxladapter.RouteLast} {
		t.Run(name, func(t *testing.T) {
			queued(t, route, func(t *testing.T, f *fixture, q *fakeQueue) {
				f.lose(q)
				q.taker = b
				q.silent = map[string]error{a: ErrNotTold, b: errors.New("no answer")}
				f.sweep(time.Minute)
				require.Len(t, q.to, 1, "who does not answer may have it")
				require.Zero(t, f.logs()[0].TriggerCode)
				delete(q.silent, b)
				f.sweep(10 * time.Second)
				require.Len(t, q.to, 1)
				require.Equal(t, []any{b, 200}, []any{f.logs()[0].Address, f.logs()[0].TriggerCode})
			}, a, b)
		})
	}
}

func TestARunThatNobodyTookIsPublishedAgainAfterALoss(t *testing.T) {
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		f.lose(q)
		f.sweep(10 * time.Second)
		require.Len(t, q.to, 2)
		require.ElementsMatch(t, []string{"nats://some-app/a", "nats://some-app/b"}, q.asked)
		f.sweep(5 * time.Minute)
		require.Len(t, q.to, 2, "the queue has it")
		require.Len(t, q.asked, 2, "they are asked once")
	}, "nats://some-app/a", "nats://some-app/b")
}

func TestWhoMayHaveTakenARun(t *testing.T) {
	group := &xxladapter.Group{Addresses: []string{"nats://app/a", "http://java:1", "nats://app", "nats://app/b", "nats://other/c"}}
	shared, one := xxladapter.QueueAddress{App: "app"}, xxladapter.QueueAddress{App: "app", Instance: "x"}
	require.Equal(t, []string{"nats://app/a", "nats://app/b"}, takersOf(xxladapter.Fire{}, group, shared))
	require.Equal(t, []string{"nats://app/x"}, takersOf(xxladapter.Fire{}, group, one))
	require.Equal(t, []string{"nats://app/d"}, takersOf(xxladapter.Fire{Addresses: []string{"nats://app/d"}}, group, shared))
}

func TestTheJobDecidesAboutARunThatMayHaveBeenTaken(t *testing.T) {
	for setting, published := range map[xxladapter.AmbiguousPolicy]int{xxladapter.AmbiguousSkip: 1, xxladapter.AmbiguousResend: 2} {
		t.Run(string(setting), func(t *testing.T) {
			queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
				f.job.Settings.Ambiguous = setting
				require.NoError(t, f.store.UpdateJob(t.Context(), f.job, false))
				f.lose(q)
				f.sweep(time.Minute)
				require.Len(t, q.to, published)
				require.Empty(t, q.asked)
				if setting == xxladapter.AmbiguousSkip {
					require.Equal(t, xxladapter.ResultUnknown, f.logs()[0].TriggerCode)
				}
			}, "nats://some-app/a")
		})
	}
}

func TestARunForAnExecutorThatIsGoneAfterALossIsUnknown(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		f.lose(q)
		g, err := f.store.Group(t.Context(), f.job.GroupID)
		require.NoError(t, err)
		g.Addresses = nil
		_, err = f.store.SaveGroup(t.Context(), g)
		require.NoError(t, err)
		f.sweep(10 * time.Second)
		require.Contains(t, f.logs()[0].TriggerMsg, xxladapter.ReasonUnknown)
		require.NotContains(t, f.logs()[0].TriggerMsg, "had not begun")
	}, "nats://some-app/a")
}

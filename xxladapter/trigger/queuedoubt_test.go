package trigger

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
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
				q.silent = map[string]error{a: ErrCannotTell, b: errors.New("no answer")}
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
	named := run{fire: xxladapter.Fire{Addresses: []string{"nats://app/d"}}, group: group}
	shared, one := xxladapter.QueueAddress{App: "app"}, xxladapter.QueueAddress{App: "app", Instance: "x"}
	require.Equal(t, []string{"nats://app/a", "nats://app/b"}, (&run{group: group}).takers(shared))
	require.Equal(t, []string{"nats://app/x"}, (&run{group: group}).takers(one))
	require.Equal(t, []string{"nats://app/d"}, named.takers(shared))
}

func TestTheJobDecidesAboutARunThatMayHaveBeenTaken(t *testing.T) {
	for setting, published := range map[xxladapter.AmbiguousStrategy]int{xxladapter.AmbiguousSkip: 1, xxladapter.AmbiguousResend: 2} {
		t.Run(string(setting), func(t *testing.T) {
			queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
				f.job.Settings.Ambiguous = setting
				require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
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
		f.register()
		f.sweep(40 * time.Second)
		require.Contains(t, f.logs()[0].TriggerMsg, xxladapter.ReasonUnknown)
		require.NotContains(t, f.logs()[0].TriggerMsg, "had not begun")
	}, "nats://some-app/a")
}

// loseOwner takes the open fire from the term that has it, as a loss does. The node gets another
// term.
func (f *fixture) loseOwner() {
	f.t.Helper()
	fire := f.open()[0]
	if term, _ := f.sched.Term(); fire.State == xxladapter.FireClaimed {
		_, err := f.store.SettleFire(f.t.Context(), term, xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous})
		require.NoError(f.t, err)
	}
	time.Sleep(2 * time.Hour) // in a bubble; the lease has expired
	l, err := f.store.Lease(f.t.Context(), fire.Owner.Node, time.Hour)
	require.NoError(f.t, err)
	f.sched.term = func() (xxladapter.Term, bool) { return l.Term, true }
}

// loseMany does what lose does for many runs, and returns their log ids.
func (f *fixture) loseMany(q *fakeQueue, n int) (runs []int64) {
	f.t.Helper()
	f.over.opts.OnEvent = func(Event) {}
	for i := range n {
		require.NoError(f.t, f.over.Fire(f.t.Context(), f.plan(xxladapter.Fire{Due: time.Now().Add(-time.Duration(i) * time.Millisecond)})))
	}
	term, _ := f.sched.Term()
	for _, fire := range f.open() {
		_, err := f.store.SettleFire(f.t.Context(), term, xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous})
		require.NoError(f.t, err)
		runs = append(runs, fire.LogID)
	}
	f.over.queued = queuedRuns{}
	clear(q.runs)
	clear(q.seen)
	q.to = nil
	return runs
}

// sweeping has a pool with one place resolve what is open each second, as the scheduler does, until
// stop is called.
func (f *fixture) sweeping() (stop func()) {
	f.t.Helper()
	p, err := NewPool(PoolOptions{Fast: 1, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(f.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	parts.Go(func() { require.NoError(f.t, p.Run(ctx, f.over)) })
	synctest.Wait()
	parts.Go(func() {
		var held sync.Map
		for ctx.Err() == nil {
			for _, fire := range f.open() {
				if _, again := held.LoadOrStore(fire.ID, true); !again && !p.Resolve(fire, func() { held.Delete(fire.ID) }) {
					held.Delete(fire.ID)
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
	return func() {
		cancel()
		parts.Wait()
	}
}

// requests returns how often each executor was asked.
func (q *fakeQueue) requests() map[string]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := map[string]int{}
	for _, addr := range q.asked {
		n[addr]++
	}
	return n
}

// published returns how many runs were published.
func (q *fakeQueue) published() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.to)
}

// TestTheFirstTakerKeepsARun has executors answer in different orders.
func TestTheFirstTakerKeepsARun(t *testing.T) {
	var d doubt
	require.Equal(t, verdictFree, d.verdict(), "nobody can have it")
	d.ask([]string{"a", "b", "c", "d"})
	require.Equal(t, verdictOpen, d.verdict())
	d.hear("a", false)
	d.hear("a", false)
	require.Equal(t, []string{"a"}, d.not)
	d.hear("c", true)
	require.Equal(t, verdictTaken, d.verdict(), "the others need not answer")
	d.hear("b", true)
	d.hear("d", false)
	require.Equal(t, doubt{taker: "c", not: []string{"a", "d"}, open: []string{}}, d)

	var q queuedRuns
	of, _ := q.ask(7, []string{"b", "c"}, time.Now())
	asked := []question{{&xxladapter.Log{ID: 7}, of}}
	for _, answer := range []struct {
		addr string
		took bool
	}{{"b", true}, {"c", true}, {"c", false}} {
		taken, ready := q.hear(answer.addr, asked, []bool{answer.took}, time.Now())
		require.True(t, ready)
		require.Equal(t, []xxladapter.Accept{{LogID: 7, Address: "b"}}, taken)
	}

	d = doubt{not: []string{"a"}}
	d.ask([]string{"a", "e"})
	require.Equal(t, []string{"e"}, d.open, "an executor has come")
	d.ask([]string{"a"})
	require.Equal(t, verdictFree, d.verdict(), "it is gone again")
}

// TestManyRunsInDoubtShareAFewRequests has executors that have taken half of the runs.
func TestManyRunsInDoubtShareAFewRequests(t *testing.T) {
	const a, b, c = "nats://some-app/a", "nats://some-app/b", "nats://some-app/c"
	const runs = 2*takenLimit + 500
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		q.takers = map[int64]string{}
		for i, id := range f.loseMany(q, runs) {
			if i%2 == 0 {
				q.takers[id] = []string{a, b, c}[i%3]
			}
		}
		defer f.sweeping()()
		time.Sleep(3 * time.Second) // in a bubble
		require.Equal(t, runs/2, q.published())
		require.Equal(t, runs/2, len(f.open()))
		for _, l := range f.logs() {
			if addr := q.takers[l.ID]; addr != "" {
				require.Equal(t, []any{addr, xxladapter.ResultOK}, []any{l.Address, l.TriggerCode})
			}
		}
		require.Equal(t, map[string]int{a: 3, b: 3, c: 3}, q.requests())
		time.Sleep(5 * time.Minute) // in a bubble
		require.Equal(t, runs/2, q.published(), "the queue has them")
		require.Equal(t, map[string]int{a: 3, b: 3, c: 3}, q.requests())
	}, a, b, c)
}

// TestAnExecutorThatDoesNotAnswerDelaysNoOther has an executor that does not answer, and others
// that have taken two thirds of the runs.
func TestAnExecutorThatDoesNotAnswerDelaysNoOther(t *testing.T) {
	const a, b, c = "nats://some-app/a", "nats://some-app/b", "nats://some-app/c"
	const runs = 3 * 700
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		q.silent = map[string]error{a: errSilent}
		q.takers = map[int64]string{}
		for i, id := range f.loseMany(q, runs) {
			q.takers[id] = []string{"", b, c}[i%3]
		}
		defer f.sweeping()()
		time.Sleep(silence - time.Second) // in a bubble
		require.Equal(t, runs/3, len(f.open()), "what others have taken is settled before the time-out")
		time.Sleep(5 * time.Minute) // in a bubble
		require.Zero(t, q.published(), "the one that does not answer may have them")
		require.Equal(t, runs/3, len(f.open()))
		asked := q.requests()
		require.LessOrEqual(t, asked[a], int(5*time.Minute/(silence+queueRetry))+2, "one time-out for all runs")
		require.Equal(t, []int{3, 3}, []int{asked[b], asked[c]}, "those that have answered are not asked again")

		q.mu.Lock()
		delete(q.silent, a)
		q.mu.Unlock()
		time.Sleep(silence + queueRetry + 3*time.Second) // in a bubble
		require.Equal(t, runs/3, q.published())
	}, a, b, c)
}

// TestAPanicOfAQueueIsNoAnswer has a queue that panics when it is first asked about runs.
func TestAPanicOfAQueueIsNoAnswer(t *testing.T) {
	const a = "nats://some-app/a"
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		asked := 0
		q.answered = func() {
			if asked++; asked == 1 {
				panic("oh")
			}
		}
		f.loseMany(q, 3)
		defer f.sweeping()()
		time.Sleep(queueRetry + 3*time.Second) // in a bubble
		require.Equal(t, 3, q.published())
		require.Equal(t, 2, asked)
	}, a)
}

// An acceptPanic panics at the first call of AcceptRuns.
type acceptPanic struct {
	*memstore.Store
	calls atomic.Int32
}

func (s *acceptPanic) AcceptRuns(ctx context.Context, list []xxladapter.Accept) ([]bool, error) {
	if s.calls.Add(1) == 1 {
		panic("oh")
	}
	return s.Store.AcceptRuns(ctx, list)
}

func TestAPanicOfTheStoreLeavesTakenRunsToTheSweep(t *testing.T) {
	const a = "nats://some-app/a"
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		store := &acceptPanic{Store: f.store}
		f.over.opts.Store = store
		f.loseMany(q, 3)
		q.taker = a
		defer f.sweeping()()
		time.Sleep(queueRetry + 3*time.Second) // in a bubble
		require.Empty(t, f.open())
		require.Greater(t, store.calls.Load(), int32(1))
		require.Zero(t, q.published())
	}, a)
}

// TestWhatANodeKnewBeforeALossIsInDoubt has the node that published a run resolve it after a loss.
func TestWhatANodeKnewBeforeALossIsInDoubt(t *testing.T) {
	const a, b = "nats://some-app/a", "nats://some-app/b"
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		clear(q.runs) // an executor has taken it
		q.taker = b
		f.loseOwner()
		f.sweep(time.Minute)
		require.Len(t, q.to, 1, "the executors are asked first")
		require.Equal(t, []any{b, xxladapter.ResultOK}, []any{f.logs()[0].Address, f.logs()[0].TriggerCode})
	}, a, b)
}

// TestAnAnswerFromBeforeALossDoesNotCount has an executor say that it has not taken a run. The
// answer comes when the executor has taken it and the store has lost that.
func TestAnAnswerFromBeforeALossDoesNotCount(t *testing.T) {
	const a = "nats://some-app/a"
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		f.lose(q)
		q.answered = func() {
			q.answered = nil
			q.taker, q.silent = a, map[string]error{a: errSilent}
			f.loseOwner()
			f.sweep(time.Second)
		}
		f.sweep(5 * time.Second)
		require.Equal(t, map[string]int{a: 2}, q.requests())
		require.Equal(t, 1, q.published())
		delete(q.silent, a)
		f.sweep(10 * time.Second)
		require.Equal(t, 1, q.published())
		require.Equal(t, []any{a, xxladapter.ResultOK}, []any{f.logs()[0].Address, f.logs()[0].TriggerCode})
	}, a)
}

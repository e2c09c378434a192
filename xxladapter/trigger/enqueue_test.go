package trigger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	routes "github.com/xxlwheel/xxlwheel/xxladapter/route"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A fakeQueue keeps runs by position. It drops a run whose key it has seen.
type fakeQueue struct {
	mu   sync.Mutex // guards the fields below while several goroutines use the queue
	err  error      // of Enqueue and Clear
	runs map[uint64]string
	at   map[uint64]string // the addresses of runs
	seen map[string]uint64
	to   []string // addresses of what was stored
	last uint64

	looks int // for runs

	taker  string           // the address of the executor that took every run
	takers map[int64]string // those that took single runs, by log id
	asked  []string         // addresses of executors that were asked, once for each request
	silent map[string]error // by address

	connected time.Time
	answered  func() // is called before an answer is returned; nil means that nothing is called
	clearing  func() // is called before runs are dropped; nil means that nothing is called
}

// errSilent is the error of an executor that does not answer in time.
var errSilent = errors.New("no answer")

// silence is the time that a request to such an executor takes.
const silence = 3 * time.Second

func (q *fakeQueue) Enqueue(_ context.Context, addr, _, key string, _ *wire.RunRequest) (uint64, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return 0, q.err
	}
	if at, again := q.seen[key]; again {
		return at, nil
	}
	q.last++
	q.runs[q.last], q.at[q.last], q.seen[key] = key, addr, q.last
	q.to = append(q.to, addr)
	return q.last, nil
}

func (q *fakeQueue) Queued(_ context.Context, _ string, position uint64, key string) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.looks++
	return q.runs[position] == key, nil
}

func (q *fakeQueue) Connected() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.connected
}

func (q *fakeQueue) Clear(_ context.Context, addr string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return q.err
	}
	if q.clearing != nil {
		q.clearing()
	}
	maps.DeleteFunc(q.runs, func(position uint64, _ string) bool { return q.at[position] == addr })
	return nil
}

func (q *fakeQueue) Taken(_ context.Context, addr, _ string, runs []*xxladapter.Log) ([]bool, error) {
	q.mu.Lock()
	q.asked = append(q.asked, addr)
	err := q.silent[addr]
	q.mu.Unlock()
	switch {
	case errors.Is(err, errSilent):
		time.Sleep(silence) // in a bubble
		return nil, err
	case err != nil:
		return nil, err
	}
	taken := make([]bool, len(runs))
	for i, l := range runs {
		taken[i] = addr == q.taker || addr == q.takers[l.ID]
	}
	if q.answered != nil {
		q.answered()
	}
	return taken, nil
}

// queued runs check on a fixture with a queue, in a bubble.
func queued(t *testing.T, route xxladapter.RouteStrategy, check func(t *testing.T, f *fixture, q *fakeQueue), addrs ...string) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, route, addrs...)
		q := &fakeQueue{
			runs: map[uint64]string{}, at: map[uint64]string{}, seen: map[string]uint64{},
			connected: time.Now().Add(-time.Hour),
		}
		f.over.opts.Queue, f.over.opts.Connected = q, q.Connected
		check(t, f, q)
	})
}

// register makes the group have these addresses and no others.
func (f *fixture) register(addrs ...string) {
	f.t.Helper()
	g, err := f.store.Group(f.t.Context(), f.job.GroupID)
	require.NoError(f.t, err)
	g.Addresses = addrs
	_, err = f.store.SaveGroup(f.t.Context(), g)
	require.NoError(f.t, err)
}

// sweep resolves what is open, as the scheduler does each second.
func (f *fixture) sweep(d time.Duration) {
	f.t.Helper()
	for range d / time.Second {
		time.Sleep(time.Second) // in a bubble
		open, err := f.store.OpenFires(f.t.Context(), xxladapter.FireFilter{})
		require.NoError(f.t, err)
		for _, fire := range open {
			if fire.State != xxladapter.FirePlanned {
				require.NoError(f.t, f.over.Resolve(f.t.Context(), fire))
			}
		}
	}
}

func TestARunForAQueueIsSettledWhenItIsAccepted(t *testing.T) {
	queued(t, xxladapter.RouteRound, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		l := f.logs()[0]
		require.Equal(t, []any{"nats://some-app", 0}, []any{l.Address, l.TriggerCode})
		require.Equal(t, EventSent, (<-f.events).Kind)
		f.sweep(5 * time.Minute)
		require.Equal(t, []string{"nats://some-app"}, q.to, "the queue has it: it is published once")

		may, err := f.over.Accept(t.Context(), []xxladapter.Accept{{LogID: l.ID, Address: "nats://some-app/a"}})
		require.NoError(t, err)
		require.Equal(t, []bool{true}, may)
		require.Empty(t, f.over.queued.byRun, "it is no longer looked for")
		l = f.logs()[0]
		require.Equal(t, []any{"nats://some-app/a", 200}, []any{l.Address, l.TriggerCode})
		f.sweep(5 * time.Minute)
		require.Len(t, q.to, 1)
		require.Empty(t, f.events)
	}, "nats://some-app/a", "nats://some-app/b")
}

func TestWhatAQueueHasLostIsPublishedAgainWithinAMinute(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		begin := time.Now().Truncate(time.Millisecond)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		f.sweep(10 * time.Second)
		clear(q.runs)
		f.sweep(time.Minute)
		require.Equal(t, []string{"nats://some-app/a", "nats://some-app/a"}, q.to)
		require.NotEmpty(t, q.runs)
		e := <-f.events
		require.Equal(t, EventSent, e.Kind)
		require.Equal(t, begin, e.Sent)
		require.Empty(t, f.events, "one run was sent")
	}, "nats://some-app/a", "nats://some-app/b")
}

func TestWhatAQueueHasLostIsPublishedAgainOnceItIsBack(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		for range 2 {
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		}
		f.sweep(10 * time.Second)
		delete(q.runs, 1)
		f.sweep(time.Second)
		require.Len(t, q.to, 2)
		q.connected = time.Now()
		f.sweep(time.Second)
		require.Len(t, q.to, 3)
		require.Equal(t, "2", q.runs[2])
		delete(q.runs, 2)
		f.sweep(20 * time.Second)
		require.Len(t, q.to, 3, "after one look it waits as before")
	}, "nats://some-app/a")
}

// TestNothingIsLookedForWhileTheQueueIsAway takes the queue away for longer than the node remembers
// a run that nobody asks about. Meanwhile the queue loses its runs.
func TestNothingIsLookedForWhileTheQueueIsAway(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		var lines bytes.Buffer
		f.over.opts.Logger = slog.New(slog.NewTextHandler(&lines, nil))
		for range 2 {
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		}
		q.connected, q.err = time.Time{}, errors.New("no broker")
		for range 10 {
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
			f.sweep(time.Minute)
		}
		require.Zero(t, q.looks)
		clear(q.runs)
		q.connected, q.err = time.Now(), nil
		f.sweep(time.Second)
		require.Equal(t, 2, q.looks)
		require.Len(t, q.runs, 12)
		require.Len(t, q.to, 14, "the lost runs were published again")
		require.Equal(t, 1, strings.Count(lines.String(), "publishing it again"), "one line in each second")
	}, "nats://some-app/a")
}

func TestABrokerThatIsAwayDelaysARun(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		var lines bytes.Buffer
		f.over.opts.Logger = slog.New(slog.NewTextHandler(&lines, nil))
		q.err = errors.New("no broker")
		for i := range 50 {
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{Due: time.Now().Add(-time.Duration(i) * time.Millisecond)})))
		}
		require.Equal(t, 1, strings.Count(lines.String(), "run not published"), lines.String())
		f.sweep(5 * time.Minute)
		require.Regexp(t, `run not published; trying again.*attempts=\d\d\d`, lines.String())
		require.Zero(t, f.logs()[0].TriggerCode, "it has not failed")
		require.Empty(t, f.events)
		q.err = nil
		f.sweep(10 * time.Second)
		require.Len(t, q.to, 50)
	}, "nats://some-app/a")
}

func TestAnotherNodeContinuesWithWhatIsQueued(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		f.over.queued = queuedRuns{} // a new process
		f.sweep(time.Minute)
		require.Len(t, q.to, 1, "its key is the same")
	}, "nats://some-app/a")
}

func TestARunThatNoQueueTakesHasFailed(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		q.err = fmt.Errorf("%w: too large", ErrRefused)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		require.Contains(t, f.logs()[0].TriggerMsg, "too large")
		f.over.opts.Queue = nil
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		require.Contains(t, f.logs()[1].TriggerMsg, "must be started with one")
		require.Equal(t, 500, f.logs()[1].TriggerCode)
	}, "nats://some-app/a")
}

func TestARunForAnExecutorThatIsGoneHasFailedAndIsRetried(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		f.register("nats://some-app/b")
		f.sweep(70 * time.Second)
		l := f.logs()[0]
		require.Equal(t, 500, l.TriggerCode)
		require.Contains(t, l.TriggerMsg, "the executor is gone")
		require.Empty(t, q.runs)
		require.Len(t, f.sched.planned, 1, "the next attempt")
		may, err := f.over.Accept(t.Context(), []xxladapter.Accept{{LogID: l.ID, Address: "nats://some-app/a"}})
		require.NoError(t, err)
		require.Equal(t, []bool{false}, may, "it was given up")
	}, "nats://some-app/a")
}

// TestWhatAnotherNodePublishedForAnExecutorThatIsGone forgets what this node knows about the queue,
// as if it had taken over the run, and has another run wait for any executor.
func TestWhatAnotherNodePublishedForAnExecutorThatIsGone(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		_, err := q.Enqueue(t.Context(), "nats://some-app", "", "another", nil)
		require.NoError(t, err)
		f.over.queued = queuedRuns{}
		f.register()
		f.sweep(70 * time.Second)
		require.Equal(t, 500, f.logs()[0].TriggerCode)
		require.Equal(t, map[uint64]string{2: "another"}, q.runs)
	}, "nats://some-app/a")
}

// TestARunWaitsForAnExecutorThatRestarts has the executor of a run deregister and register again,
// as every restarted executor does. The sweep looks after 30 s, in between, and again when the
// queue was away.
func TestARunWaitsForAnExecutorThatRestarts(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		for range 3 {
			f.sweep(25 * time.Second)
			f.register("nats://some-app/b")
			f.sweep(8 * time.Second)
			q.connected = time.Now()
			f.sweep(2 * time.Second)
			f.register("nats://some-app/a", "nats://some-app/b")
			f.sweep(25 * time.Second)
		}
		require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
		require.Len(t, q.runs, 1)
		may, err := f.over.Accept(t.Context(), []xxladapter.Accept{{LogID: f.logs()[0].ID, Address: "nats://some-app/a"}})
		require.NoError(t, err)
		require.Equal(t, []bool{true}, may)
	}, "nats://some-app/a")
}

// TestARunWaitsForAnExecutorThatRestartsWithoutTheBroker has the executor of a run deregister when
// the broker is about to leave, and register again when it has returned.
func TestARunWaitsForAnExecutorThatRestartsWithoutTheBroker(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		since := time.Now()
		f.over.opts.Connected = func() time.Time { return since }
		time.Sleep(xxladapter.HearingTime) // in a bubble
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		f.sweep(25 * time.Second)
		f.register()
		f.sweep(10 * time.Second) // the first look
		q.err, since = errSilent, time.Time{}
		f.sweep(2 * time.Minute)
		q.err, since = nil, time.Now()
		f.sweep(xxladapter.HearingTime - time.Second)
		require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
		f.register("nats://some-app/a")
		f.sweep(2 * time.Minute)
		require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
		require.Len(t, q.runs, 1)
		f.register()
		f.sweep(2*queueCheck + queueRetry)
		require.Contains(t, f.logs()[0].TriggerMsg, "the executor is gone")
	}, "nats://some-app/a")
}

// TestARunWaitsWhileTheBrokerIsFrozen has the executor of a run deregister before the broker
// freezes, which is not noticed yet at the second look, and register again after that.
func TestARunWaitsWhileTheBrokerIsFrozen(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		f.register()
		f.sweep(queueCheck + time.Second) // the first look
		q.err = errSilent
		f.sweep(queueCheck + queueRetry)
		q.err = nil
		f.register("nats://some-app/a")
		f.sweep(2 * time.Minute)
		require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
		require.Len(t, q.runs, 1)
	}, "nats://some-app/a")
}

// TestARunForAnExecutorThatIsGoneFailsWithoutAQueue resolves such a run without a broker.
func TestARunForAnExecutorThatIsGoneFailsWithoutAQueue(t *testing.T) {
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		f.register()
		q.err = errNoBroker
		f.sweep(2*queueCheck + 2*time.Second)
		require.Contains(t, f.logs()[0].TriggerMsg, "the executor is gone")
	}, "nats://some-app/a")
}

// A deafProber gets no answer, as while the broker is away. It notes whom it asked.
type deafProber struct{ asked []string }

func (p *deafProber) Beat(_ context.Context, addr string) error {
	p.asked = append(p.asked, addr)
	return errSilent
}

func (p *deafProber) IdleBeat(ctx context.Context, addr string, _ int64) error {
	return p.Beat(ctx, addr)
}

// TestARunWaitsInTheQueueAlthoughNoExecutorAnswers fires jobs whose route asks executors while the
// broker is away.
func TestARunWaitsInTheQueueAlthoughNoExecutorAnswers(t *testing.T) {
	const a, b, other = "nats://some-app/a", "nats://some-app/b", "http://a:1"
	for name, c := range map[string]struct {
		group, named, asked []string
		to                  string
	}{
		"any executor":       {group: []string{a, b}, to: "nats://some-app"},
		"behind one by HTTP": {group: []string{other, a, b}, asked: []string{other}, to: "nats://some-app"},
		"named executors":    {group: []string{a, b}, named: []string{b, a}, asked: []string{b, a}, to: b},
	} {
		for _, route := range []xxladapter.RouteStrategy{xxladapter.RouteFailover, xxladapter.RouteBusyover} {
			t.Run(name+", "+string(route), func(t *testing.T) {
				queued(t, route, func(t *testing.T, f *fixture, q *fakeQueue) {
					prober := new(deafProber)
					f.over.routes, q.err = routes.New(prober), errSilent
					require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{Addresses: c.named})))
					f.sweep(time.Minute)
					require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
					q.err = nil
					f.sweep(10 * time.Second)
					require.Equal(t, []string{c.to}, q.to)
					require.Equal(t, c.asked, prober.asked)
				}, c.group...)
			})
		}
	}
}

// TestAnExecutorThatAnswersIsPreferredToTheQueue has an executor by HTTP before one on the queue.
func TestAnExecutorThatAnswersIsPreferredToTheQueue(t *testing.T) {
	group := &xxladapter.Group{Addresses: []string{"http://a:1", "nats://some-app/a"}}
	r := run{
		HandOver: &HandOver{routes: routes.New(aliveProber{})}, group: group,
		job: &xxladapter.Job{Route: xxladapter.RouteFailover},
	}
	require.Equal(t, []destination{{total: 1, addr: "http://a:1"}}, r.destinations(t.Context(), time.Now()))
}

// An aliveProber gets an answer from each executor.
type aliveProber struct{}

func (aliveProber) Beat(context.Context, string) error            { return nil }
func (aliveProber) IdleBeat(context.Context, string, int64) error { return nil }

func TestWhichRunsAreForAnyExecutor(t *testing.T) {
	now := time.Now()
	group := &xxladapter.Group{Addresses: []string{"nats://some-app/a", "nats://some-app/b", "http://a:1"}}
	drained := *group
	drained.Drains = []xxladapter.Drain{{Address: "nats://some-app/b", Until: now.Add(time.Hour)}}
	for _, route := range xxladapter.RouteStrategy("").Values() {
		want := "nats://some-app"
		switch route {
		case xxladapter.RouteFirst, xxladapter.RouteLast, xxladapter.RouteConsistentHash, xxladapter.RouteShardingBroadcast:
			want = "nats://some-app/a"
		}
		r := run{job: &xxladapter.Job{Route: route}, group: group}
		require.Equal(t, want, r.widened("nats://some-app/a", now), route)
		require.Equal(t, "http://a:1", r.widened("http://a:1", now))
		r.group = &drained
		require.Equal(t, "nats://some-app/a", r.widened("nats://some-app/a", now), "a drained one would take it")
		r.group, r.fire.Addresses = group, []string{"nats://some-app/a"}
		require.Equal(t, "nats://some-app/a", r.widened("nats://some-app/a", now))
	}
}

// TestARunThatIsTakenWhileItIsGivenUp has the executor of a run register again and take the run
// after the node has found it gone.
func TestARunThatIsTakenWhileItIsGivenUp(t *testing.T) {
	const a = "nats://some-app/a"
	queued(t, xxladapter.RouteFirst, func(t *testing.T, f *fixture, q *fakeQueue) {
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		id := f.logs()[0].ID
		q.clearing = func() {
			may, err := f.over.Accept(t.Context(), []xxladapter.Accept{{LogID: id, Address: a}})
			require.NoError(t, err)
			require.Equal(t, []bool{true}, may)
		}
		f.register()
		f.sweep(70 * time.Second)
		l := f.logs()[0]
		require.Equal(t, []any{a, 200, xxladapter.LogRunning}, []any{l.Address, l.TriggerCode, l.Status()}, l.TriggerMsg)
		require.Empty(t, f.sched.planned)
		require.Equal(t, EventSent, (<-f.events).Kind)
		require.Empty(t, f.events, "it has not failed")
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(id), HandleCode: 500}}))
		require.Len(t, f.sched.planned, 1, "the next attempt")
	}, a)
}

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A flakyStore lists and claims no fires while away is set.
type flakyStore struct {
	*memstore.Store
	away atomic.Bool
}

func (s *flakyStore) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	if s.away.Load() {
		return nil, errAway
	}
	return s.Store.OpenFires(ctx, f)
}

func (s *flakyStore) ClaimFire(
	ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	if s.away.Load() {
		return nil, errAway
	}
	return s.Store.ClaimFire(ctx, by, id, logs)
}

// A slowSender notes the runs that it is asked to send. Each takes up to longest.
type slowSender struct {
	longest time.Duration

	mu   sync.Mutex // guards the fields below
	rnd  *rand.Rand
	sent []sentRun // in their order
}

type sentRun struct {
	n   int // the index of its fire in poolBench.fires, which is its parameter
	job int64
	at  time.Time
}

func (s *slowSender) Run(_ context.Context, _, _ string, req *wire.RunRequest) (wire.Reply, error) {
	n, err := strconv.Atoi(req.Params)
	if err != nil {
		return wire.Reply{}, err
	}
	s.mu.Lock()
	s.sent = append(s.sent, sentRun{n, int64(req.JobID), time.Now()})
	takes := time.Duration(s.rnd.Int64N(int64(s.longest)))
	s.mu.Unlock()
	time.Sleep(takes) // in the bubble's own time
	return wire.OK(), nil
}

func (s *slowSender) Log(context.Context, string, string, wire.LogRequest) (wire.LogResult, error) {
	return wire.LogResult{}, errors.New("not expected to be asked")
}
func (s *slowSender) Beat(context.Context, string) error            { return nil }
func (s *slowSender) IdleBeat(context.Context, string, int64) error { return nil }

// A poolBench is a scheduler with the pool that hands its fires over, in a bubble.
type poolBench struct {
	t      *testing.T
	rnd    *rand.Rand
	store  *flakyStore
	sender *slowSender
	pool   *trigger.Pool
	sched  *Scheduler
	groups []int64
	jobs   []int64
	fires  []*plannedFire
}

type plannedFire struct {
	xxladapter.Fire
	planned   time.Time
	elsewhere bool // another node has handed it over
}

// withPool runs test with a pool that runs and a scheduler that does not.
func withPool(
	t *testing.T, rnd *rand.Rand, apps int, longest time.Duration, opts trigger.PoolOptions, test func(b *poolBench),
) {
	synctest.Test(t, func(t *testing.T) {
		logger := slog.New(slog.DiscardHandler)
		b := &poolBench{
			t: t, rnd: rnd, store: &flakyStore{Store: memstore.New(time.Now)},
			sender: &slowSender{longest: longest, rnd: rand.New(rand.NewPCG(rnd.Uint64(), 0))},
		}
		opts.Logger = logger
		var err error
		b.pool, err = trigger.NewPool(opts)
		require.NoError(t, err)
		b.sched, err = New(Options{Store: b.store, Pool: b.pool, Node: "node-1", Zone: time.UTC, Logger: logger})
		require.NoError(t, err)
		over, err := trigger.NewHandOver(trigger.Options{
			Store: b.store, Sender: b.sender, Scheduler: b.sched, Logger: logger,
		})
		require.NoError(t, err)
		for app := range apps {
			group, err := b.store.SaveGroup(t.Context(), &xxladapter.Group{
				AppName: fmt.Sprint("app-", app), Title: "some app", AddressType: xxladapter.AddressManual, Addresses: []string{"http://e"},
			})
			require.NoError(t, err)
			b.groups = append(b.groups, group)
			for range 3 {
				job := &xxladapter.Job{GroupID: group, Name: "some job", Handler: "h"}
				job.SetDefaults()
				id, err := xxladapter.CreateJob(t.Context(), b.store, job)
				require.NoError(t, err)
				b.jobs = append(b.jobs, id)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { assert.NoError(t, b.pool.Run(ctx, over)) })
		defer ended.Wait()
		defer cancel()
		synctest.Wait()
		test(b)
	})
}

// plan plans n fires of any jobs. due returns when each is due.
func (b *poolBench) plan(n int, due func() time.Time) []xxladapter.Fire {
	b.t.Helper()
	list := make([]xxladapter.Fire, n)
	for i := range list {
		param := strconv.Itoa(len(b.fires) + i)
		list[i] = xxladapter.Fire{
			JobID: b.jobs[b.rnd.IntN(len(b.jobs))], Due: due().Truncate(time.Millisecond), Type: xxladapter.TriggerRetry,
			RetryCount: -1, Param: &param,
		}
	}
	planned, err := b.store.PlanFires(b.t.Context(), list)
	require.NoError(b.t, err)
	for _, f := range planned {
		b.fires = append(b.fires, &plannedFire{Fire: f, planned: time.Now()})
	}
	return planned
}

// TestPoolAndSweepHandAllOver plans fires of several apps at random, often more than the pool has
// places for. Each runs once, and no app that has room waits longer than twoSweeps, though the
// store fails for a while, fires are not armed when they are planned, jobs move to other apps,
// other nodes hand fires over, and leases end. Without such trouble the fires of an app begin in
// the order in which they are due.
func TestPoolAndSweepHandAllOver(t *testing.T) {
	for seed := range uint64(15) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 11))
			trouble := seed%3 != 0
			longest := time.Duration(1+rnd.IntN(500)) * time.Millisecond
			if trouble {
				longest *= 2 // some jobs become slow
			}
			withPool(t, rnd, 3, longest, trigger.PoolOptions{
				Fast: 1 + rnd.IntN(8), Slow: 1 + rnd.IntN(4), Queue: 4 + rnd.IntN(30), // with fewer, two apps may leave no room for a third
			}, func(b *poolBench) {
				t := b.t
				b.sched.page = []int{sweepLimit, 1 + rnd.IntN(20)}[rnd.IntN(2)]
				ctx, cancel := context.WithCancel(t.Context())
				var ended sync.WaitGroup
				leased, endLease := context.WithCancel(t.Context())
				ended.Go(func() { assert.NoError(t, b.sched.HoldLease(leased)) })
				ended.Go(func() { assert.NoError(t, b.sched.Run(ctx)) })
				defer ended.Wait()
				defer endLease()
				defer cancel()
				time.Sleep(100 * time.Millisecond) // it has a lease
				b.playAtRandom(trouble)
			})
		})
	}
}

// twoSweeps is the longest that an app with room may wait.
const twoSweeps = 2*sweepPace + 200*time.Millisecond

func (b *poolBench) playAtRandom(trouble bool) {
	t, rnd := b.t, b.rnd
	calm := time.Now() // since then there was no trouble
	for range 200 {
		kind := rnd.IntN(12)
		if kind >= 4 && kind < 9 && trouble {
			b.trouble(kind)
			calm = time.Now()
		}
		switch {
		case kind < 4:
			n := 1 + rnd.IntN(4)
			if kind == 3 {
				n = 40
			}
			planned := b.plan(n, func() time.Time {
				due := time.Now().Add(time.Duration(rnd.IntN(3000)) * time.Millisecond)
				if trouble && rnd.IntN(5) == 0 {
					due = due.Add(-time.Duration(rnd.IntN(60_000)) * time.Millisecond)
				}
				return due
			})
			if !trouble || rnd.IntN(4) > 0 {
				b.sched.Planned(planned)
			}
		case kind >= 9:
			time.Sleep(time.Duration(rnd.IntN(700)) * time.Millisecond) // in the bubble's own time
		}
		if b.store.away.Load() {
			calm = time.Now()
		}
		synctest.Wait()
		b.requireNoneWaitsWithRoom(calm)
	}
	b.store.away.Store(false)
	calm = time.Now()
	for range 1000 {
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		b.requireNoneWaitsWithRoom(calm)
	}
	require.Empty(t, b.open(time.Time{}))

	runs := map[int]int{}
	for _, s := range b.sender.sent {
		runs[s.n]++
	}
	for n, f := range b.fires {
		want := 1
		if f.elsewhere {
			want = 0
		}
		require.Equal(t, want, runs[n], "runs of fire %d, due %v", f.ID, f.Due)
	}
	if trouble {
		return
	}
	// Runs that begin at the same instant have no order, nor do fires that are due within ringLate
	// of each other.
	earlier, at := map[int64]time.Time{}, map[int64]sentRun{}
	for _, s := range b.sender.sent {
		f := b.fires[s.n]
		if last := at[f.GroupID]; s.at.After(last.at) {
			if due := b.fires[last.n].Due; !last.at.IsZero() && due.After(earlier[f.GroupID]) {
				earlier[f.GroupID] = due
			}
			at[f.GroupID] = s
		} else if f.Due.After(b.fires[last.n].Due) {
			at[f.GroupID] = s
		}
		require.False(t, earlier[f.GroupID].After(f.Due.Add(ringLate)),
			"fire %d of group %d, due %v, began after one due %v", f.ID, f.GroupID, f.Due, earlier[f.GroupID])
	}
}

// trouble does one kind of harm.
func (b *poolBench) trouble(kind int) {
	t, rnd := b.t, b.rnd
	switch kind {
	case 4:
		b.store.away.Store(rnd.IntN(3) == 0)
	case 5: // another node hands one over
		if len(b.fires) == 0 {
			return
		}
		f := b.fires[rnd.IntN(len(b.fires))]
		term, _ := b.sched.Term()
		claimed, err := b.store.Store.ClaimFire(t.Context(), term, f.ID, []*xxladapter.Log{{JobID: f.JobID}})
		if err != nil {
			return // it is not due, has run, or there is no lease
		}
		f.elsewhere = true
		_, err = b.store.SettleFire(t.Context(), term, xxladapter.Settlement{
			FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: xxladapter.ResultOK,
		})
		require.NoError(t, err)
	case 6: // a job moves to another app
		job, err := b.store.Job(t.Context(), b.jobs[rnd.IntN(len(b.jobs))])
		require.NoError(t, err)
		job.GroupID = b.groups[rnd.IntN(len(b.groups))]
		require.NoError(t, xxladapter.UpdateJob(t.Context(), b.store, job, false))
	case 7:
		if rnd.IntN(4) == 0 {
			b.sched.stepDown(b.sched.grant.Load(), "the test wants it")
		}
	case 8:
		b.sched.arrived.Store(true)
		b.sched.Sweep()
	}
}

// open returns the planned fires that are due before an instant; all if it is zero.
func (b *poolBench) open(before time.Time) []xxladapter.Fire {
	b.t.Helper()
	open, err := b.store.Store.OpenFires(b.t.Context(), xxladapter.FireFilter{DueBefore: before})
	require.NoError(b.t, err)
	return open
}

// requireNoneWaitsWithRoom checks that each app whose fires wait has some in the pool, or had one
// sent less than twoSweeps ago.
func (b *poolBench) requireNoneWaitsWithRoom(calm time.Time) {
	b.t.Helper()
	if time.Since(calm) < twoSweeps {
		return
	}
	waiting := b.open(time.Now().Add(-twoSweeps))
	if len(waiting) >= b.sched.page {
		return // those that nobody has reported are found by the round, which takes longer
	}
	inPool := map[int64]bool{}
	for _, l := range b.pool.Loads() {
		inPool[l.GroupID] = true
	}
	began := map[int64]time.Time{} // by job
	b.sender.mu.Lock()
	for _, s := range b.sender.sent {
		began[s.job] = s.at
	}
	b.sender.mu.Unlock()
	last := map[int64]time.Time{} // by group
	for _, f := range waiting {
		if at := began[f.JobID]; at.After(last[f.GroupID]) {
			last[f.GroupID] = at
		}
	}
	for _, f := range waiting {
		n, err := strconv.Atoi(*f.Param)
		require.NoError(b.t, err)
		if time.Since(b.fires[n].planned) > twoSweeps && !inPool[f.GroupID] {
			require.Less(b.t, time.Since(last[f.GroupID]), twoSweeps,
				"fire %d of group %d, due %v ago, waits; in the pool: %v", f.ID, f.GroupID, time.Since(f.Due), b.pool.Loads())
		}
	}
}

// TestAnAppThatHasRoomDoesNotWaitWhenPartitionsArrive has refused fires and room for them when a
// sweep arms all that is planned in new partitions.
func TestAnAppThatHasRoomDoesNotWaitWhenPartitionsArrive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	withPool(t, rnd, 1, time.Second, trigger.PoolOptions{Fast: 2, Queue: 20}, func(b *poolBench) {
		t := b.t
		defer b.sched.ring.stop()
		require.NoError(t, b.sched.renew(t.Context()))
		require.NoError(t, b.sched.sweep(t.Context(), true))
		b.sched.Planned(b.plan(40, time.Now))
		for range 20 {
			time.Sleep(time.Second)
			require.NoError(t, b.sched.renew(t.Context()))
		}
		require.Empty(t, b.pool.Loads(), "all that the pool had has run")
		require.Greater(t, len(b.open(time.Time{})), 20)

		b.sched.arrived.Store(true)
		require.NoError(t, b.sched.sweep(t.Context(), false))
		synctest.Wait()
		require.Equal(t, []trigger.Load{{Pool: "fast", GroupID: b.groups[0], InFlight: 1, Waiting: 10}}, b.pool.Loads())
	})
}

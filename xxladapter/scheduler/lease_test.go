package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A line is a node's way to the store, which can be cut.
type line struct {
	*memstore.Store
	mu     sync.Mutex
	healed chan struct{} // nil means whole

	presence presence
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.healed = make(chan struct{})
}

func (l *line) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.healed)
	l.healed = nil
}

// pass blocks while the line is cut, like a connection with a silent other end.
func (l *line) pass(ctx context.Context) error {
	l.mu.Lock()
	healed := l.healed
	l.mu.Unlock()
	if healed == nil {
		return nil
	}
	select {
	case <-healed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *line) Now(ctx context.Context) (time.Time, error) {
	if err := l.pass(ctx); err != nil {
		return time.Time{}, err
	}
	return l.Store.Now(ctx)
}

func (l *line) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	if err := l.pass(ctx); err != nil {
		return xxladapter.Lease{}, err
	}
	return l.Store.Lease(ctx, node, life)
}

func (l *line) Lead(ctx context.Context, node string, life time.Duration, e xxladapter.Election) (xxladapter.Lease, error) {
	if err := l.pass(ctx); err != nil {
		return xxladapter.Lease{}, err
	}
	return l.Store.Lead(ctx, node, life, e)
}

func (l *line) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	if err := l.pass(ctx); err != nil {
		return err
	}
	return l.Store.Retire(ctx, term, why)
}

func (l *line) Resign(ctx context.Context, term xxladapter.Term) error {
	if err := l.pass(ctx); err != nil {
		return err
	}
	return l.Store.Resign(ctx, term)
}

// A peer is one of several schedulers in a bubble.
type peer struct {
	*Scheduler
	line *line
	pool *fakePool
	stop func()
}

// start lets a further scheduler work on the fixture's store, until stop or the end of the test.
func (b *fixture) start(node string, change func(*Options)) *peer {
	p := &peer{line: &line{Store: b.store}}
	p.pool = &fakePool{store: b.store}
	opts := Options{Store: p.line, Pool: p.pool, Node: node, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&opts)
	}
	sched, err := New(opts)
	require.NoError(b.t, err)
	p.Scheduler, p.pool.term = sched, sched.Term
	ctx, cancel := context.WithCancel(b.t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { _ = sched.HoldLease(ctx) })
	ended.Go(func() { _ = sched.Run(ctx) })
	p.stop = sync.OnceFunc(func() { cancel(); ended.Wait() })
	b.t.Cleanup(p.stop)
	return p
}

// dues counts how often each due time was settled, by the pools of all peers.
func dues(t *testing.T, peers ...*peer) map[int64]int {
	t.Helper()
	seen := map[int64]int{}
	for _, p := range peers {
		for _, g := range p.pool.fires() {
			require.False(t, g.at.Before(g.fire.Due), "early")
			seen[g.fire.Due.UnixMilli()]++
		}
	}
	return seen
}

// once checks that each of the seconds from first on has fired exactly once.
func once(t *testing.T, seen map[int64]int, first time.Time, seconds int) {
	t.Helper()
	for i := range seconds {
		require.Equal(t, 1, seen[first.Add(time.Duration(i)*time.Second).UnixMilli()], "second %d of %d", i, seconds)
	}
}

func TestNodesShareTheWorkAndTakeItOverAtOnce(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		for range xxladapter.Partitions {
			b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		}
		one := b.start("one", nil)
		time.Sleep(2500 * time.Millisecond)
		two := b.start("two", nil)
		time.Sleep(10 * time.Second)
		require.Equal(t, 32, one.Stats().Partitions.Len())
		require.Equal(t, 32, two.Stats().Partitions.Len())
		require.Equal(t, xxladapter.AllPartitions, one.Stats().Partitions|two.Stats().Partitions)
		require.NotEmpty(t, two.pool.fires())
		before := len(two.pool.fires())
		one.stop()
		time.Sleep(10 * time.Second)
		require.Equal(t, xxladapter.AllPartitions, two.Stats().Partitions)
		require.Greater(t, len(two.pool.fires()), before+9*xxladapter.Partitions)
		two.stop()

		seen := map[int64]map[int64]int{}
		for _, p := range []*peer{one, two} {
			for _, g := range p.pool.fires() {
				if seen[g.fire.JobID] == nil {
					seen[g.fire.JobID] = map[int64]int{}
				}
				seen[g.fire.JobID][g.fire.Due.UnixMilli()]++
				require.Less(t, g.at.Sub(g.fire.Due), leasePace+ringTick, "a graceful stop delays by no more than a renewal")
			}
		}
		require.Len(t, seen, xxladapter.Partitions)
		for _, times := range seen {
			once(t, times, start.Truncate(time.Second).Add(time.Second), 22)
		}
	})
}

// TestANodeThatLosesTheStoreStepsDownAndComesBack checks that its due times fire once, from the
// other node, though both have them in their wheels.
func TestANodeThatLosesTheStoreStepsDownAndComesBack(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		for range xxladapter.Partitions {
			b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		}
		one, two := b.start("one", nil), b.start("two", nil)
		time.Sleep(10 * time.Second)
		term := one.Stats().Term
		require.True(t, one.Stats().Holds)
		one.line.cut()
		time.Sleep(leaseLife - leaseMargin)
		require.False(t, one.Stats().Holds, "before the store could give its partitions away")
		_, ok := one.Term()
		require.False(t, ok)
		time.Sleep(20 * time.Second)
		require.Zero(t, one.Held())
		require.Equal(t, xxladapter.AllPartitions, two.Stats().Partitions)

		one.line.heal()
		time.Sleep(10 * time.Second)
		stats := one.Stats()
		require.True(t, stats.Holds)
		require.Greater(t, stats.Term.Number, term.Number)
		require.Equal(t, int64(2), stats.Terms)
		require.Equal(t, 32, stats.Partitions.Len())
		require.NotZero(t, stats.Dropped)
		one.stop()
		two.stop()
		seen := dues(t, one, two)
		for i := range 40 {
			require.Equal(t, xxladapter.Partitions, seen[start.Truncate(time.Second).Add(time.Duration(i+1)*time.Second).UnixMilli()], "second %d", i+1)
		}
	})
}

// TestAClaimOfADeadNodeIsResolvedInTime checks that a claim is resolved within a second after the
// dead node's lease has lapsed.
func TestAClaimOfADeadNodeIsResolvedInTime(t *testing.T) {
	for offset := time.Duration(0); offset < leasePace; offset += leasePace / 8 {
		inBubble(t, func(b *fixture) {
			id := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
			one := b.start("one", nil)
			// Not at the instant of a sweep, which would claim the fire before the node does.
			time.Sleep(3*time.Second + offset + time.Millisecond)
			died := time.Now()
			lost, err := b.store.Lease(b.t.Context(), "node-0", leaseLife)
			require.NoError(t, err)
			planned, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{JobID: id, Due: died}})
			require.NoError(t, err)
			_, err = b.store.ClaimFire(b.t.Context(), lost.Term, planned[0].ID, []*xxladapter.Log{{JobID: id}})
			require.NoError(t, err)
			time.Sleep(leaseLife + time.Second)
			synctest.Wait()
			one.stop()
			require.NotEmpty(t, one.pool.resolved)
			require.GreaterOrEqual(t, one.pool.resolved[0].at.Sub(died), leaseLife, "not while it may live")
		})
	}
}

func TestAFencedNodeDropsEverythingAndRejoins(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		one := b.start("one", nil)
		time.Sleep(2300 * time.Millisecond)
		term, ok := one.Term()
		require.True(t, ok)
		require.NotZero(t, one.Held())
		require.NoError(t, b.store.Resign(b.t.Context(), term))
		one.Fenced(xxladapter.Term{Node: "one", Number: 99}) // news of another term
		_, ok = one.Term()
		require.True(t, ok)
		one.Fenced(term)
		now, ok := one.Term()
		require.False(t, ok && now == term)
		require.NotZero(t, one.Stats().Dropped)
		synctest.Wait()
		again, ok := one.Term()
		require.True(t, ok, "at once")
		require.Greater(t, again.Number, term.Number)
		require.Equal(t, int64(2), one.Stats().Fenced)
		time.Sleep(3 * time.Second)
		one.stop()
		require.Len(t, one.pool.fires(), 5)
	})
}

func TestAStoppedNodeResigns(t *testing.T) {
	inBubble(t, func(b *fixture) {
		one := b.start("one", nil)
		time.Sleep(time.Second)
		term, _ := one.Term()
		one.stop()
		_, err := b.store.ClaimFire(b.t.Context(), term, 1, []*xxladapter.Log{{}})
		require.True(t, errors.Is(err, xxladapter.ErrFenced))
		lease, err := b.store.Lease(b.t.Context(), "two", leaseLife)
		require.NoError(t, err)
		require.Equal(t, xxladapter.AllPartitions, lease.Partitions)
	})
}

// slowLeases gives each lease at once, and says so a while later, unless the call's context ends
// before that.
type slowLeases struct{ *line }

func (s slowLeases) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	lease, err := s.line.Lease(ctx, node, life)
	select {
	case <-ctx.Done():
		return xxladapter.Lease{}, ctx.Err()
	case <-time.After(300 * time.Millisecond):
		return lease, err
	}
}

// TestAStopDuringTheFirstLeaseGivesItBack stops a node when the store has begun its term and has
// not said so yet.
func TestAStopDuringTheFirstLeaseGivesItBack(t *testing.T) {
	inBubble(t, func(b *fixture) {
		p := b.start("a", func(o *Options) { o.Store = slowLeases{o.Store.(*line)} })
		time.Sleep(100 * time.Millisecond)
		leases, err := b.store.Leases(t.Context())
		require.NoError(t, err)
		require.Len(t, leases, 1)
		p.stop()
		leases, err = b.store.Leases(t.Context())
		require.NoError(t, err)
		require.Empty(t, leases)
	})
}

// TestAStopDoesNotWaitForASilentStore checks that a stop ends although neither the partitions nor
// the lease can be given back.
func TestAStopDoesNotWaitForASilentStore(t *testing.T) {
	inBubble(t, func(b *fixture) {
		p := b.start("a", nil)
		time.Sleep(3 * time.Second)
		p.line.cut()
		begun := time.Now()
		p.stop()
		require.LessOrEqual(t, time.Since(begun), 2*leaseTry)
		p.line.heal()
		leases, err := b.store.Leases(t.Context())
		require.NoError(t, err)
		require.Len(t, leases, 1)
	})
}

// TestWhatTheLeaseAllowedIsOnTheWireBeforeItLapses checks that a node that was just allowed to send
// still holds the term when the request leaves, which is some time after the last look at the
// lease.
func TestWhatTheLeaseAllowedIsOnTheWireBeforeItLapses(t *testing.T) {
	const toTheWire = 350 * time.Millisecond
	for offset := time.Duration(0); offset < leasePace; offset += leasePace / 8 {
		inBubble(t, func(b *fixture) {
			one := b.start("one", nil)
			time.Sleep(3*time.Second + offset)
			one.line.cut()
			term, ok := one.Term()
			require.True(t, ok)
			for ok {
				time.Sleep(time.Millisecond)
				_, ok = one.Term()
			}
			time.Sleep(toTheWire - time.Millisecond) // since it was allowed for the last time
			held, err := b.store.Leases(b.t.Context())
			require.NoError(t, err)
			require.Len(t, held, 1)
			require.Equal(t, term, held[0].Term)
			one.line.heal()
			one.stop()
		})
	}
}

func TestAGrantEndsByEitherClock(t *testing.T) {
	now := time.Now()
	require.True(t, (&grant{deadline: now.Add(time.Hour)}).holds())
	require.False(t, (&grant{deadline: now.Add(-time.Millisecond)}).holds())
	require.False(t, (&grant{}).holds())
	// Without a monotonic reading the wall clock decides, as on a machine that slept.
	require.False(t, (&grant{deadline: now.Add(-time.Millisecond).Round(0)}).holds())
}

// TestANodeThatDrainsKeepsItsTermWithoutPartitions checks that the term lasts until what was begun
// is settled, although the scan has ended.
func TestANodeThatDrainsKeepsItsTermWithoutPartitions(t *testing.T) {
	inBubble(t, func(b *fixture) {
		leasing, stopLease := context.WithCancel(b.t.Context())
		running, stop := context.WithCancel(b.t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { _ = b.sched.HoldLease(leasing) })
		time.Sleep(100 * time.Millisecond)
		term, _ := b.sched.Term()
		go stop()
		require.NoError(t, b.sched.Run(running))
		lease, err := b.store.Lease(b.t.Context(), "two", time.Hour)
		require.NoError(t, err)
		require.Equal(t, xxladapter.AllPartitions, lease.Partitions)
		time.Sleep(3 * leaseLife)
		now, ok := b.sched.Term()
		require.True(t, ok)
		require.Equal(t, term, now)
		require.Zero(t, b.sched.Stats().Partitions)
		stopLease()
		ended.Wait()
	})
}

// TestADrainedNodeStaysDrainedInItsNextTerm lets the store be away for longer than a lease: for the
// drained node alone, and for all nodes, of which the drained one is the first to come back.
func TestADrainedNodeStaysDrainedInItsNextTerm(t *testing.T) {
	inBubble(t, func(b *fixture) {
		a, other := b.start("a", nil), b.start("b", nil)
		time.Sleep(2 * time.Second)
		term, ok := a.Term()
		require.True(t, ok)
		require.NoError(t, b.store.Retire(t.Context(), term, xxladapter.MoveDrained))
		time.Sleep(2 * time.Second)
		for terms, cut := range [][]*peer{{a}, {a, other}} {
			for _, p := range cut {
				p.line.cut()
			}
			time.Sleep(2 * leaseLife)
			for _, p := range cut {
				p.line.heal()
				time.Sleep(leasePace)
			}
			time.Sleep(3 * leasePace)
			require.Equal(t, int64(terms)+2, a.Stats().Terms)
			require.Zero(t, a.Stats().Partitions)
			require.False(t, a.Fit())
			require.Equal(t, xxladapter.AllPartitions, other.Stats().Partitions)
		}
	})
}

func TestPartitionsThatComeAreArmedAtOnce(t *testing.T) {
	inBubble(t, func(b *fixture) {
		id := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
		_, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{JobID: id, Due: time.Now().Add(3500 * time.Millisecond), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		one := b.start("one", nil)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, 1, one.Held(), "planned by the former owner of the partition")
		one.stop()
	})
}

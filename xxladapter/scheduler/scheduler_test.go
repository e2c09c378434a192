package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// A fakePool settles the fires that it is given in the store, as a hand-over would, and notes when
// it was given those that it could claim: a sweep may hand out once more what was settled since it
// read the store. A fire whose term ends before it is settled is left to the next term.
type fakePool struct {
	store *memstore.Store
	term  func() (xxladapter.Term, bool)
	full  bool

	mu       sync.Mutex
	fired    []given
	resolved []given
}

type given struct {
	fire xxladapter.Fire
	at   time.Time
}

func (p *fakePool) Fire(f xxladapter.Fire, done func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full {
		return false
	}
	at := time.Now()
	go func() {
		defer done()
		p.settle(f, at)
	}()
	return true
}

func (p *fakePool) settle(f xxladapter.Fire, at time.Time) {
	term, _ := p.term()
	claimed, err := p.store.ClaimFire(context.Background(), term, f.ID, []*xxladapter.Log{{JobID: f.JobID}})
	if err == nil {
		_, err = p.store.SettleFire(context.Background(), term,
			xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: xxladapter.ResultOK})
	}
	if errors.Is(err, xxladapter.ErrConflict) || errors.Is(err, xxladapter.ErrFenced) {
		return
	}
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fired = append(p.fired, given{f, at})
}

func (p *fakePool) Waits() map[int64]time.Duration              { return nil }
func (p *fakePool) Refused() (due time.Time, id int64, ok bool) { return due, 0, false }
func (p *fakePool) Offered(time.Time, int64, *xxladapter.Fire)  {}
func (p *fakePool) Report() (fast, slow xxladapter.PoolReport)  { return fast, slow }

func (p *fakePool) Resolve(f xxladapter.Fire, done func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resolved = append(p.resolved, given{f, time.Now()})
	go done()
	return true
}

func (p *fakePool) setFull(full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = full
}

// fires returns what was fired up to now, in order of due time.
func (p *fakePool) fires() []given {
	p.mu.Lock()
	defer p.mu.Unlock()
	fired := slices.Clone(p.fired)
	slices.SortFunc(fired, func(a, b given) int { return a.fire.Due.Compare(b.fire.Due) })
	return fired
}

// A fixture is a scheduler in a bubble, on a store in memory.
type fixture struct {
	t     *testing.T
	store *memstore.Store
	pool  *fakePool
	sched *Scheduler
	group int64
}

// inBubble runs test with a scheduler that is not running yet.
func inBubble(t *testing.T, test func(b *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		pool := &fakePool{store: store}
		sched, err := New(Options{
			Store: store, Pool: pool, Node: "node-1", Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		pool.term = sched.Term
		group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "some app"})
		require.NoError(t, err)
		test(&fixture{t, store, pool, sched, group})
	})
}

// addJob stores a job that is due first after the given time from now.
func (b *fixture) addJob(kind xxladapter.ScheduleType, conf string, first time.Duration) int64 {
	j := &xxladapter.Job{GroupID: b.group, Name: "some job", Handler: "h", ScheduleType: kind, ScheduleConf: conf}
	j.SetDefaults()
	id, err := xxladapter.CreateJob(b.t.Context(), b.store, j)
	require.NoError(b.t, err)
	require.NoError(b.t, storetest.StartAt(b.t.Context(), b.store, id, time.Now().Add(first)))
	return id
}

// run lets the scheduler work for d, and ends it. A d that is no multiple of any period keeps the
// end apart from due times.
func (b *fixture) run(d time.Duration) {
	ctx, cancel := context.WithCancel(b.t.Context())
	ended := make(chan error, 2)
	go func() { ended <- b.sched.HoldLease(ctx) }()
	go func() { ended <- b.sched.Run(ctx) }()
	time.Sleep(d) // in the bubble's own time
	cancel()
	require.NoError(b.t, <-ended)
	require.NoError(b.t, <-ended)
	synctest.Wait()
}

func TestEveryDueTimeFiresOnceAndNeverEarly(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		second := b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		fast := b.addJob(xxladapter.ScheduleFixRate, "0.1", 100*time.Millisecond)
		rate := b.addJob(xxladapter.ScheduleFixRate, "7", 7*time.Second)
		b.run(59_550 * time.Millisecond)

		seen := map[int64][]time.Duration{}
		for _, g := range b.pool.fires() {
			late := g.at.Sub(g.fire.Due)
			require.GreaterOrEqual(t, late, time.Duration(0), "job %d due %v fired early", g.fire.JobID, g.fire.Due)
			require.LessOrEqual(t, late, ringLate, "job %d due %v", g.fire.JobID, g.fire.Due)
			seen[g.fire.JobID] = append(seen[g.fire.JobID], g.fire.Due.Sub(start))
		}
		require.Equal(t, every(time.Second, 59), seen[second])
		require.Equal(t, every(100*time.Millisecond, 595), seen[fast])
		require.Equal(t, every(7*time.Second, 8), seen[rate])
	})
}

// every returns the first n multiples of period.
func every(period time.Duration, n int) []time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = time.Duration(i+1) * period
	}
	return times
}

// TestRestartFiresWhatWasPlanned simulates a crash between commit and fire: the first scheduler
// commits fires and never hands them out.
func TestRestartFiresWhatWasPlanned(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		require.NoError(t, b.sched.renew(b.t.Context()))
		c, err := b.sched.scan(b.t.Context(), firstClaim)
		require.NoError(t, err)
		require.Equal(t, 1, c.due)
		require.Equal(t, 5, b.sched.Held(), "five due times lie in the window")
		b.sched.ring.stop() // the process is gone, the records stay

		time.Sleep(3 * time.Second)
		restarted, err := New(Options{
			Store: b.store, Pool: b.pool, Node: "node-2", Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		b.sched, b.pool.term = restarted, restarted.Term
		b.run(6500 * time.Millisecond)

		var dues []time.Time
		for _, g := range b.pool.fires() {
			dues = append(dues, g.fire.Due)
			require.False(t, g.at.Before(g.fire.Due))
		}
		require.Len(t, dues, 9, "seconds 1 to 9")
		require.Equal(t, dues, slices.Compact(slices.Clone(dues)), "a due time fired twice")
	})
}

func TestAStoppedJobDoesNotFireWhatWasPlanned(t *testing.T) {
	inBubble(t, func(b *fixture) {
		id := b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		go func() {
			time.Sleep(2500 * time.Millisecond)
			if err := xxladapter.StopJob(context.Background(), b.store, id, time.Time{}); err != nil {
				panic(err)
			}
		}()
		b.run(10 * time.Second)
		logs, err := b.store.Logs(t.Context(), xxladapter.LogFilter{JobID: id})
		require.NoError(t, err)
		require.Len(t, logs, 2)
	})
}

func TestAFireThatFindsNoPlaceWaitsInTheStore(t *testing.T) {
	inBubble(t, func(b *fixture) {
		id := b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		b.pool.setFull(true)
		go func() {
			time.Sleep(4500 * time.Millisecond)
			b.pool.setFull(false)
		}()
		b.run(7500 * time.Millisecond)
		logs, err := b.store.Logs(t.Context(), xxladapter.LogFilter{JobID: id})
		require.NoError(t, err)
		require.Len(t, logs, 7, "the four that found no place fired later")
		for _, g := range b.pool.fires() {
			require.Less(t, g.at.Sub(g.fire.Due), 6*time.Second)
		}
	})
}

func TestWakeBringsTheScanForward(t *testing.T) {
	inBubble(t, func(b *fixture) {
		go func() {
			time.Sleep(1100 * time.Millisecond) // the scan sleeps until second 5
			b.addJob(xxladapter.ScheduleCron, "* * * * * ?", 900*time.Millisecond)
			b.sched.Wake()
		}()
		b.run(3500 * time.Millisecond)
		fired := b.pool.fires()
		require.Len(t, fired, 2)
		require.LessOrEqual(t, fired[0].at.Sub(fired[0].fire.Due), ringLate)
	})
}

// TestCronIsReadInTheSchedulersZone checks nine in the morning in Tokyo, which is midnight in UTC,
// when a bubble begins.
func TestCronIsReadInTheSchedulersZone(t *testing.T) {
	inBubble(t, func(b *fixture) {
		begin := time.Now()
		id := b.addJob(xxladapter.ScheduleCron, "5 0 9 * * ?", 5*time.Second)
		zone, err := time.LoadLocation("Asia/Tokyo")
		require.NoError(b.t, err)
		p := b.start("tokyo", func(o *Options) { o.Zone = zone })
		time.Sleep(10 * time.Second)
		p.stop()
		job, err := b.store.Job(b.t.Context(), id)
		require.NoError(b.t, err)
		require.True(b.t, job.TriggerNext.Equal(begin.Add(24*time.Hour+5*time.Second)), job.TriggerNext)
	})
}

func TestABrokenRowStopsOnlyItsOwnJob(t *testing.T) {
	inBubble(t, func(b *fixture) {
		broken := b.addJob(xxladapter.ScheduleCron, "this is no cron", time.Second)
		good := b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		b.run(3500 * time.Millisecond)

		j, err := b.store.Job(t.Context(), broken)
		require.NoError(t, err)
		require.False(t, j.Running)
		fired := b.pool.fires()
		require.Len(t, fired, 3)
		require.Equal(t, good, fired[0].fire.JobID)
	})
}

func TestTheScanContinuesAtOnceWhenMoreIsDueThanItTakes(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.sched.opts.Limit = 10
		for range 95 {
			b.addJob(xxladapter.ScheduleFixRate, "60", time.Second)
		}
		b.run(1500 * time.Millisecond)
		require.Len(t, b.pool.fires(), 95)
	})
}

func TestClaimedFiresOfADeadNodeAreResolved(t *testing.T) {
	inBubble(t, func(b *fixture) {
		id := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
		ctx := t.Context()
		lost, err := b.store.Lease(ctx, "node-0", leaseLife)
		require.NoError(t, err)
		planned, err := b.store.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual, State: xxladapter.FirePlanned}})
		require.NoError(t, err)
		_, err = b.store.ClaimFire(ctx, lost.Term, planned[0].ID, []*xxladapter.Log{{JobID: id}})
		require.NoError(t, err)

		b.run(3 * time.Second)
		require.Empty(t, b.pool.resolved, "a node that was silent for a moment is not dead")

		b.sched, err = New(b.sched.opts)
		require.NoError(t, err)
		b.run(3 * time.Second)
		require.NotEmpty(t, b.pool.resolved)
		require.Equal(t, planned[0].ID, b.pool.resolved[0].fire.ID)
		require.Equal(t, lost.Term, b.pool.resolved[0].fire.Owner)
	})
}

func TestNewRefusesBadOptions(t *testing.T) {
	all := Options{Store: memstore.New(time.Now), Pool: &fakePool{}, Node: "node-1"}
	for want, change := range map[string]func(o *Options){
		"scheduler: Options.Store is nil, must be set":          func(o *Options) { o.Store = nil },
		"scheduler: Options.Pool is nil, must be set":           func(o *Options) { o.Pool = nil },
		"scheduler: Options.Node is empty, must be set":         func(o *Options) { o.Node = "" },
		"scheduler: Options.Window is 1ms, must be at least 1s": func(o *Options) { o.Window = time.Millisecond },
		"scheduler: Options.Limit is -1, must not be negative":  func(o *Options) { o.Limit = -1 },
	} {
		opts := all
		change(&opts)
		_, err := New(opts)
		require.EqualError(t, err, want)
	}
}

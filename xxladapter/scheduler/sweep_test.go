package scheduler

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A pickyPool takes nothing of one job, as trigger.Pool does when that job's app has no place left.
type pickyPool struct {
	refuses  int64
	mu       sync.Mutex
	fired    map[int64]bool
	resolved map[int64]bool
}

func (p *pickyPool) take(seen map[int64]bool, f xxladapter.Fire, done func()) bool {
	if f.JobID == p.refuses {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	seen[f.ID] = true
	go done()
	return true
}

// has reports whether the pool has taken a fire.
func (p *pickyPool) has(f xxladapter.Fire) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fired[f.ID]
}

// allResolved returns the fires that the pool has taken to be resolved.
func (p *pickyPool) allResolved() map[int64]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.resolved)
}

func (p *pickyPool) Waits() map[int64]time.Duration              { return nil }
func (p *pickyPool) Refused() (due time.Time, id int64, ok bool) { return due, 0, false }
func (p *pickyPool) Offered(time.Time, int64, *xxladapter.Fire)  {}
func (p *pickyPool) Report() (fast, slow xxladapter.PoolReport)  { return fast, slow }

func (p *pickyPool) Fire(f xxladapter.Fire, done func()) bool    { return p.take(p.fired, f, done) }
func (p *pickyPool) Resolve(f xxladapter.Fire, done func()) bool { return p.take(p.resolved, f, done) }

// TestASweepGetsPastWhatThePoolRefuses plans more fires for an app without room than one query of
// the sweep returns.
func TestASweepGetsPastWhatThePoolRefuses(t *testing.T) {
	inBubble(t, func(b *fixture) {
		hangs, answers := b.addJob(xxladapter.ScheduleNone, "", time.Hour), b.addJob(xxladapter.ScheduleNone, "", time.Hour)
		plan := func(job int64, n int) []xxladapter.Fire {
			fires := make([]xxladapter.Fire, n)
			for i := range fires {
				fires[i] = xxladapter.Fire{JobID: job, Due: time.Now().Add(-time.Hour + time.Duration(i)*time.Millisecond), Type: xxladapter.TriggerRetry}
			}
			planned, err := b.store.PlanFires(t.Context(), fires)
			require.NoError(t, err)
			return planned
		}
		lease, err := b.store.Lease(t.Context(), b.sched.opts.Node, leaseLife)
		require.NoError(t, err)
		claimed := map[int64]int64{} // fire by job
		for _, job := range []int64{hangs, answers} {
			fires, err := b.store.ClaimFire(t.Context(), lease.Term, plan(job, 1)[0].ID, []*xxladapter.Log{{JobID: job}})
			require.NoError(t, err)
			_, err = b.store.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{FireID: fires[0].ID, State: xxladapter.FireAmbiguous})
			require.NoError(t, err)
			claimed[job] = fires[0].ID
		}
		plan(hangs, 2*sweepLimit+1)
		time.Sleep(time.Second)
		last, err := b.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: answers, Due: time.Now(), Type: xxladapter.TriggerRetry}})
		require.NoError(t, err)
		late := last[0] // after all of the others

		pool := &pickyPool{refuses: hangs, fired: map[int64]bool{}, resolved: map[int64]bool{}}
		opts := b.sched.opts
		opts.Pool = pool
		sched, err := New(opts)
		require.NoError(t, err)
		defer sched.ring.stop()
		require.NoError(t, sched.renew(b.t.Context()))
		require.NoError(t, sched.sweep(b.t.Context(), true))
		synctest.Wait()
		require.Equal(t, map[int64]bool{late.ID: true}, pool.fired)
		require.Equal(t, map[int64]bool{claimed[answers]: true}, pool.resolved)
		require.Zero(t, sched.Held(), "what was refused is let go")
	})
}

// TestASweepGetsPastWhatStaysOpen has more hand-overs that stay open, as those in a queue do, than
// one query of the sweep returns.
func TestASweepGetsPastWhatStaysOpen(t *testing.T) {
	inBubble(t, func(b *fixture) {
		lease, err := b.store.Lease(t.Context(), b.sched.opts.Node, leaseLife)
		require.NoError(t, err)
		open := map[int64]bool{}
		for range 5 {
			job := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
			planned, err := b.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerRetry}})
			require.NoError(t, err)
			_, err = b.store.ClaimFire(t.Context(), lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: job}})
			require.NoError(t, err)
			open[planned[0].ID] = true
		}
		pool := &pickyPool{fired: map[int64]bool{}, resolved: map[int64]bool{}}
		opts := b.sched.opts
		opts.Pool = pool
		sched, err := New(opts)
		require.NoError(t, err)
		defer sched.ring.stop()
		sched.page = 2
		require.NoError(t, sched.renew(b.t.Context()))
		for range 2 { // from the beginning to the end
			clear(pool.resolved)
			for range 3 {
				require.NoError(t, sched.sweep(b.t.Context(), true))
				synctest.Wait()
			}
			require.Equal(t, open, pool.resolved)
		}
	})
}

// TestANodeThatOnlyHoldsItsPartitionsHoldsNothingUp has a second node that plans once and then does
// nothing but renew its lease.
func TestANodeThatOnlyHoldsItsPartitionsHoldsNothingUp(t *testing.T) {
	inBubble(t, func(b *fixture) {
		ctx := t.Context()
		jobs := map[int64]int{}
		for range xxladapter.Partitions { // one in each
			jobs[b.addJob(xxladapter.ScheduleFixRate, "1", 2*time.Second)] = 0
		}
		for range 2 {
			for _, node := range []string{"idler", b.sched.opts.Node} {
				_, err := b.store.Lease(ctx, node, leaseLife)
				require.NoError(t, err)
			}
		}
		lease, err := b.store.Lease(ctx, "idler", leaseLife)
		require.NoError(t, err)
		require.Equal(t, 32, lease.Partitions.Len())
		planned, _, err := b.store.ClaimDue(ctx, lease.Term, 5*time.Second, 100, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			return b.sched.decideAll(now, DefaultWindow, due)
		})
		require.NoError(t, err)
		require.NotEmpty(t, planned)

		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for renew := time.NewTicker(time.Second); ; {
				select {
				case <-stop:
					return
				case <-renew.C:
					_, _ = b.store.Lease(ctx, "idler", leaseLife)
				}
			}
		}()
		b.run(20_550 * time.Millisecond)
		for _, g := range b.pool.fires() {
			jobs[g.fire.JobID]++
			late := g.at.Sub(g.fire.Due)
			require.LessOrEqual(t, late, orphanAge+sweepPace+ringLate, "job %d due %v", g.fire.JobID, g.fire.Due)
		}
		for id, n := range jobs {
			require.GreaterOrEqual(t, n, 17, "job %d, of 19 due times, the last two of which may come late", id)
		}
	})
}

// TestASweepResolvesALostClaimAtOnce has two claims of the node's own term that nobody holds.
// Whether the shards of a broadcast are being sent does not show by their ids, so those wait.
func TestASweepResolvesALostClaimAtOnce(t *testing.T) {
	inBubble(t, func(b *fixture) {
		ctx := b.t.Context()
		require.NoError(t, b.sched.renew(ctx))
		term, ok := b.sched.Term()
		require.True(t, ok)
		claim := func(shards int) []xxladapter.Fire {
			job := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
			planned, err := b.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)
			logs := make([]*xxladapter.Log, shards)
			for i := range logs {
				logs[i] = &xxladapter.Log{JobID: job}
			}
			claimed, err := b.store.ClaimFire(ctx, term, planned[0].ID, logs)
			require.NoError(t, err)
			return claimed
		}
		lost, sent, broadcast := claim(1)[0], claim(1)[0], claim(2)
		require.NotNil(t, b.sched.ring.hold(sent, nil))
		resolved := func() []int64 {
			time.Sleep(time.Millisecond)
			require.NoError(t, b.sched.sweep(ctx, true))
			synctest.Wait()
			b.pool.mu.Lock()
			defer b.pool.mu.Unlock()
			var ids []int64
			for _, g := range b.pool.resolved {
				ids = append(ids, g.fire.ID)
			}
			b.pool.resolved = nil
			return ids
		}
		require.Equal(t, []int64{lost.ID}, resolved())
		for range 11 {
			time.Sleep(time.Second)
			require.NoError(t, b.sched.renew(ctx))
		}
		require.ElementsMatch(t, []int64{lost.ID, broadcast[0].ID, broadcast[1].ID}, resolved())
		b.sched.ring.stop()
	})
}

// forgetfulStore loses the answer to a scan that has happened.
type forgetfulStore struct {
	*memstore.Store
	lost bool
}

func (s *forgetfulStore) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	planned, claimed, err := s.Store.ClaimDue(ctx, by, ahead, limit, decide)
	if claimed > 0 && !s.lost {
		s.lost = true
		return nil, 0, xxladapter.ErrInDoubt
	}
	return planned, claimed, err
}

// TestAScanWhoseAnswerWasLostDelaysNothing checks that what the scan planned is armed, and fires
// when it is due.
func TestAScanWhoseAnswerWasLostDelaysNothing(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.sched.opts.Store = &forgetfulStore{Store: b.store}
		b.addJob(xxladapter.ScheduleFixRate, "10", 2500*time.Millisecond)
		b.run(4 * time.Second)
		fires := b.pool.fires()
		require.Len(t, fires, 1)
		require.LessOrEqual(t, fires[0].at.Sub(fires[0].fire.Due), ringLate)
	})
}

// TestAFireThatOthersPlannedIsFoundWithinASecond checks that the fire is found also by a node that
// has had nothing to sweep for a while.
func TestAFireThatOthersPlannedIsFoundWithinASecond(t *testing.T) {
	for offset := time.Duration(0); offset < sweepPace; offset += sweepPace / 8 {
		inBubble(t, func(b *fixture) {
			id := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
			one := b.start("one", nil)
			time.Sleep(5*time.Second + offset)
			due := time.Now()
			_, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{JobID: id, Due: due, Type: xxladapter.TriggerParent}})
			require.NoError(t, err)
			time.Sleep(sweepPace)
			synctest.Wait()
			one.stop()
			fired := one.pool.fires()
			require.Len(t, fired, 1)
		})
	}
}

// slowOnce is a line whose next Now takes 50 ms once slow is set.
type slowOnce struct {
	*line
	slow atomic.Bool
}

func (l *slowOnce) Now(ctx context.Context) (time.Time, error) {
	if l.slow.Swap(false) {
		time.Sleep(50 * time.Millisecond) // in a bubble
	}
	return l.line.Now(ctx)
}

// TestASweepDuringARenewalArmsWhatArrives has a node get partitions while its sweep waits for the
// store. What their former owner had planned is armed at once: it is due between two sweeps, so a
// sweep that finds it due is too late.
func TestASweepDuringARenewalArmsWhatArrives(t *testing.T) {
	inBubble(t, func(b *fixture) {
		for range xxladapter.Partitions {
			b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		}
		time.Sleep(300 * time.Millisecond) // the sweeps by the clock follow at this part of each second
		one := b.start("one", nil)
		var slow *slowOnce
		two := b.start("two", func(o *Options) {
			slow = &slowOnce{line: o.Store.(*line)}
			o.Store = slow
		})
		time.Sleep(10*time.Second + 200*time.Millisecond)
		term, _ := one.Term()
		require.NoError(t, b.store.Retire(b.t.Context(), term, xxladapter.MoveDrained))
		slow.slow.Store(true)
		two.Sweep()
		synctest.Wait() // it waits for the store
		two.Renew()
		synctest.Wait()
		require.Equal(t, xxladapter.AllPartitions, two.Stats().Partitions)
		moved := time.Now()
		time.Sleep(3*time.Second - 200*time.Millisecond) // so that nothing is due when the nodes stop
		require.LessOrEqual(t, two.latest(moved), ringLate)
	})
}

package scheduler

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A countingStore counts the fires that it lists.
type countingStore struct {
	*memstore.Store
	mu   sync.Mutex
	rows int
}

func (s *countingStore) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	fires, err := s.Store.OpenFires(ctx, f)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows += len(fires)
	return fires, err
}

func (s *countingStore) take() (rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, s.rows = s.rows, 0
	return rows
}

// A fullPool takes as many fires of one job as it has room for, and none while there are refused
// fires that have not been offered.
type fullPool struct {
	pickyPool
	room    int
	refused []xxladapter.Fire
}

func (p *fullPool) Fire(f xxladapter.Fire, done func()) bool {
	if f.JobID == p.refuses {
		if p.room == 0 || len(p.refused) > 0 {
			return false
		}
		p.room--
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fired[f.ID] = true
	return true // it is never done
}

func (p *fullPool) Refused() (due time.Time, id int64, ok bool) {
	if p.room == 0 || len(p.refused) == 0 {
		return due, 0, false
	}
	return p.refused[0].Due, p.refused[0].ID, true
}

func (p *fullPool) Offered(time.Time, int64, *xxladapter.Fire) { p.refused = nil }
func (p *fullPool) Report() (fast, slow xxladapter.PoolReport) { return fast, slow }

// sweeps returns a scheduler with another pool, which reads page fires in a query. sweep lets it
// sweep, by the clock if tick is true, and returns how many fires it has read.
func (b *fixture) sweeps(pool Pool, page int) (sched *Scheduler, sweep func(tick bool) int) {
	store := &countingStore{Store: b.store}
	opts := b.sched.opts
	opts.Pool, opts.Store = pool, store
	sched, err := New(opts)
	require.NoError(b.t, err)
	b.t.Cleanup(sched.ring.stop)
	sched.page = page
	return sched, func(tick bool) int {
		require.NoError(b.t, sched.renew(b.t.Context()))
		store.take()
		require.NoError(b.t, sched.sweep(b.t.Context(), tick))
		synctest.Wait()
		return store.take()
	}
}

// retry plans a retry of a job. due is counted from now.
func (b *fixture) retry(job int64, due time.Duration) xxladapter.Fire {
	planned, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{
		JobID: job, Due: time.Now().Add(due), Type: xxladapter.TriggerRetry,
	}})
	require.NoError(b.t, err)
	return planned[0]
}

// TestASweepBesideABacklogReadsWhatCanHaveChanged checks sweeps beside a job that the pool refuses
// and that has more open fires than a query takes.
func TestASweepBesideABacklogReadsWhatCanHaveChanged(t *testing.T) {
	inBubble(t, func(b *fixture) {
		t := b.t
		ctx := t.Context()
		hangs, answers := b.addJob(xxladapter.ScheduleNone, "", time.Hour), b.addJob(xxladapter.ScheduleNone, "", time.Hour)
		const queries, page = 4, 500
		fires := make([]xxladapter.Fire, queries*page)
		for i := range fires {
			fires[i] = xxladapter.Fire{JobID: hangs, Due: time.Now().Add(-time.Hour + time.Duration(i)*time.Millisecond), Type: xxladapter.TriggerCron}
		}
		backlog, err := b.store.PlanFires(ctx, fires)
		require.NoError(t, err)
		pool := &fullPool{pickyPool: pickyPool{refuses: hangs, fired: map[int64]bool{}, resolved: map[int64]bool{}}}
		sched, sweep := b.sweeps(pool, page)
		plan := func(due time.Duration) xxladapter.Fire { return b.retry(answers, due) }
		require.Greater(t, sweep(true), len(backlog), "partitions have come: all is read once")

		lost := plan(-30 * time.Minute) // nobody reports this one
		for range 3 {
			time.Sleep(time.Second)
			retry, later := plan(0), plan(300*time.Millisecond)
			require.LessOrEqual(t, sweep(true), page+100)
			require.True(t, pool.has(retry), "a retry of another job does not wait behind the backlog")
			time.Sleep(300 * time.Millisecond)
			require.LessOrEqual(t, sweep(false), 100, "and what is asked for between reads none of it")
			require.True(t, pool.has(later))
		}

		// Refused fires are read again, from the first one on, once there is room.
		pool.refused, pool.room = backlog[2*page:], 100
		require.LessOrEqual(t, sweep(false), page+100)
		for i, f := range backlog {
			require.Equal(t, i/page == 2 && i%page < 100, pool.has(f), i)
		}

		// A fire whose hand-over was interrupted is tried again in the next sweep by the clock.
		again := plan(-40 * time.Minute)
		sched.Again(again)
		sweep(false)
		require.False(t, pool.has(again))
		sweep(true)
		require.True(t, pool.has(again))

		for range 2 { // rounds; each passes everything
			for range queries + 1 {
				time.Sleep(time.Second)
				sweep(true)
			}
			require.True(t, pool.has(lost))
			lost = plan(-2 * time.Hour) // before all others
		}
	})
}

// TestASweepThatIsAskedForReadsWhatBecameDueSince checks sweeps that follow one another closely
// beside a backlog of the last seconds. Sweeps by the clock find what was planned too late.
func TestASweepThatIsAskedForReadsWhatBecameDueSince(t *testing.T) {
	inBubble(t, func(b *fixture) {
		t := b.t
		hangs, answers := b.addJob(xxladapter.ScheduleNone, "", time.Hour), b.addJob(xxladapter.ScheduleNone, "", time.Hour)
		const page, waiting = 100, 1000
		for i := range waiting {
			b.retry(hangs, -4*time.Second+time.Duration(i)*time.Millisecond)
		}
		pool := &pickyPool{refuses: hangs, fired: map[int64]bool{}, resolved: map[int64]bool{}}
		_, sweep := b.sweeps(pool, page)
		sweep(true) // partitions have come
		require.Greater(t, sweep(true), waiting, "a sweep by the clock reaches back")
		soon := b.retry(answers, time.Millisecond)
		time.Sleep(100 * time.Millisecond)
		late := b.retry(answers, -freshOverlap+time.Millisecond)
		for range 8 {
			require.LessOrEqual(t, sweep(false), 10)
			require.True(t, pool.has(soon))
			soon = b.retry(answers, 100*time.Millisecond)
			time.Sleep(100 * time.Millisecond)
		}
		require.False(t, pool.has(late))
		sweep(true)
		require.True(t, pool.has(late))
		require.True(t, pool.has(soon))
	})
}

// TestRefusedFiresOfOthersAreForgotten checks a node that has nothing to offer: what its pool has
// refused was handed over elsewhere, and must not hold up later fires.
func TestRefusedFiresOfOthersAreForgotten(t *testing.T) {
	for name, standsBy := range map[string]bool{"no fire is open": false, "it stands by": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *fixture) {
				t := b.t
				job := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
				pool := &fullPool{
					pickyPool: pickyPool{refuses: job, fired: map[int64]bool{}, resolved: map[int64]bool{}},
					room:      1, refused: []xxladapter.Fire{{ID: 1, JobID: job, Due: time.Now()}},
				}
				opts := b.sched.opts
				opts.Pool = pool
				if standsBy {
					inLeaderMode(&opts)
					leader := b.start("leader", inLeaderMode)
					defer leader.stop()
					time.Sleep(100 * time.Millisecond) // it leads
					_, err := b.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
					require.NoError(t, err)
				}
				sched, err := New(opts)
				require.NoError(t, err)
				defer sched.ring.stop()
				require.NoError(t, sched.renew(t.Context()))
				require.NoError(t, sched.sweep(t.Context(), true))
				require.Empty(t, pool.refused)
			})
		})
	}
}

package scheduler

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A partlyFullPool takes nothing of some jobs while it is full.
type partlyFullPool struct {
	*fakePool
	refused map[int64]bool
	full    atomic.Bool
}

func (p *partlyFullPool) Fire(f xxladapter.Fire, done func()) bool {
	if p.full.Load() && p.refused[f.JobID] {
		return false
	}
	return p.fakePool.Fire(f, done)
}

// TestAnAppThatIsBehindGetsNoMoreFires lets the pool take nothing of some jobs for a minute. What
// is planned for them is bounded, every due time is fired or recorded as missed, another job
// notices nothing, and afterwards all is as before.
func TestAnAppThatIsBehindGetsNoMoreFires(t *testing.T) {
	inBubble(t, func(b *fixture) {
		const jobs, stuck, after, first = 20, 60 * time.Second, 30 * time.Second, 2 * time.Second
		pool := &partlyFullPool{fakePool: b.pool, refused: map[int64]bool{}}
		b.sched.opts.Pool, b.sched.ring.fire = pool, pool.Fire
		began := time.Now()
		for range jobs {
			pool.refused[b.addJob(xxladapter.ScheduleFixRate, "1", first)] = true
		}
		other := b.addJob(xxladapter.ScheduleFixRate, "1", first)
		pool.full.Store(true)
		var planned atomic.Int64 // the most at any second
		for at := time.Second; at <= stuck; at += time.Second {
			time.AfterFunc(at, func() {
				open, err := b.store.OpenFires(t.Context(), xxladapter.FireFilter{State: xxladapter.FirePlanned})
				assert.NoError(b.t, err)
				planned.Store(max(planned.Load(), int64(len(open))))
			})
		}
		time.AfterFunc(stuck, func() { pool.full.Store(false) })
		b.run(stuck + after + 500*time.Millisecond)

		window := int(xxladapter.BehindAfter/time.Second + DefaultWindow/time.Second)
		require.LessOrEqual(b.t, int(planned.Load()), (jobs+1)*(window+3), "a pace of scans more at each end")
		type dueTime struct {
			job int64
			due time.Duration
		}
		became := map[dueTime]int{}
		for _, g := range pool.fires() {
			due := g.fire.Due.Sub(began)
			became[dueTime{g.fire.JobID, due}]++
			if g.fire.JobID == other || due > stuck+DefaultWindow {
				require.LessOrEqual(b.t, g.at.Sub(g.fire.Due), ringLate, "job %d at %v", g.fire.JobID, due)
			}
		}
		missed, err := b.store.Misfires(b.t.Context(), xxladapter.MisfireFilter{})
		require.NoError(b.t, err)
		require.NotEmpty(b.t, missed)
		for _, m := range missed {
			require.True(b.t, pool.refused[m.JobID])
			for at := m.Due; !at.After(m.Until); at = at.Add(time.Second) {
				became[dueTime{m.JobID, at.Sub(began)}]++
			}
		}
		for due := first; due <= stuck+after; due += time.Second {
			require.Equal(b.t, 1, became[dueTime{other, due}], due)
			for job := range pool.refused {
				require.Equal(b.t, 1, became[dueTime{job, due}], "job %d at %v", job, due)
			}
		}
	})
}

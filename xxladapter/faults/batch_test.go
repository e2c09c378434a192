//go:build linux

package faults

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestBatchesOfRunsBreak runs jobs that are due together, so that their runs share requests. Some
// requests are cut before any run is accepted, or after some or all of them are accepted, and some
// replies mention only a part of what was accepted. Every run still happens, and none happens
// twice. In the meantime schedulers are killed. Requests are whole again before the jobs are
// stopped: a run whose request was cut is in doubt for seconds, and would rightly arrive long after
// the stop.
func TestBatchesOfRunsBreak(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		r := random(t)
		c := newCluster(t, e)
		var whole atomic.Bool
		for _, w := range c.seen {
			var mu sync.Mutex
			dice := rand.New(rand.NewPCG(r.Uint64(), 0))
			w.broken = func(n int) (accepted, mentioned int) {
				if whole.Load() {
					return n, n
				}
				mu.Lock()
				defer mu.Unlock()
				switch accepted = dice.IntN(n + 1); dice.IntN(8) {
				case 0:
					return accepted, -1
				case 1:
					return accepted, dice.IntN(accepted + 1)
				}
				return n, n
			}
		}
		c.addJobs(pick(60, *jobs), everySecond, nil)
		for range rounds(3, 100) {
			pause(between(r, 2*time.Second, 4*time.Second))
			victim := c.nodes[r.IntN(len(c.nodes))]
			victim.kill()
			victim.start()
		}
		whole.Store(true)
		pause(resolved())
		report := c.judge(checker.Options{Epsilon: resolved()})
		require.Positive(t, report.Matched)
		batches := int64(0)
		for _, w := range c.seen {
			batches += w.batches.Load()
		}
		t.Logf("%d runs, %d batches", report.Matched, batches)
		require.Greater(t, batches, int64(20), "too little was tried")
	})
}

//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
)

// TestFrozenAndWoken stops a scheduler with SIGSTOP while it holds fires that
// are due during the freeze, and perhaps the schedule lock, and wakes it after
// the others have taken over. What it held fires once, from its successor; what
// it had claimed is resolved; and when it wakes it does no harm.
func TestFrozenAndWoken(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(pick(60, 2000), mixed, nil)
		c.waitForRuns(60)
		for range pick(2, 40) {
			victim := c.nodes[r.IntN(len(c.nodes))]
			victim.freeze()
			pause(between(r, 7*time.Second, pick(9*time.Second, 60*time.Second)))
			victim.thaw()
			pause(between(r, time.Second, 3*time.Second))
		}
		pause(takeover())
		// The schedule lock comes free after its idle limit of ten seconds at
		// the latest, and the scan that waited for it goes on from there.
		c.judge(checker.Options{Epsilon: lockIdleLimit + takeover()})
	})
}

// lockIdleLimit is how long a frozen holder keeps the schedule lock at most.
const lockIdleLimit = 10 * time.Second

//go:build linux

package faults

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// takeover is how late a fire may be because the scheduler that held it died:
// XXL-JOB's window of five seconds, beyond which it would be a misfire, and the
// hand-over itself.
//
// A short run shares the machine with the tests of other packages, under the
// race detector, and allows twice as much.
func takeover() time.Duration { return pick(12*time.Second, 6*time.Second) }

// TestKilledAtAnyMoment kills schedulers with SIGKILL, at random instants.
// Since due times are read five seconds ahead, every kill hits fires that are
// committed and not sent.
func TestKilledAtAnyMoment(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(pick(60, 2000), mixed, nil)
		for range pick(4, 300) {
			victim := c.nodes[r.IntN(len(c.nodes))]
			pause(between(r, 200*time.Millisecond, 2*time.Second))
			victim.kill()
			if len(c.nodes) > 1 {
				pause(between(r, 0, 2*time.Second)) // the others go on meanwhile
			}
			victim.start()
		}
		pause(takeover())
		c.judge(checker.Options{Epsilon: takeover()})
	})
}

// resolved is how late a run may be whose hand-over a killed scheduler had begun:
// its successor acts when the lease has lapsed, which takes four seconds, and
// may be killed in the middle of that itself.
func resolved() time.Duration { return pick(20*time.Second, 30*time.Second) }

// TestKilledAfterTheRequestWasSent kills every scheduler when a run request
// has arrived and before it is answered, so that nobody has recorded what
// became of it. The runs go on for so long that no result tells either.
func TestKilledAfterTheRequestWasSent(t *testing.T) {
	for _, policy := range []xxladapter.AmbiguousPolicy{xxladapter.AmbiguousProbe, xxladapter.AmbiguousSkip} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			onEachEngine(t, func(t *testing.T, e engine) {
				c := newCluster(t, e)
				var (
					armed atomic.Bool
					once  sync.Mutex
				)
				hit := make(chan int64)
				for _, w := range c.seen {
					w.silent.Store(true)
					w.arrived = func(req *wire.RunRequest) {
						if !armed.Load() {
							return
						}
						once.Lock()
						defer once.Unlock()
						if armed.Swap(false) {
							for _, n := range c.nodes {
								n.kill()
							}
							hit <- int64(req.LogID)
						}
					}
				}
				c.addJobs(30, mixed, map[string]any{"settings": map[string]any{"ambiguous": policy}})
				rounds := pick(3, 200)
				for range rounds {
					c.waitForRuns(10)
					armed.Store(true)
					<-hit
					for _, n := range c.nodes {
						n.start()
					}
				}
				pause(resolved())
				for _, w := range c.seen {
					w.silent.Store(false)
				}
				c.judge(checker.Options{Epsilon: resolved()})
			})
		})
	}
}

//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestStoppedInTurn stops one scheduler after the other with SIGTERM, under load, and starts each
// again. Nothing is lost, and a stop delays no run by more than stopDelay.
func TestStoppedInTurn(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		var slowest time.Duration
		for round := range rounds(6, 200) {
			n := c.nodes[round%len(c.nodes)]
			slowest = max(slowest, n.stop())
			n.start()
			pause(between(r, 500*time.Millisecond, 1500*time.Millisecond))
		}
		require.Less(t, slowest, drainLimit)
		t.Logf("slowest stop: %v", slowest.Round(time.Millisecond))
		pause(stopDelay())
		c.judge(checker.Options{Epsilon: stopDelay()})
	})
}

// stopDelay is how much a stop may delay a run. It is longer outside of a soak, because schedulers
// of other tests then start at the same time.
func stopDelay() time.Duration { return pick(2*time.Second, time.Second) }

// drainLimit is how long a stop may wait for hand-overs in flight.
const drainLimit = 11 * time.Second

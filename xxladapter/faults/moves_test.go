//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestWhyPartitionsMoved stops, drains, freezes and kills schedulers, and checks that the others
// report why each has lost its partitions.
func TestWhyPartitionsMoved(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		c := newCluster(t, e)
		type state struct {
			Moves []struct {
				Cause, Node string
				Partitions  int
			}
		}
		ask := func() (s state) {
			c.must("GET", "/nodes", nil, &s)
			return s
		}
		moved := func(cause string) {
			t.Helper()
			var s state
			testserver.Eventually(t, 30*time.Second, "the latest move is that one "+cause, func() bool {
				s = ask()
				return s.Moves[0].Cause == cause
			})
			require.InDelta(t, 21, s.Moves[0].Partitions, 1)
		}
		last := c.nodes[2]
		c.waitForParts()
		require.Equal(t, "joined", ask().Moves[0].Cause)

		last.stop()
		moved("stopped")
		last.start()
		c.waitForParts()
		pause(watched)
		last.freeze()
		moved("lapsed")
		last.thaw()
		c.waitForParts()
		pause(watched)
		last.kill()
		moved("died")
		last.start()
		c.waitForParts()
		c.must("POST", "/nodes/drain", map[string]string{"node": ask().Moves[0].Node}, nil)
		moved("drained")
	})
}

//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestWhyShardsMoved stops, drains, freezes and kills schedulers, and the others tell why each has
// lost its shards.
func TestWhyShardsMoved(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		c := newCluster(t, e)
		type state struct {
			Nodes []struct {
				Node   string
				Shards int
			}
			Moves []struct {
				Cause, Node string
				Shards      int
			}
		}
		ask := func() (s state) {
			c.must("GET", "/nodes", nil, &s)
			return s
		}
		all := func(n int) {
			t.Helper()
			eventually(t, 30*time.Second, "each scheduler has its part", func() bool {
				s, least := ask(), 64
				for _, node := range s.Nodes {
					least = min(least, node.Shards)
				}
				return len(s.Nodes) == n && least >= 64/n
			})
		}
		moved := func(cause string) {
			t.Helper()
			var s state
			eventually(t, 30*time.Second, "the latest move is that one "+cause, func() bool {
				s = ask()
				return s.Moves[0].Cause == cause
			})
			require.InDelta(t, 21, s.Moves[0].Shards, 1)
		}
		last := c.nodes[2]
		all(3)
		require.Equal(t, "joined", ask().Moves[0].Cause)

		last.stop()
		moved("stopped")
		last.start()
		all(3)
		pause(leaseLapse) // until its session is watched
		last.freeze()
		moved("lapsed")
		last.thaw()
		all(3)
		pause(leaseLapse)
		last.kill()
		moved("died")
		last.start()
		all(3)
		c.must("POST", "/nodes/drain", map[string]string{"node": ask().Moves[0].Node}, nil)
		moved("drained")
	})
}

package scheduler

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An election is what the elector says of one node. The test sets it.
type election struct{ atomic.Int64 }

func (e *election) option(o *Options) {
	inLeaderMode(o)
	o.Election = func() xxladapter.Election { return xxladapter.Election(e.Load()) }
}

// elect sets what the elector says of a node, and has the node renew its lease at once.
func (e *election) elect(p *peer, says xxladapter.Election) {
	e.Store(int64(says))
	p.Renew()
	time.Sleep(time.Millisecond) // in a bubble
}

// TestTheElectedNodeLeads elects one of two nodes, then the other. Then the elector goes away and
// the leader is cut off from the store. Each due time fires once.
func TestTheElectedNodeLeads(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		var first, second election
		first.Store(int64(xxladapter.ElectionWaits))
		second.Store(int64(xxladapter.ElectionWaits))
		one, two := b.start("one", first.option), b.start("two", second.option)
		time.Sleep(2*time.Second + 100*time.Millisecond)
		require.Equal(t, xxladapter.NodeStandby, one.Stats().Role)
		require.Equal(t, xxladapter.NodeStandby, two.Stats().Role)
		require.True(t, two.Fit())

		second.elect(two, 5)
		start := time.Now()
		require.Same(t, two, leading(t, one, two))
		time.Sleep(5 * time.Second)
		require.Empty(t, one.pool.fires())
		planned := len(two.pool.fires())
		require.NotZero(t, planned)

		first.elect(one, 9)
		time.Sleep(2 * leasePace)
		require.Same(t, one, leading(t, one, two), "although the other one lives and was elected before")
		second.elect(two, xxladapter.ElectionAway)
		first.elect(one, xxladapter.ElectionAway)
		time.Sleep(2 * leasePace)
		require.Same(t, one, leading(t, one, two), "it continues under its lease")

		one.line.cut()
		time.Sleep(leaseLife + leasePace)
		require.False(t, one.Fit(), "it should not be elected")
		require.Same(t, two, leading(t, one, two), "the store decides")
		time.Sleep(3 * time.Second)
		seconds := int(time.Since(start).Seconds()) - 1 // the current one may be on its way
		once(t, dues(t, one, two), start.Truncate(time.Second).Add(time.Second), seconds)
	})
}

// TestADrainedNodeIsNotFit lets an operator take the partitions.
func TestADrainedNodeIsNotFit(t *testing.T) {
	inBubble(t, func(b *fixture) {
		one := b.start("one", inLeaderMode)
		b.start("two", inLeaderMode) // the last one is not drained
		time.Sleep(100 * time.Millisecond)
		require.True(t, one.Fit())
		require.NoError(t, b.store.Retire(t.Context(), one.Stats().Term, xxladapter.MoveDrained))
		time.Sleep(leasePace)
		require.False(t, one.Fit())
	})
}

package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// leading returns the peer that leads, and fails unless exactly one of those with a lease does.
func leading(t *testing.T, peers ...*peer) *peer {
	t.Helper()
	var leader *peer
	for _, p := range peers {
		switch stats := p.Stats(); {
		case !stats.Holds:
		case stats.Role == xxladapter.NodeLeads:
			require.Nil(t, leader, "two lead")
			leader = p
		default:
			require.Equal(t, xxladapter.NodeStandby, stats.Role)
		}
	}
	require.NotNil(t, leader, "nobody leads")
	return leader
}

func inLeaderMode(o *Options) { o.Mode = xxladapter.SchedulingLeader }

// TestOneNodeLeads kills, stops and cuts off leaders: another node takes all jobs each time, and
// each due time fires once.
func TestOneNodeLeads(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		one := b.start("one", inLeaderMode)
		time.Sleep(100 * time.Millisecond)
		two, three := b.start("two", inLeaderMode), b.start("three", inLeaderMode)
		time.Sleep(10400 * time.Millisecond)
		require.Same(t, one, leading(t, one, two, three))
		require.Empty(t, two.pool.fires())
		require.Empty(t, three.pool.fires())

		one.stop()
		time.Sleep(100 * time.Millisecond)
		next := leading(t, two, three) // at once
		time.Sleep(10 * time.Second)
		require.Same(t, next, leading(t, two, three))

		next.line.cut()
		time.Sleep(leaseLife + leasePace)
		_, holds := next.Term()
		require.False(t, holds)
		last := leading(t, two, three)
		require.NotSame(t, next, last)
		next.line.heal()
		time.Sleep(5 * time.Second)
		require.Same(t, last, leading(t, two, three), "it stands by")

		last.line.presence.end(true)
		last.line.cut()
		time.Sleep(leaseLife + leasePace)
		require.Same(t, next, leading(t, two, three))
		time.Sleep(3 * time.Second)
		seconds := int(time.Since(start).Seconds()) - 1 // the current one may be on its way
		once(t, dues(t, one, two, three), start.Add(time.Second), seconds)
	})
}

// TestAStandbyHandsOverWhatTheLeaderDelays gives the leader no place for its fires: another node
// hands over what is late, without taking the lead.
func TestAStandbyHandsOverWhatTheLeaderDelays(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		one := b.start("one", inLeaderMode)
		time.Sleep(100 * time.Millisecond)
		two := b.start("two", inLeaderMode)
		time.Sleep(10400 * time.Millisecond)
		require.Empty(t, two.pool.fires())
		one.pool.setFull(true)
		time.Sleep(5 * time.Second)
		require.Same(t, one, leading(t, one, two))
		fires := two.pool.fires()
		require.NotEmpty(t, fires)
		for _, g := range fires {
			require.LessOrEqual(t, g.at.Sub(g.fire.Due), orphanAge+sweepPace)
		}
	})
}

// TestAStandbyWatchesTheLeadersPresence ends the presence of a leader: a standby notices it.
func TestAStandbyWatchesTheLeadersPresence(t *testing.T) {
	inBubble(t, func(b *fixture) {
		one := b.start("one", inLeaderMode)
		time.Sleep(100 * time.Millisecond)
		two := b.start("two", inLeaderMode)
		time.Sleep(5 * time.Second)
		one.line.presence.end(false)
		time.Sleep(100 * time.Millisecond)
		require.Equal(t, int64(1), two.Stats().PresencesEnded)

		one.stop()
		time.Sleep(2 * leasePace)
		three := b.start("three", inLeaderMode)
		time.Sleep(2 * trustAgain)
		require.Same(t, two, leading(t, two, three))
		two.line.presence.end(false)
		time.Sleep(100 * time.Millisecond)
		require.Equal(t, int64(1), three.Stats().PresencesEnded)
	})
}

func TestAModeThatNobodyKnowsIsRefused(t *testing.T) {
	inBubble(t, func(b *fixture) {
		_, err := New(Options{Store: b.store, Pool: b.pool, Node: "n", Mode: "chief"})
		require.EqualError(t, err, `scheduler: Options.Mode: scheduling is "chief", must be one of all, leader`)
	})
}

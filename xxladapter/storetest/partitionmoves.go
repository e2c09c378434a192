package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// moves returns all moves that are kept, the oldest first, without their ids.
func (b *fixture) moves() []xxladapter.PartitionMove {
	b.Helper()
	found, err := b.store.PartitionMoves(b.ctx, 2*xxladapter.KeptMoves)
	b.NoError(err)
	for i := range found {
		if i > 0 {
			b.Less(found[i].ID, found[i-1].ID, "the newest first")
		}
	}
	slices.Reverse(found)
	for i := range found {
		found[i].ID = 0
	}
	return found
}

var partitionMoveRules = []rule{
	{"EachCauseOfAMoveIsReported", func(b *fixture) {
		var want []xxladapter.PartitionMove
		happened := func(term xxladapter.Term, cause xxladapter.MoveCause, partitions int) {
			b.Helper()
			want = append(want, xxladapter.PartitionMove{
				At: b.clock.Now().Truncate(time.Millisecond), Cause: cause, Term: term, Partitions: partitions,
			})
			b.Equal(want, b.moves())
		}
		b.Empty(b.moves())
		n1 := b.lease("n1", time.Hour)
		happened(n1.Term, xxladapter.MoveJoined, 64)
		for _, way := range []struct {
			cause xxladapter.MoveCause
			leave func(xxladapter.Term)
		}{
			{xxladapter.MoveStopped, func(t xxladapter.Term) {
				b.NoError(b.store.Retire(b.ctx, t, xxladapter.MoveStopped))
				b.resign(t)
			}},
			{xxladapter.MoveStopped, b.resign},
			{xxladapter.MoveSkewed, func(t xxladapter.Term) {
				b.NoError(b.store.Retire(b.ctx, t, xxladapter.MoveSkewed))
				b.resign(t)
			}},
			{xxladapter.MoveDied, func(t xxladapter.Term) {
				b.NoError(b.store.PresenceEnded(b.ctx, t))
				b.clock.Advance(leaseLife)
			}},
			{xxladapter.MoveLapsed, func(xxladapter.Term) { b.clock.Advance(leaseLife) }},
			{xxladapter.MoveLapsed, func(t xxladapter.Term) {
				b.clock.Advance(time.Second)
				b.NoError(b.store.PresenceEnded(b.ctx, t))
				b.clock.Advance(time.Second)
				b.lease(t.Node, leaseLife) // it lives
				b.clock.Advance(leaseLife)
			}},
			{xxladapter.MoveDrained, func(t xxladapter.Term) {
				b.NoError(b.store.Retire(b.ctx, t, xxladapter.MoveDrained))
				b.NoError(b.store.Retire(b.ctx, t, xxladapter.MoveStopped)) // has nothing to give back
				b.resign(t)
			}},
		} {
			b.clock.Advance(time.Minute)
			b.lease("n1", time.Hour)
			n2 := b.lease("n2", leaseLife)
			happened(n2.Term, xxladapter.MoveJoined, 32)
			way.leave(n2.Term)
			b.Equal(xxladapter.AllPartitions, b.lease("n1", time.Hour).Partitions)
			happened(n2.Term, way.cause, 32)
		}
		latest, err := b.store.PartitionMoves(b.ctx, 1)
		b.NoError(err)
		b.Len(latest, 1)
		b.Equal(xxladapter.MoveDrained, latest[0].Cause)
	}},
	{"TheLatestMovesAreKept", func(b *fixture) {
		for range xxladapter.KeptMoves/2 + 5 {
			b.resign(b.lease("n1", leaseLife).Term)
		}
		kept := b.moves()
		b.GreaterOrEqual(len(kept), xxladapter.KeptMoves)
		b.Less(len(kept), xxladapter.KeptMoves+10)
		b.Equal(xxladapter.MoveStopped, kept[len(kept)-1].Cause)
		b.Equal(int64(xxladapter.KeptMoves/2+5), kept[len(kept)-1].Term.Number)
	}},
	{"ANodeTellsAboutItself", func(b *fixture) {
		report := func() xxladapter.NodeReport {
			b.Helper()
			leases, err := b.store.Leases(b.ctx)
			b.NoError(err)
			b.Len(leases, 2)
			b.Zero(leases[1].Report, "the other node's")
			return leases[0].Report
		}
		told := xxladapter.NodeReport{
			Skew:    -1500 * time.Millisecond,
			Fast:    xxladapter.PoolReport{Places: 200, InFlight: 199, Waiting: 40_000},
			Slow:    xxladapter.PoolReport{Places: 100, InFlight: 1, Waiting: 2},
			Address: "http://" + strings.Repeat("n", xxladapter.MaxNodeAddress-12) + ":8080",
			Spread:  xxladapter.SpreadHash,
			Fires:   xxladapter.SpreadReport{Sent: 1 << 40, Received: 7, Kept: 1},
		}
		n1, n2 := b.term("n1"), b.term("n2")
		b.Zero(report())
		b.NoError(b.store.ReportNode(b.ctx, n1, told))
		b.Equal(told, report())
		b.lease("n1", leaseLife)
		b.Equal(told, report(), "a renewal keeps it")
		b.NoError(
			b.store.ReportNode(b.ctx, xxladapter.Term{Node: "n1", Number: n1.Number + 100}, xxladapter.NodeReport{}),
			"another term",
		)
		b.NoError(b.store.ReportNode(b.ctx, xxladapter.Term{Node: "n3", Number: 1}, told), "of nobody")
		b.NoError(b.store.PresenceEnded(b.ctx, xxladapter.Term{Node: "n3", Number: 1}))
		b.Equal(told, report())
		b.resign(n1)
		b.newTerm("n1")
		b.Zero(report(), "a new term has told nothing")
		b.NotZero(n2)
	}},
}

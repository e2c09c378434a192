package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	waits = xxladapter.ElectionWaits
	away  = xxladapter.ElectionAway
)

var electionRules = []rule{
	{"WhoWaitsForItsElectionTakesNoPartitions", func(b *fixture) {
		b.Equal(xxladapter.NodeStandby, b.elected("n1", leaseLife, waits).Role())
		b.Equal(xxladapter.NodeStandby, b.elected("n2", leaseLife, waits).Role())
		for range 3 { // a store may cache what earlier renewals have found
			b.Zero(b.elected("n1", leaseLife, waits).Partitions)
		}
		n2 := b.elected("n2", leaseLife, 7)
		b.Equal(xxladapter.NodeLeads, n2.Role())
		b.Equal(xxladapter.Election(7), n2.Election)
		b.Zero(b.elected("n1", leaseLife, waits).Partitions)
		held, err := b.store.Leases(b.ctx)
		b.NoError(err)
		b.Equal(waits, held[0].Election)
		b.Equal(xxladapter.Election(7), held[1].Election)
	}},
	{"AnElectedNodeTakesThePartitionsOfALeaderThatLives", func(b *fixture) {
		id := b.addRunning("job", at(0))
		n1 := b.elected("n1", leaseLife, 7)
		b.elected("n2", leaseLife, waits)
		b.Equal(xxladapter.AllPartitions, b.elected("n2", leaseLife, 9).Partitions)
		for _, l := range []xxladapter.Lease{n1, b.elected("n2", leaseLife, 9)} {
			fires, _, err := b.store.ClaimDue(b.ctx, l.Term, 0, 10, everyMinute)
			b.NoError(err)
			if l.Node == "n1" {
				b.Empty(fires, "its partitions are gone although it has not renewed")
				continue
			}
			b.Len(fires, 1)
			b.Equal(id, fires[0].JobID)
		}
		again := b.elected("n1", leaseLife, 7)
		b.Equal(n1.Term, again.Term, "the term continues")
		b.Equal(xxladapter.NodeStandby, again.Role(), "its number is the smaller one")
		for range 3 {
			b.Equal(xxladapter.AllPartitions, b.elected("n2", leaseLife, 9).Partitions)
		}
	}},
	{"ALeaderKeepsItsPartitionsUntilAnotherIsElected", func(b *fixture) {
		b.elected("n1", leaseLife, 7)
		b.elected("n2", leaseLife, waits)
		for _, e := range []xxladapter.Election{away, waits} {
			for range 3 {
				b.Equal(xxladapter.AllPartitions, b.elected("n1", leaseLife, e).Partitions)
				b.Zero(b.elected("n2", leaseLife, waits).Partitions)
				b.Zero(b.elected("n2", leaseLife, away).Partitions)
			}
		}
		b.Equal(xxladapter.AllPartitions, b.elected("n2", leaseLife, 3).Partitions)
		b.Zero(b.elected("n1", leaseLife, away).Partitions)
	}},
	{"WithoutAnElectorTheNextThatRenewsSucceeds", func(b *fixture) {
		b.elected("n1", leaseLife, 7)
		b.elected("n2", 2*leaseLife, waits)
		b.elected("n3", 2*leaseLife, away)
		b.clock.Advance(leaseLife)
		b.Zero(b.elected("n2", 2*leaseLife, waits).Partitions, "it has not been elected")
		b.Equal(xxladapter.AllPartitions, b.elected("n3", 2*leaseLife, away).Partitions)
		b.Zero(b.elected("n2", 2*leaseLife, waits).Partitions)
		b.Equal(xxladapter.AllPartitions, b.elected("n2", 2*leaseLife, 8).Partitions)
	}},
	{"ARetiredNodeIsNotElected", func(b *fixture) {
		n1 := b.elected("n1", leaseLife, 7)
		b.elected("n2", leaseLife, waits)
		b.NoError(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveStopped))
		n1 = b.elected("n1", leaseLife, 7)
		b.Equal(xxladapter.NodeRetired, n1.Role())
		b.Zero(b.elected("n2", leaseLife, waits).Partitions)
		b.Equal(xxladapter.AllPartitions, b.elected("n2", leaseLife, 8).Partitions)
	}},
	{"AnElectionNeedsTheModeOfAllNodes", func(b *fixture) {
		b.elected("n1", leaseLife, 7)
		b.Equal(32, b.lease("n2", leaseLife).Partitions.Len())
		b.Equal(32, b.elected("n1", leaseLife, waits).Partitions.Len())
		b.Equal(waits, b.lease("n1", leaseLife).Election, "Lease leaves it")
		n2 := b.elected("n2", leaseLife, 9)
		b.Equal(xxladapter.SchedulingAll, n2.Mode, "as its term began")
		b.Equal(xxladapter.ElectionNone, n2.Election)
		b.Equal(32, n2.Partitions.Len())
	}},
	{"LargeNumbersAreKept", func(b *fixture) {
		const epochs xxladapter.Election = 1 << 60 // ZooKeeper counts its epochs in the upper half
		b.Equal(epochs, b.elected("n1", leaseLife, epochs).Election)
		b.Equal(xxladapter.AllPartitions, b.elected("n2", leaseLife, epochs+1).Partitions)
		b.Zero(b.elected("n1", leaseLife, epochs).Partitions)
	}},
	{"AnElectionThatMeansNothingIsRefused", func(b *fixture) {
		_, err := b.store.Lead(b.ctx, "n1", time.Hour, -3)
		b.Error(err)
	}},
}

package storetest

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// renewAll renews the leases and returns the number of partitions of each node. It checks that each
// partition has an owner.
func (b *fixture) renewAll(nodes ...string) (parts []int) {
	b.Helper()
	for range 2 { // a node that renews early loses partitions to one that renews later
		var all xxladapter.PartitionSet
		parts = nil
		for _, node := range nodes {
			l := b.lease(node, leaseLife)
			all |= l.Partitions
			parts = append(parts, l.Partitions.Len())
		}
		b.Equal(xxladapter.AllPartitions, all)
	}
	return parts
}

var partitionRules = []rule{
	{"PartitionsAreDealtFairlyAmongLiveNodes", func(b *fixture) {
		b.Equal([]int{64}, b.renewAll("n1"))
		b.Equal([]int{32, 32}, b.renewAll("n1", "n2"))
		b.Equal([]int{21, 22, 21}, b.renewAll("n1", "n2", "n3"))
	}},
	{"PartitionsOfALapsedNodeGoToWhoRenewsNext", func(b *fixture) {
		b.renewAll("n1", "n2", "n3")
		b.clock.Advance(leaseLife - time.Millisecond)
		b.Equal(22, b.lease("n2", leaseLife).Partitions.Len(), "n3 lives")
		b.Equal(21, b.lease("n1", leaseLife).Partitions.Len())
		b.clock.Advance(time.Millisecond)
		b.Equal([]int{32, 32}, b.renewAll("n1", "n2"))
	}},
	{"ADeathMovesThePartitionsOfTheDeadAlone", func(b *fixture) {
		nodes := []string{"n1", "n2", "n3", "n4", "n5"}
		b.renewAll(nodes...)
		before := map[string]xxladapter.PartitionSet{}
		for _, n := range nodes[:4] {
			before[n] = b.lease(n, leaseLife).Partitions
		}
		b.clock.Advance(leaseLife - time.Millisecond)
		for _, n := range nodes[:4] {
			b.lease(n, 2*leaseLife)
		}
		b.clock.Advance(time.Millisecond)
		for _, n := range nodes[:4] {
			l := b.lease(n, leaseLife)
			b.Equal(16, l.Partitions.Len())
			b.Equal(before[n], before[n]&l.Partitions)
		}
	}},
	{"PartitionsOfAResignedNodeAreFreeAtOnce", func(b *fixture) {
		n1 := b.lease("n1", leaseLife)
		b.Equal([]int{32, 32}, b.renewAll("n1", "n2"))
		b.resign(n1.Term)
		b.Equal([]int{64}, b.renewAll("n2"))
	}},
	{"MoreNodesThanPartitionsLeaveSomeWithout", func(b *fixture) {
		var nodes []string
		for i := range xxladapter.Partitions + 1 {
			nodes = append(nodes, fmt.Sprintf("n%02d", i))
		}
		parts := b.renewAll(nodes...)
		b.Equal(0, parts[xxladapter.Partitions])
		for _, n := range parts[:xxladapter.Partitions] {
			b.Equal(1, n)
		}
	}},
	{"ClaimDueTakesJobsOfOtherPartitionsInTheLastFifth", func(b *fixture) {
		b.lease("n1", leaseLife)
		b.lease("n2", leaseLife)
		n1 := b.lease("n1", leaseLife)
		var foreign []int64
		for i := 0; len(foreign) < 3; i++ {
			if id := b.addJob(fmt.Sprint("job", i)); !n1.Partitions.HasJob(id) {
				foreign = append(foreign, id)
			}
		}
		for i, from := range []time.Duration{999 * time.Millisecond, time.Second, 4 * time.Second} {
			b.NoError(StartAt(b.ctx, b.store, foreign[i], epoch.Truncate(time.Millisecond).Add(from)))
		}
		fires, due, err := b.store.ClaimDue(b.ctx, n1.Term, 5*time.Second, 10, everyMinute)
		b.NoError(err)
		b.Equal(1, due, "only what is due within a second")
		b.Equal(foreign[0], fires[0].JobID)
		b.clock.Advance(time.Millisecond)
		_, due, err = b.store.ClaimDue(b.ctx, n1.Term, 5*time.Second, 10, everyMinute)
		b.NoError(err)
		b.Equal(1, due)
	}},
	{"ClaimDuePlansTheJobsOfItsPartitionsOnly", func(b *fixture) {
		b.lease("n1", leaseLife)
		n2 := b.lease("n2", leaseLife)
		n1 := b.lease("n1", leaseLife)
		want := map[string]int{}
		for i := range 2 * xxladapter.Partitions {
			id := b.addRunning(fmt.Sprint("job", i), epoch.Add(900*time.Millisecond))
			for node, l := range map[string]xxladapter.Lease{"n1": n1, "n2": n2} {
				if l.Partitions.HasJob(id) {
					want[node]++
				}
			}
		}
		b.Equal(map[string]int{"n1": xxladapter.Partitions, "n2": xxladapter.Partitions}, want)
		for _, l := range []xxladapter.Lease{n1, n2} {
			fires, due, err := b.store.ClaimDue(b.ctx, l.Term, time.Second, 1000, everyMinute)
			b.NoError(err)
			b.Equal(want[l.Node], due)
			b.Len(fires, want[l.Node])
			for _, f := range fires {
				b.True(l.Partitions.HasJob(f.JobID))
			}
		}
	}},
}

package xxladapter

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDealMovesFewPartitions lets nodes join and die at random, each time followed by a renewal of
// every node in random order, as happens when a lease expires.
func TestDealMovesFewPartitions(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var (
			owners [Partitions]string
			live   []string
			names  int
		)
		held := func(name string) (n int) {
			for _, owner := range owners {
				if owner == name {
					n++
				}
			}
			return n
		}
		renew := func() (moved int) {
			for _, i := range rnd.Perm(len(live)) {
				before := owners
				Deal(&owners, append([]string(nil), live...), live[i])
				for partition, owner := range owners {
					if !slices.Contains(live, owner) {
						t.Fatalf("seed %d: partition %d is %q's after a renewal, of %v", seed, partition, owner, live)
					}
					if owner != before[partition] {
						moved++
					}
				}
			}
			return moved
		}
		for range 100 {
			before := owners
			least, what := 0, "death"
			if n := len(live); n < 2 || n < 16 && rnd.IntN(2) == 0 {
				names++
				live, what = append(live, fmt.Sprintf("node-%03d", rnd.IntN(1000)*1000+names)), "join"
				if least = Partitions / len(live); n == 0 {
					least = Partitions
				}
			} else {
				gone := rnd.IntN(n)
				least = held(live[gone])
				live = append(live[:gone:gone], live[gone+1:]...)
			}
			moved := renew()
			require.LessOrEqual(t, moved, least+len(live), "seed %d: %s, now %d nodes: %v", seed, what, len(live), before)
			most, fewest := 0, Partitions
			for _, name := range live {
				most, fewest = max(most, held(name)), min(fewest, held(name))
			}
			require.LessOrEqual(t, most-fewest, 1, "seed %d: %d nodes", seed, len(live))
			require.Zero(t, renew(), "seed %d: a deal that is fair stays", seed)
		}
	}
}

// TestDealAfterADeathMovesTheDeadNodesPartitionsOnly checks each number of nodes.
func TestDealAfterADeathMovesTheDeadNodesPartitionsOnly(t *testing.T) {
	for n := 2; n <= 16; n++ {
		var owners [Partitions]string
		var live []string
		for i := range n {
			live = append(live, fmt.Sprintf("n%02d", i))
		}
		for range 2 {
			for _, name := range live {
				Deal(&owners, live, name)
			}
		}
		dead, before, moved := live[0], owners, 0
		for _, name := range live[1:] {
			Deal(&owners, live[1:], name)
		}
		for partition, owner := range owners {
			if owner != before[partition] {
				require.Equal(t, dead, before[partition], "%d nodes", n)
				moved++
			}
		}
		require.GreaterOrEqual(t, moved, Partitions/n)
		require.LessOrEqual(t, moved, (Partitions+n-1)/n)
	}
}

// TestLeadGivesAllPartitionsToOneNode lets nodes join, die and renew at random. After each renewal
// one node has all partitions, and another one gets them only when that node dies.
func TestLeadGivesAllPartitionsToOneNode(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var owners [Partitions]string
		live := []string{"first"}
		leader := "first"
		DealToLeader(&owners, candidates(live), leader)
		for i := range 200 {
			if len(live) < 2 || len(live) < 16 && rnd.IntN(2) == 0 {
				live = append(live, fmt.Sprintf("node-%03d", rnd.IntN(1000)*1000+i))
			} else {
				gone := rnd.IntN(len(live))
				live = slices.Delete(slices.Clone(live), gone, gone+1)
			}
			node := live[rnd.IntN(len(live))]
			if !slices.Contains(live, leader) {
				leader = node
			}
			DealToLeader(&owners, candidates(live), node)
			for partition, owner := range owners {
				require.Equal(t, leader, owner, "seed %d: partition %d after a renewal of %s among %v", seed, partition, node, live)
			}
		}
	}
}

// TestLeadAfterDeal lets one node take the partitions of all others: the node with the most, and
// the first by name among equals.
func TestLeadAfterDeal(t *testing.T) {
	for _, live := range [][]string{{"b", "a"}, {"c", "b", "a"}} {
		for _, renews := range live {
			var owners [Partitions]string
			for range 2 {
				for _, name := range live {
					Deal(&owners, live, name)
				}
			}
			held := map[string]int{}
			for _, owner := range owners {
				held[owner]++
			}
			want := slices.MinFunc(live, func(a, b string) int { return cmp.Or(held[b]-held[a], cmp.Compare(a, b)) })
			DealToLeader(&owners, candidates(live), renews)
			for _, owner := range owners {
				require.Equal(t, want, owner, "%v", held)
			}
		}
	}
}

func TestTheRoleOfALease(t *testing.T) {
	for _, c := range []struct {
		lease Lease
		want  NodeRole
	}{
		{Lease{Mode: SchedulingAll, Partitions: AllPartitions}, NodePlans},
		{Lease{Mode: SchedulingAll}, NodePlans},
		{Lease{Mode: SchedulingLeader, Partitions: AllPartitions}, NodeLeads},
		{Lease{Mode: SchedulingLeader}, NodeStandby},
		{Lease{Mode: SchedulingLeader, Partitions: 1}, NodePlans},
		{Lease{Mode: SchedulingLeader, Retired: true}, NodeRetired},
		{Lease{Mode: SchedulingAll, Retired: true}, NodeRetired},
	} {
		require.Equal(t, c.want, c.lease.Role(), "%+v", c.lease)
	}
}

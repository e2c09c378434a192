package xxladapter

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDealMovesFewShards lets nodes join and die at random, each time followed by a renewal of
// every node in random order, as it happens at a lapse.
func TestDealMovesFewShards(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var (
			owners [Shards]string
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
				for shard, owner := range owners {
					if !slices.Contains(live, owner) {
						t.Fatalf("seed %d: shard %d is %q's after a renewal, of %v", seed, shard, owner, live)
					}
					if owner != before[shard] {
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
				if least = Shards / len(live); n == 0 {
					least = Shards
				}
			} else {
				gone := rnd.IntN(n)
				least = held(live[gone])
				live = append(live[:gone:gone], live[gone+1:]...)
			}
			moved := renew()
			require.LessOrEqual(t, moved, least+len(live), "seed %d: %s, now %d nodes: %v", seed, what, len(live), before)
			most, fewest := 0, Shards
			for _, name := range live {
				most, fewest = max(most, held(name)), min(fewest, held(name))
			}
			require.LessOrEqual(t, most-fewest, 1, "seed %d: %d nodes", seed, len(live))
			require.Zero(t, renew(), "seed %d: a deal that is fair stays", seed)
		}
	}
}

// TestDealAfterADeathMovesTheDeadNodesShardsOnly checks each number of nodes.
func TestDealAfterADeathMovesTheDeadNodesShardsOnly(t *testing.T) {
	for n := 2; n <= 16; n++ {
		var owners [Shards]string
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
		for shard, owner := range owners {
			if owner != before[shard] {
				require.Equal(t, dead, before[shard], "%d nodes", n)
				moved++
			}
		}
		require.GreaterOrEqual(t, moved, Shards/n)
		require.LessOrEqual(t, moved, (Shards+n-1)/n)
	}
}

// TestLeadGivesAllShardsToOneNode lets nodes join, die and renew at random. One node has all shards
// after each renewal, and it changes only with its death.
func TestLeadGivesAllShardsToOneNode(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var owners [Shards]string
		live := []string{"first"}
		leader := "first"
		Lead(&owners, candidates(live), leader)
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
			Lead(&owners, candidates(live), node)
			for shard, owner := range owners {
				require.Equal(t, leader, owner, "seed %d: shard %d after a renewal of %s among %v", seed, shard, node, live)
			}
		}
	}
}

// TestLeadAfterDeal has one node take the shards of the others: the one with the most, and the
// first by name if some have as many.
func TestLeadAfterDeal(t *testing.T) {
	for _, live := range [][]string{{"b", "a"}, {"c", "b", "a"}} {
		for _, renews := range live {
			var owners [Shards]string
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
			Lead(&owners, candidates(live), renews)
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
		{Lease{Mode: SchedulingAll, Shards: AllShards}, NodePlans},
		{Lease{Mode: SchedulingAll}, NodePlans},
		{Lease{Mode: SchedulingLeader, Shards: AllShards}, NodeLeads},
		{Lease{Mode: SchedulingLeader}, NodeStandby},
		{Lease{Mode: SchedulingLeader, Shards: 1}, NodePlans},
		{Lease{Mode: SchedulingLeader, Retired: true}, NodeRetired},
		{Lease{Mode: SchedulingAll, Retired: true}, NodeRetired},
	} {
		require.Equal(t, c.want, c.lease.Role(), "%+v", c.lease)
	}
}

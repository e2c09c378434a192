package xxladapter

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// candidates returns nodes about which no elector is asked.
func candidates(nodes []string) []Candidate {
	found := make([]Candidate, len(nodes))
	for i, node := range nodes {
		found[i].Node = node
	}
	return found
}

// TestLeadFollowsTheElector draws what an elector says of one to five nodes, and who has the
// partitions. One node gets all of them, or nobody gets any.
func TestLeadFollowsTheElector(t *testing.T) {
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		var live []Candidate
		holder, largest := "dead", Candidate{}
		for i := range 1 + rnd.IntN(5) {
			c := Candidate{Node: fmt.Sprint("n", i), Election: Election(rnd.IntN(10) - 2)}
			if c.Election > 0 {
				c.Election = c.Election*10 + Election(i) // numbers differ
			}
			live = append(live, c)
			if c.Election > largest.Election {
				largest = c
			}
			if rnd.IntN(8) == 0 {
				holder = c.Node
			}
		}
		var owners [Partitions]string
		for partition := range owners {
			owners[partition] = holder
		}
		renews := live[rnd.IntN(len(live))]
		want := holder
		switch {
		case largest.Election > 0:
			want = largest.Node
		case holder == "dead" && renews.Election != ElectionWaits:
			want = renews.Node
		}
		rnd.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
		DealToLeader(&owners, live, renews.Node)
		for _, owner := range owners {
			require.Equal(t, want, owner, "seed %d: %+v held by %s, %s renews", seed, live, holder, renews.Node)
		}
	}
}

func TestTheStateOfAnElection(t *testing.T) {
	for e, want := range map[Election]ElectionState{ElectionNone: ElectionStateNone, ElectionWaits: ElectionStateWaits, ElectionAway: ElectionStateAway, 1: ElectionStateElected, 1 << 60: ElectionStateElected} {
		require.NoError(t, e.Validate())
		require.Equal(t, want, e.State())
	}
	require.EqualError(t, Election(-3).Validate(), "election is -3, must be at least -2")
}

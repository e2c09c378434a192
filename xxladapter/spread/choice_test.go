package spread

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// named returns names as nodes have them.
func named(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("web-%d:%d:%08x", i+1, 4000+17*i, uint32(i+1)*2654435761))
	}
	return names
}

// counts returns how many of the jobs from 1 to n each node gets.
func counts(c *Choice, nodes, n int) []int {
	got := make([]int, nodes)
	for job := range n {
		got[c.Of(int64(job+1))]++
	}
	return got
}

// TestFiresAreSpreadEvenly counts the fires of 20,000 jobs for each node.
func TestFiresAreSpreadEvenly(t *testing.T) {
	const jobs = 20_000
	for by, most := range map[xxladapter.Spread]func(mean float64) float64{
		xxladapter.SpreadHash: func(mean float64) float64 { return 0.06 * mean },
		// Six standard deviations, which one run in ten million exceeds.
		xxladapter.SpreadRandom: func(mean float64) float64 { return 6 * math.Sqrt(mean) },
		xxladapter.SpreadRound:  func(float64) float64 { return 1 },
	} {
		for _, nodes := range []int{1, 2, 3, 5, 8, 16} {
			got := counts(NewChoice(by, named(nodes)), nodes, jobs)
			mean := float64(jobs) / float64(nodes)
			for _, n := range got {
				require.InDelta(t, mean, n, most(mean), "%s among %d: %v", by, nodes, got)
			}
		}
	}
	require.Equal(t, []int{jobs, 0, 0}, counts(NewChoice(xxladapter.SpreadNone, named(3)), 3, jobs))
	require.Equal(t, []int{jobs, 0}, counts(NewChoice("", named(2)), 2, jobs))
}

// TestAHashMovesNoMoreThanItMust checks that a node that joins takes jobs from others and moves
// none among them, and that only the jobs of a node that leaves are moved.
func TestAHashMovesNoMoreThanItMust(t *testing.T) {
	const jobs = 5000
	for nodes := 2; nodes <= 16; nodes++ {
		names := named(nodes)
		all := NewChoice(xxladapter.SpreadHash, names)
		for left, gone := range names {
			rest := slices.Concat(names[:left], names[left+1:])
			without := NewChoice(xxladapter.SpreadHash, rest)
			moved := 0
			for job := range int64(jobs) {
				before, after := names[all.Of(job)], rest[without.Of(job)]
				switch {
				case before == gone:
					moved++
				case before != after:
					t.Fatalf("job %d moves from %s to %s although its node stays", job, before, after)
				}
			}
			require.InDelta(t, jobs/nodes, moved, 0.25*jobs/float64(nodes))
		}
	}
}

// TestAHashDoesNotDependOnTheOrderOfNodes checks that the order does not matter, since each leader
// lists nodes in its own order.
func TestAHashDoesNotDependOnTheOrderOfNodes(t *testing.T) {
	names := named(5)
	turned := slices.Clone(names)
	slices.Reverse(turned)
	one, other := NewChoice(xxladapter.SpreadHash, names), NewChoice(xxladapter.SpreadHash, turned)
	for job := range int64(1000) {
		require.Equal(t, names[one.Of(job)], turned[other.Of(job)])
	}
}

func BenchmarkChoice(b *testing.B) {
	c := NewChoice(xxladapter.SpreadHash, named(5))
	for job := int64(0); b.Loop(); job++ {
		c.Of(job)
	}
}

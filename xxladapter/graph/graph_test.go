package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJobsAreArrangedInLayers(t *testing.T) {
	g := Of([]Job{
		{1, []int64{3, 4, 3}}, {2, []int64{4}}, {3, []int64{5}}, {4, nil}, {5, []int64{4, 99}}, {6, nil},
		{7, []int64{8}}, {8, []int64{9}}, {9, []int64{7, 10}}, {10, nil}, {11, []int64{11}}, {12, []int64{98}},
	})
	require.Equal(t, []Node{
		{ID: 1, Layer: 0, Children: []int64{3, 4}},
		{ID: 2, Layer: 0, Children: []int64{4}},
		{ID: 7, Layer: 0, Children: []int64{8}, Parents: []int64{9}},
		{ID: 8, Layer: 0, Children: []int64{9}, Parents: []int64{7}},
		{ID: 9, Layer: 0, Children: []int64{7, 10}, Parents: []int64{8}},
		{ID: 11, Layer: 0, Children: []int64{11}, Parents: []int64{11}},
		{ID: 12, Layer: 0, Missing: []int64{98}},
		{ID: 3, Layer: 1, Children: []int64{5}, Parents: []int64{1}},
		{ID: 10, Layer: 1, Parents: []int64{9}},
		{ID: 5, Layer: 2, Children: []int64{4}, Parents: []int64{3}, Missing: []int64{99}},
		{ID: 4, Layer: 3, Parents: []int64{1, 2, 5}},
	}, g.Nodes)
	require.Equal(t, [][]int64{{7, 8, 9}, {11}}, g.Cycles)
	require.Equal(t, []int64{3, 4, 5}, g.FailsWith(1))
	require.Equal(t, []int64{8, 9, 10}, g.FailsWith(7))
	require.Empty(t, g.FailsWith(4))
	require.Empty(t, g.FailsWith(4711))
	require.Equal(t, []int64{1, 2, 3, 5}, g.DependsOn(4))
	require.Empty(t, Of(nil).Nodes)
}

// TestLayersAndCyclesOfRandomGraphs compares layers and cycles with a slow computation from their
// definitions.
func TestLayersAndCyclesOfRandomGraphs(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		jobs := make([]Job, 1+random.IntN(12))
		for i := range jobs {
			jobs[i].ID = int64(i + 1)
			for range random.IntN(3) {
				jobs[i].Children = append(jobs[i].Children, int64(1+random.IntN(len(jobs))))
			}
		}
		g := Of(jobs)
		layer, cycle := map[int64]int{}, map[int64]int{}
		for _, n := range g.Nodes {
			layer[n.ID] = n.Layer
		}
		for i, members := range g.Cycles {
			for _, id := range members {
				cycle[id] = i + 1
			}
		}
		reaches := func(a, b int64) bool { // in one step or more
			open, seen := []int64{a}, map[int64]bool{}
			for len(open) > 0 {
				at := open[0]
				open = open[1:]
				for _, c := range jobs[at-1].Children {
					if c == b {
						return true
					}
					if !seen[c] {
						seen[c] = true
						open = append(open, c)
					}
				}
			}
			return false
		}
		for _, n := range g.Nodes {
			require.Equal(t, reaches(n.ID, n.ID), cycle[n.ID] > 0, "seed %d, job %d", seed, n.ID)
			for _, m := range g.Nodes {
				if n.ID != m.ID && reaches(n.ID, m.ID) && reaches(m.ID, n.ID) {
					require.Equal(t, cycle[n.ID], cycle[m.ID], "seed %d", seed)
					require.Equal(t, n.Layer, m.Layer, "seed %d", seed)
				}
			}
			highest := -1
			for _, p := range g.Nodes {
				if cycle[p.ID] != 0 && cycle[p.ID] == cycle[n.ID] || p.ID == n.ID {
					continue
				}
				for _, m := range g.Nodes { // any member of n's cycle
					same := m.ID == n.ID || cycle[m.ID] != 0 && cycle[m.ID] == cycle[n.ID]
					if same && slices.Contains(p.Children, m.ID) {
						highest = max(highest, layer[p.ID])
					}
				}
			}
			require.Equal(t, highest+1, n.Layer, "seed %d, job %d", seed, n.ID)
		}
	}
}

// BenchmarkGraph arranges 2,000 jobs, each with three children, and a chain of 100,000.
func BenchmarkGraph(b *testing.B) {
	jobs := make([]Job, 2000)
	for i := range jobs {
		jobs[i] = Job{int64(i + 1), []int64{int64(i + 2), int64(i + 17), int64((i*7)%2000 + 1)}}
	}
	b.Run("2000", func(b *testing.B) {
		for b.Loop() {
			Of(jobs)
		}
	})
	chain := make([]Job, 100_000)
	for i := range chain {
		chain[i] = Job{int64(i + 1), []int64{int64(i + 2)}}
	}
	b.Run("chain", func(b *testing.B) {
		for b.Loop() {
			Of(chain)
		}
	})
}

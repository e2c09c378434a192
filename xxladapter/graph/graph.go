// Package graph arranges the graph of jobs and their child jobs in layers. It is a pure function of
// the jobs.
package graph

import (
	"cmp"
	"slices"
)

// A Job holds what a graph needs of a job.
type Job struct {
	ID       int64
	Children []int64
}

// A Graph holds the jobs that have children or parents.
type Graph struct {
	// Nodes are ordered by layer, then by id.
	Nodes []Node
	// Cycles are the groups of jobs that trigger each other, each sorted by id. A job that is its
	// own child is a cycle of one.
	Cycles [][]int64
}

// A Node is a job in a graph.
type Node struct {
	ID int64
	// Layer is 0 for jobs without parents, and otherwise one more than the highest layer of a
	// parent. The jobs of a cycle share a layer, for which only parents outside of the cycle count.
	Layer    int
	Children []int64 // those that exist, by id
	Parents  []int64 // by id
	Missing  []int64 // children that do not exist, by id
}

// Of arranges the jobs.
func Of(jobs []Job) Graph {
	nodes := link(jobs)
	parts := connected(nodes)
	of := make([]int, len(nodes)) // the part of each node
	for p, members := range parts {
		for _, n := range members {
			of[n] = p
		}
	}
	layers := layersOf(nodes, parts, of)
	var g Graph
	for p, members := range parts {
		if len(members) > 1 || slices.Contains(nodes[members[0]].down, members[0]) {
			var cycle []int64
			for _, n := range members {
				cycle = append(cycle, nodes[n].ID)
			}
			slices.Sort(cycle)
			g.Cycles = append(g.Cycles, cycle)
		}
		for _, n := range members {
			if len(nodes[n].Children)+len(nodes[n].Parents)+len(nodes[n].Missing) > 0 {
				nodes[n].Layer = layers[p]
				g.Nodes = append(g.Nodes, nodes[n].Node)
			}
		}
	}
	slices.SortFunc(
		g.Nodes, func(a, b Node) int { return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.ID, b.ID)) },
	)
	slices.SortFunc(g.Cycles, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
	return g
}

// FailsWith returns the jobs that are not triggered when a job fails: its children, theirs, and so
// on, by id. The job itself is not among them, not even in a cycle. A child with another parent may
// still be triggered by that one.
func (g *Graph) FailsWith(job int64) (found []int64) {
	return g.reach(job, func(n *Node) []int64 { return n.Children })
}

// DependsOn returns the jobs that trigger a job, directly or through other jobs, by id.
func (g *Graph) DependsOn(job int64) (found []int64) {
	return g.reach(job, func(n *Node) []int64 { return n.Parents })
}

func (g *Graph) reach(job int64, next func(*Node) []int64) (found []int64) {
	byID := make(map[int64]*Node, len(g.Nodes))
	for i := range g.Nodes {
		byID[g.Nodes[i].ID] = &g.Nodes[i]
	}
	seen := map[int64]bool{job: true}
	for open := []int64{job}; len(open) > 0; {
		n := byID[open[len(open)-1]]
		open = open[:len(open)-1]
		if n == nil {
			continue
		}
		for _, id := range next(n) {
			if !seen[id] {
				seen[id] = true
				open, found = append(open, id), append(found, id)
			}
		}
	}
	slices.Sort(found)
	return found
}

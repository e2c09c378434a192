package graph

import "slices"

// A linked node knows its children by their indexes.
type linked struct {
	Node
	down []int
}

// link returns a node for each job, in the order of the jobs.
func link(jobs []Job) []linked {
	index := make(map[int64]int, len(jobs))
	for i, j := range jobs {
		index[j.ID] = i
	}
	nodes := make([]linked, len(jobs))
	for i, j := range jobs {
		nodes[i].ID = j.ID
		children := slices.Sorted(slices.Values(j.Children))
		for _, child := range slices.Compact(children) {
			c, exists := index[child]
			if !exists {
				nodes[i].Missing = append(nodes[i].Missing, child)
				continue
			}
			nodes[i].Children = append(nodes[i].Children, child)
			nodes[i].down = append(nodes[i].down, c)
			nodes[c].Parents = append(nodes[c].Parents, j.ID)
		}
	}
	for i := range nodes {
		slices.Sort(nodes[i].Parents)
	}
	return nodes
}

// connected returns the strongly connected parts, each after all parts that it leads to (Tarjan,
// 1972). It does not recurse, because a chain of jobs may be long.
func connected(nodes []linked) (parts [][]int) {
	const unseen = -1
	number, low := make([]int, len(nodes)), make([]int, len(nodes))
	onStack := make([]bool, len(nodes))
	for i := range number {
		number[i] = unseen
	}
	type step struct{ node, child int }
	var stack []int
	count := 0
	for root := range nodes {
		if number[root] != unseen {
			continue
		}
		for path := []step{{root, 0}}; len(path) > 0; {
			top := &path[len(path)-1]
			n := top.node
			if top.child == 0 {
				number[n], low[n] = count, count
				count++
				stack = append(stack, n)
				onStack[n] = true
			}
			if top.child < len(nodes[n].down) {
				c := nodes[n].down[top.child]
				top.child++
				if number[c] == unseen {
					path = append(path, step{c, 0})
				} else if onStack[c] {
					low[n] = min(low[n], number[c])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1].node
				low[parent] = min(low[parent], low[n])
			}
			if low[n] == number[n] {
				at := len(stack) - 1
				for stack[at] != n {
					at--
				}
				part := slices.Clone(stack[at:])
				stack = stack[:at]
				for _, m := range part {
					onStack[m] = false
				}
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// layersOf returns the layer of each part.
//
// REQUIRES: the parts are in the order of [connected].
func layersOf(nodes []linked, parts [][]int, of []int) []int {
	layers := make([]int, len(parts))
	for p := len(parts) - 1; p >= 0; p-- {
		for _, n := range parts[p] {
			for _, c := range nodes[n].down {
				if of[c] != p {
					layers[of[c]] = max(layers[of[c]], layers[p]+1)
				}
			}
		}
	}
	return layers
}

package contender

import "container/heap"

var binaryHeapKind = Kind{
	Name: "heap",
	New:  func(cfg Config) Timer { return newOrdered(cfg, new(binaryHeap), 0) },

	MaxPending: 1_000_000,
	Why:        "a larger heap only costs more, and takes long to measure",
}

// binaryHeap is an order in the standard library's heap, as in schedulers that sleep until their
// first job is due.
type binaryHeap []*entry

func (h *binaryHeap) add(e *entry)    { heap.Push(h, e) }
func (h *binaryHeap) remove(e *entry) { heap.Remove(h, e.index) }

func (h *binaryHeap) first() *entry {
	if len(*h) == 0 {
		return nil
	}
	return (*h)[0]
}

func (h binaryHeap) Len() int           { return len(h) }
func (h binaryHeap) Less(i, j int) bool { return h[i].before(h[j]) }

func (h binaryHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *binaryHeap) Push(x any) {
	e := x.(*entry)
	e.index = len(*h)
	*h = append(*h, e)
}

func (h *binaryHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return e
}

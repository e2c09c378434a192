package contender

import (
	"fmt"

	"github.com/golang-collections/go-datastructures/queue"
)

var priorityQueueKind = Kind{
	Name:       "priorityqueue",
	New:        func(cfg Config) Timer { return newOrdered(cfg, newPriorityQueue(), 0) },
	MaxPending: 100_000,
	Why:        "queue.PriorityQueue is a sorted slice, and each start moves a part of it",
}

// priorityQueue is an order in a queue.PriorityQueue. The queue cannot remove from its middle, so a
// stopped entry stays until it comes to the front, or until over 64 entries and over half of the
// queue are stopped: then a new queue replaces the old one.
type priorityQueue struct {
	q       *queue.PriorityQueue
	stopped int
}

// A queued is an entry with the method that queue.Item requires.
type queued entry

// Compare implements queue.Item.
func (q *queued) Compare(other queue.Item) int {
	return (*entry)(q).compare((*entry)(other.(*queued)))
}

func newPriorityQueue() *priorityQueue { return &priorityQueue{q: queue.NewPriorityQueue(64)} }

func (p *priorityQueue) add(e *entry) {
	if err := p.q.Put((*queued)(e)); err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
}

func (p *priorityQueue) remove(*entry) {
	p.stopped++
	if p.stopped > 64 && p.stopped > p.q.Len()/2 {
		p.sweep()
	}
}

// sweep moves the pending entries to a new queue.
func (p *priorityQueue) sweep() {
	old := p.take(p.q.Len())
	p.q, p.stopped = queue.NewPriorityQueue(len(old)), 0
	for _, item := range old {
		if item.(*queued).pending {
			p.add((*entry)(item.(*queued)))
		}
	}
}

func (p *priorityQueue) take(n int) []queue.Item {
	items, err := p.q.Get(n)
	if err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
	return items
}

func (p *priorityQueue) first() *entry {
	for {
		item := p.q.Peek()
		if item == nil {
			return nil
		}
		if e := (*entry)(item.(*queued)); e.pending {
			return e
		}
		p.take(1)
		p.stopped--
	}
}

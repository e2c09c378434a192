package contender

import "github.com/golang-collections/go-datastructures/slice/skip"

var sortedSetKind = Kind{
	Name:       "sortedset",
	New:        func(cfg Config) Timer { return newOrdered(cfg, newSortedSet(), cfg.Tick) },
	Ticks:      true,
	MaxPending: 100_000,
	Why:        "filling a skip list with more takes ten seconds and longer",
}

// sortedSet is an order in a skip list that is polled once a tick. It does what polling a sorted
// set in Redis does, without the network.
type sortedSet struct{ list *skip.SkipList }

// A member is an entry with the method that the list asks for.
type member entry

// Compare implements skip.Entry.
func (m *member) Compare(other skip.Entry) int {
	return (*entry)(m).compare((*entry)(other.(*member)))
}

func newSortedSet() *sortedSet { return &sortedSet{list: skip.New(uint32(0))} }

func (s *sortedSet) add(e *entry)    { s.list.Insert((*member)(e)) }
func (s *sortedSet) remove(e *entry) { s.list.Delete((*member)(e)) }

func (s *sortedSet) first() *entry {
	if e := s.list.ByPosition(0); e != nil {
		return (*entry)(e.(*member))
	}
	return nil
}

package hashedwheel

import (
	"sync"
	"sync/atomic"
)

// chunkLen is how many slots are allocated together: 128 KiB at the least payload.
const chunkLen = 4096

// A slot holds one payload of a Batch. Its word says who owns it:
//
//	63            32 31            0
//	┌───────────────┬───────────────┐
//	│  generation   │    status     │
//	└───────────────┴───────────────┘
//
// The generation goes up whenever the slot is freed, so a ticket for an earlier
// use of the slot finds nothing. A slot that is used again ten million times a second
// repeats a generation after seven minutes, and a ticket that old would still have
// to be used in the very use that has its number.
type slot[T any] struct {
	word    atomic.Uint64
	due     uint64   // tick; written before the slot is queued
	at      location // in the wheel; the worker's own
	payload T        // owned by whoever changed the word last
}

// clear takes the payload out of the slot whose word is that of who with a status, and stores
// the word after. It returns false, and does nothing, when the slot has another word. Nobody can
// have the slot in between.
func (s *slot[T]) clear(who id, status, after uint64) bool {
	if !s.word.CompareAndSwap(who.word(status), who.word(slotClearing)) {
		return false
	}
	var zero T
	s.payload = zero
	s.word.Store(after)
	return true
}

// The statuses of a slot.
const (
	slotFree uint64 = iota
	slotQueued
	slotLinked
	slotClearing  // the canceller clears the payload
	slotCancelled // the worker takes it out of the wheel and frees it
)

// An id is a slot number and the generation of one use of it.
type id uint64

func newID(gen uint32, n uint32) id { return id(gen)<<32 | id(n) }
func (i id) slot() uint32           { return uint32(i) }
func (i id) word(status uint64) uint64 {
	return uint64(i)>>32<<32 | status
}

// nextGeneration is the word of the slot once this use is over.
func (i id) nextGeneration() uint64 { return (uint64(i)>>32 + 1) << 32 } // slotFree

// A slab is a growing array of slots that never move. A payload without pointers makes
// all of it invisible to the garbage collector.
type slab[T any] struct {
	chunks atomic.Pointer[[]*[chunkLen]slot[T]]
	free   []magazine // one for each stripe, guarded by the stripe's lock

	grow struct {
		sync.Mutex
		fresh uint32   // slots handed out from the newest chunk's end on
		spare []uint32 // slots that the worker has freed
	}
}

// A magazine is a stripe's store of free slots.
type magazine struct {
	slots []uint32
	_     [128 - 24]byte // off the neighbour's cache lines
}

const (
	// refill is how many slots a magazine takes at a time.
	refill = 64

	// magazineLimit is how many it keeps; above it, half go back.
	magazineLimit = 256
)

func newSlab[T any](stripes int) *slab[T] {
	s := &slab[T]{free: make([]magazine, stripes)}
	s.chunks.Store(new([]*[chunkLen]slot[T]))
	return s
}

// slot returns slot n.
func (s *slab[T]) slot(n uint32) *slot[T] {
	return &(*s.chunks.Load())[n/chunkLen][n%chunkLen]
}

// lookup is slot for numbers that may come from outside; nil if there is none.
func (s *slab[T]) lookup(n uint32) *slot[T] {
	chunks := *s.chunks.Load()
	if int(n/chunkLen) >= len(chunks) {
		return nil
	}
	return &chunks[n/chunkLen][n%chunkLen]
}

// takeLocked returns a free slot.
//
// REQUIRES: the lock of stripe i is held.
func (s *slab[T]) takeLocked(i int) uint32 {
	m := &s.free[i]
	if len(m.slots) == 0 {
		s.refillLocked(m)
	}
	n := m.slots[len(m.slots)-1]
	m.slots = m.slots[:len(m.slots)-1]
	return n
}

func (s *slab[T]) refillLocked(m *magazine) {
	s.grow.Lock()
	defer s.grow.Unlock()
	if k := min(refill, len(s.grow.spare)); k > 0 {
		rest := len(s.grow.spare) - k
		m.slots = append(m.slots, s.grow.spare[rest:]...)
		s.grow.spare = s.grow.spare[:rest]
		return
	}
	old := *s.chunks.Load()
	if int(s.grow.fresh) == len(old)*chunkLen {
		chunks := append(old[:len(old):len(old)], new([chunkLen]slot[T]))
		s.chunks.Store(&chunks)
	}
	for range refill {
		m.slots = append(m.slots, s.grow.fresh)
		s.grow.fresh++
	}
}

// putLocked takes back a slot.
//
// REQUIRES: the lock of stripe i is held.
func (s *slab[T]) putLocked(i int, n uint32) {
	m := &s.free[i]
	m.slots = append(m.slots, n)
	if len(m.slots) > magazineLimit {
		half := len(m.slots) / 2
		s.put(m.slots[half:])
		m.slots = m.slots[:half]
	}
}

// put takes back many slots.
func (s *slab[T]) put(slots []uint32) {
	s.grow.Lock()
	s.grow.spare = append(s.grow.spare, slots...)
	s.grow.Unlock()
}

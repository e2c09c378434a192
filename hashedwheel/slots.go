package hashedwheel

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// chunkLen is how many slots are allocated together: 128 KiB with the smallest payload.
const chunkLen = 4096

// A slot holds one payload of a Batch. Its word says who owns it:
//
//	63            32 31            0
//	┌───────────────┬───────────────┐
//	│  generation   │    status     │
//	└───────────────┴───────────────┘
//
// The generation goes up whenever the slot is freed, so a ticket for an earlier use of the slot
// finds nothing. A slot that is reused ten million times a second repeats a generation after seven
// minutes. A ticket that old would still have to meet exactly the use that has its number.
type slot[T any] struct {
	word    atomic.Uint64
	due     uint64         // tick; written before the slot is queued
	at      wheel.Location // in the wheel; the worker's own
	payload T              // owned by the goroutine that changed the word last
}

// clear zeroes the payload of s if the word of s is who.word(status), and then stores after as the
// word. It returns false, and does nothing, if s has another word. No other goroutine can take the
// slot in between.
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

// nextGeneration returns the word of the slot once this use is over.
func (i id) nextGeneration() uint64 { return (uint64(i)>>32 + 1) << 32 } // slotFree

// A slotTable is an array of slots that never move, in chunks that come and go. A payload without
// pointers makes all of it invisible to the garbage collector.
type slotTable[T any] struct {
	// chunks has the chunks by number, nil for those that are not in memory. It is replaced as a
	// whole when it grows.
	chunks atomic.Pointer[[]atomic.Pointer[chunk[T]]]

	free []magazine // one for each stripe, guarded by the stripe's lock

	grow struct { // guards the chunks' stocks and the table's length
		sync.Mutex
		open   []uint32 // chunks that may have slots in stock
		absent []uint32 // chunks below len(chunks) that are not in memory
		idle   int      // chunks in memory of which all slots are in stock
		puts   int      // slots put back since the last shrink
		grew   bool     // more than maxIdleChunks in memory since the last shrink of an empty Batch

		// generation is the first one of the slots of a new chunk. It is not below that of any slot
		// of a dropped chunk, so that an old ticket finds nothing.
		generation uint32
	}
}

// A chunk holds slots and records which of them are in stock, that is, free and in no magazine.
type chunk[T any] struct {
	slots [chunkLen]slot[T]
	stock [chunkLen / 64]uint64
	n     int  // in stock
	open  bool // listed in slotTable.grow.open
}

const (
	// maxIdleChunks is how many chunks without a used slot are kept for the next burst.
	maxIdleChunks = 1

	// minChunks is the least length of the table of chunks.
	minChunks = 8
)

// A magazine is a stripe's store of free slots.
type magazine struct {
	slots []uint32
	_     [128 - 24]byte // off the neighbour's cache lines
}

const (
	// refill is the most slots that a magazine takes at a time, as many as a word of a stock has
	// bits.
	refill = 64

	// magazineLimit is how many it keeps; above it, half go back.
	magazineLimit = 256
)

func newSlotTable[T any](stripes int) *slotTable[T] {
	s := &slotTable[T]{free: make([]magazine, stripes)}
	s.chunks.Store(new([]atomic.Pointer[chunk[T]]))
	return s
}

// slot returns slot n, which is in use or in a magazine.
func (s *slotTable[T]) slot(n uint32) *slot[T] {
	return &(*s.chunks.Load())[n/chunkLen].Load().slots[n%chunkLen]
}

// lookup works like slot for numbers that may be out of date or come from outside; nil if there is
// none.
func (s *slotTable[T]) lookup(n uint32) *slot[T] {
	chunks := *s.chunks.Load()
	if int(n/chunkLen) >= len(chunks) {
		return nil
	}
	c := chunks[n/chunkLen].Load()
	if c == nil {
		return nil
	}
	return &c.slots[n%chunkLen]
}

// takeLocked returns a free slot.
//
// REQUIRES: the lock of stripe i is held.
func (s *slotTable[T]) takeLocked(i int) uint32 {
	m := &s.free[i]
	if len(m.slots) == 0 {
		s.refillLocked(m)
	}
	n := m.slots[len(m.slots)-1]
	m.slots = m.slots[:len(m.slots)-1]
	return n
}

// refillLocked fills an empty magazine.
//
// REQUIRES: the lock of the magazine's stripe is held.
func (s *slotTable[T]) refillLocked(m *magazine) {
	g := &s.grow
	g.Lock()
	defer g.Unlock()
	for len(m.slots) == 0 {
		if len(g.open) == 0 {
			s.addChunkLocked()
		}
		k := g.open[len(g.open)-1]
		var c *chunk[T]
		if chunks := *s.chunks.Load(); int(k) < len(chunks) {
			c = chunks[k].Load()
		}
		if c != nil && c.n > 0 {
			if c.n == chunkLen {
				g.idle--
			}
			m.slots = c.take(k*chunkLen, m.slots)
		}
		if c == nil || c.n == 0 {
			g.open = g.open[:len(g.open)-1]
			if c != nil {
				c.open = false
			}
		}
	}
}

// take moves slots from the stock to out, refill at most. First is the number of the chunk's first
// slot.
func (c *chunk[T]) take(first uint32, out []uint32) []uint32 {
	for w, word := range c.stock {
		n := bits.OnesCount64(word)
		if len(out)+n > refill {
			break
		}
		c.stock[w] = 0
		c.n -= n
		for ; word != 0; word &= word - 1 {
			out = append(out, first+uint32(w*64+bits.TrailingZeros64(word)))
		}
	}
	return out
}

// addChunkLocked brings a chunk into memory.
//
// REQUIRES: s.grow is locked.
func (s *slotTable[T]) addChunkLocked() {
	g := &s.grow
	if len(g.absent) == 0 {
		s.resizeLocked(2 * len(*s.chunks.Load()))
	}
	k := g.absent[len(g.absent)-1]
	g.absent = g.absent[:len(g.absent)-1]
	c := &chunk[T]{n: chunkLen, open: true}
	for i := range c.slots {
		c.slots[i].word.Store(uint64(g.generation) << 32) // slotFree
	}
	for w := range c.stock {
		c.stock[w] = 1<<64 - 1
	}
	(*s.chunks.Load())[k].Store(c)
	g.open = append(g.open, k)
	g.idle++
	if len(*s.chunks.Load())-len(g.absent) > maxIdleChunks {
		g.grew = true
	}
}

// resizeLocked replaces the table by one with room for n chunks, or minChunks, and lists those that
// are absent.
//
// REQUIRES: s.grow is locked; no chunk is in memory whose number is n or more.
func (s *slotTable[T]) resizeLocked(n int) {
	old := *s.chunks.Load()
	table := make([]atomic.Pointer[chunk[T]], max(n, minChunks))
	s.grow.absent = nil
	for k := len(table) - 1; k >= 0; k-- { // the lowest number is the first to be taken
		if k < len(old) && old[k].Load() != nil {
			table[k].Store(old[k].Load())
		} else {
			s.grow.absent = append(s.grow.absent, uint32(k))
		}
	}
	s.chunks.Store(&table)
}

// putLocked takes back a slot.
//
// REQUIRES: the lock of stripe i is held.
func (s *slotTable[T]) putLocked(i int, n uint32) {
	m := &s.free[i]
	m.slots = append(m.slots, n)
	if len(m.slots) > magazineLimit {
		half := len(m.slots) / 2
		s.put(m.slots[half:])
		m.slots = m.slots[:half]
	}
}

// put takes back many slots, and drops the chunks without a slot in use above maxIdleChunks.
func (s *slotTable[T]) put(slots []uint32) {
	g := &s.grow
	g.Lock()
	defer g.Unlock()
	g.puts += len(slots)
	chunks := *s.chunks.Load()
	for _, n := range slots {
		k := n / chunkLen
		c := chunks[k].Load()
		c.stock[n%chunkLen/64] |= 1 << (n % 64)
		c.n++
		if !c.open {
			g.open = append(g.open, k)
			c.open = true
		}
		if c.n == chunkLen {
			if g.idle++; g.idle > maxIdleChunks {
				s.dropChunkLocked(k)
			}
		}
	}
}

// dropChunkLocked leaves chunk k to the collector. A goroutine that has looked up one of its slots
// before finds a generation there that no ticket has.
//
// REQUIRES: s.grow is locked; all slots of the chunk are in stock.
func (s *slotTable[T]) dropChunkLocked(k uint32) {
	g := &s.grow
	at := &(*s.chunks.Load())[k]
	c := at.Load()
	for i := range c.slots {
		g.generation = max(g.generation, uint32(c.slots[i].word.Load()>>32))
	}
	at.Store(nil)
	g.absent = append(g.absent, k)
	g.idle--
}

// shrinkable reports whether shrink is worth its locks: at least chunkLen slots were put back, or
// nothing is pending for the first time after a burst.
func (s *slotTable[T]) shrinkable(nothingPending bool) bool {
	g := &s.grow
	g.Lock()
	defer g.Unlock()
	if g.puts < chunkLen && !(nothingPending && g.grew) {
		return false
	}
	if nothingPending {
		g.grew = false
	}
	return true
}

// flushLocked empties a magazine: one slot in it keeps a chunk in memory.
//
// REQUIRES: the lock of stripe i is held.
func (s *slotTable[T]) flushLocked(i int) {
	m := &s.free[i]
	s.put(m.slots)
	m.slots = nil
}

// shrink gives back the idle chunks, and what the table and the lists no longer need.
func (s *slotTable[T]) shrink() {
	g := &s.grow
	g.Lock()
	defer g.Unlock()
	g.puts = 0 // what flushLocked has put
	chunks := *s.chunks.Load()
	for k := range chunks {
		if c := chunks[k].Load(); c != nil && c.n == chunkLen {
			s.dropChunkLocked(uint32(k))
		}
	}
	n := len(chunks)
	for n > 0 && chunks[n-1].Load() == nil {
		n--
	}
	if 4*n < len(chunks) && len(chunks) > minChunks {
		s.resizeLocked(2 * n)
		chunks = *s.chunks.Load()
	}
	g.open = slices.Clip(slices.DeleteFunc(g.open, func(k uint32) bool {
		return int(k) >= len(chunks) || chunks[k].Load() == nil
	}))
}

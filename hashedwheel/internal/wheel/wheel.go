// Package wheel is the core of hashedwheel: timing wheels without a clock, a lock or a goroutine.
//
// Time is a tick that the caller passes, so a test of a wheel needs nothing but numbers. The two
// wheels are schemes 6 and 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP
// 1987); both keep their entries in pages that one pool lends to their buckets.
package wheel

import "math"

// Never is a tick that no timer reaches. It is also the largest tick that the state word of a
// timeout can hold: with ticks of one millisecond it lies 2200 years ahead; the largest
// time.Duration is 292 years.
const Never = 1<<46 - 1

// A Location says where a wheel keeps an entry. It is valid until the entry is handed over,
// removed, or reported as moved.
type Location struct {
	Bucket uint32
	Index  uint32
}

// overdueBucket is the bucket number of entries that were filed at or behind the hand. Wheels have
// fewer buckets.
const overdueBucket = math.MaxUint32

// Nowhere is a Location at which no wheel keeps anything.
var Nowhere = Location{overdueBucket, math.MaxUint32}

// A Wheel files entries under ticks and hands them over when its hand reaches their tick. It is for
// one goroutine at a time.
//
// A wheel does not judge what it holds. It hands an entry over when its tick has come, and the
// owner decides whether the entry is due, has moved or was cancelled.
type Wheel[E any] interface {
	// Add files e under tick due and returns its location. If due is not after the current tick,
	// the next Collect hands e over.
	Add(due uint64, e E) Location

	// Remove takes out the entry at l.
	Remove(l Location)

	// DueAt returns the tick under which the entry at l is filed.
	DueAt(l Location) uint64

	// Collect moves the hand to tick now and appends the entries filed under now or an earlier tick
	// to out: first those that were filed at or behind the hand, in no order, and then the others
	// in the order of their ticks. It stops when out is full to its capacity: then done is false,
	// and the next call continues. The hand never moves back.
	//
	// REQUIRES: now is earlier than Never.
	Collect(now uint64, out []E) (due []E, done bool)

	// Next returns the earliest tick at which Collect has something to do. It is the current tick
	// while an entry is left that was filed at or behind the hand. Otherwise it may be earlier than
	// the earliest entry, and is never later. It is Never when nothing is filed.
	Next() uint64

	// Size returns how many entries are filed.
	Size() int

	// Drain takes out every entry and calls f for each.
	Drain(f func(E))

	// Shrink releases the memory of all pages if nothing is filed, and does nothing otherwise.
	Shrink()
}

// New returns an empty wheel: a hierarchical one if layered is true, and otherwise a hashed one
// with rounds. The argument buckets is the number of buckets, or of those in the finest layer, and
// must be a power of two. The wheel calls moved whenever it moves an entry to another location.
func New[E any](buckets int, layered bool, moved func(E, Location)) Wheel[E] {
	if layered {
		return newLayered(buckets, moved)
	}
	return newHashed(buckets, moved)
}

// A frame holds what both kinds of wheel share: the tick that the hand has reached, the entries
// that were filed at or behind it, and the pages.
type frame[E any] struct {
	// current is the last tick that the hand has reached and finished with.
	current uint64

	// overdue holds what was filed at or behind the hand.
	overdue bucket[E]

	n    int // entries in the whole wheel
	pool pagePool[E]

	// moved tells the owner of e that e is now at l.
	moved func(e E, l Location)
}

// Size implements Wheel.
func (f *frame[E]) Size() int { return f.n }

// addOverdue files e, which is due at or behind the hand.
func (f *frame[E]) addOverdue(due uint64, e E) Location {
	return Location{overdueBucket, uint32(f.overdue.push(&f.pool, due, e))}
}

// handOver moves entries from b to out until b is empty or out is full to its capacity; done is
// false if out became full first.
func (f *frame[E]) handOver(b *bucket[E], out []E) (due []E, done bool) {
	had := len(out)
	out = b.moveTo(&f.pool, out)
	f.n -= len(out) - had
	return out, b.n == 0
}

// release releases all pages.
//
// REQUIRES: no entry is filed.
func (f *frame[E]) release() {
	f.pool = pagePool[E]{}
	f.overdue.pages = nil
}

package hashedwheel

import "math"

// A hand is what both wheels have: the tick that they have come to, and what was filed at
// or behind it.
type hand[E any] struct {
	// current is the last tick that the hand has reached and finished with.
	current uint64

	// overdue holds what was filed at or behind the hand.
	overdue bucket[E]

	n    int // entries in the whole wheel
	pool pagePool[E]

	// moved tells the owner of e that it is now at l.
	moved func(e E, l location)
}

// overdueBucket is the bucket number of entries behind the hand. Wheels have fewer
// buckets than that.
const overdueBucket = math.MaxUint32

func (h *hand[E]) size() int { return h.n }

// addOverdue files e, which is due at or behind the hand.
func (h *hand[E]) addOverdue(due uint64, e E) location {
	return location{overdueBucket, uint32(h.overdue.push(&h.pool, due, e))}
}

// handOver moves entries from b to out, until b is empty or out is full to its capacity; done
// is false then.
func (h *hand[E]) handOver(b *bucket[E], out []E) (due []E, done bool) {
	had := len(out)
	out = b.moveTo(&h.pool, out)
	h.n -= len(out) - had
	return out, b.n == 0
}

// shrink gives back all pages.
//
// REQUIRES: nothing is filed.
func (h *hand[E]) shrink() {
	h.pool = pagePool[E]{}
	h.overdue.pages = nil
}

package wheel

import (
	"math"
	"math/bits"
)

// A hashed wheel has rounds and unsorted buckets, scheme 6 of Varghese and Lauck. The entry for
// tick t is in bucket t & mask, whatever its round, and waits there for the hand to pass once for
// each round that remains.
//
// Netty counts those rounds down at every pass, which writes to every entry of the bucket. Here an
// entry keeps its tick, the round is the tick's upper bits, and a bucket knows its earliest round:
// a bucket in which nothing is due costs one comparison. A bucket with due entries costs a
// comparison for each page, and a scan of the pages that may hold one.
type hashed[E any] struct {
	frame[E]

	mask    uint64
	shift   uint // log2 of the number of buckets
	buckets []bucket[E]

	// minRound[i] is a lower bound for the rounds in buckets[i], and later than the round of any
	// tick if the bucket is empty. A removal that leaves entries does not raise it, so it may be
	// too early until the next scan.
	minRound []uint64

	// soonest caches the answer of search, or an earlier tick that was filed since. It is unknown
	// if it is not ahead of the hand. The cache saves a busy wheel the search.
	soonest uint64

	// scan is how many entries the scan of the bucket under the hand has not visited yet; it goes
	// from the end to the start. -1 means that no scan is in progress.
	scan int
}

// newHashed returns an empty wheel. buckets is the number of buckets, a power of two.
func newHashed[E any](buckets int, moved func(E, Location)) *hashed[E] {
	w := &hashed[E]{
		frame:    frame[E]{moved: moved},
		mask:     uint64(buckets - 1),
		shift:    uint(bits.TrailingZeros(uint(buckets))),
		buckets:  make([]bucket[E], buckets),
		minRound: make([]uint64, buckets),
		scan:     -1,
	}
	for i := range w.minRound {
		w.minRound[i] = math.MaxUint64
	}
	return w
}

// round returns the revolution to which tick t belongs.
func (w *hashed[E]) round(t uint64) uint64 { return t >> w.shift }

func (w *hashed[E]) Add(due uint64, e E) Location {
	w.n++
	if due <= w.current {
		return w.addOverdue(due, e)
	}
	b := due & w.mask
	w.scan = -1 // an interrupted scan begins again: its bucket may have changed
	w.soonest = min(w.soonest, due)
	w.minRound[b] = min(w.minRound[b], w.round(due))
	return Location{uint32(b), uint32(w.buckets[b].push(&w.pool, due, e))}
}

func (w *hashed[E]) at(l Location) *bucket[E] {
	if l.Bucket == overdueBucket {
		return &w.overdue
	}
	return &w.buckets[l.Bucket]
}

func (w *hashed[E]) DueAt(l Location) uint64 {
	due, _ := w.at(l).at(&w.pool, int(l.Index))
	return due
}

func (w *hashed[E]) Remove(l Location) {
	b := w.at(l)
	w.scan = -1
	w.n--
	if e, ok := b.remove(&w.pool, int(l.Index)); ok {
		w.moved(e, l)
	}
	if b.n == 0 && l.Bucket != overdueBucket {
		w.minRound[l.Bucket] = math.MaxUint64
	}
}

func (w *hashed[E]) Collect(now uint64, out []E) (due []E, done bool) {
	if out, done = w.handOver(&w.overdue, out); !done {
		return out, false
	}
	for {
		t := w.Next()
		if t > now {
			w.current = max(w.current, now)
			return out, true
		}
		w.current = t - 1 // nothing lies in between
		if out, done = w.collectTick(t, out); !done {
			return out, false
		}
		w.current = t
	}
}

// collectTick appends the entries due at tick t to out. done is false if out is full and some may
// be left.
//
// The scan goes from the end of the bucket to its start. If everything is due, as in a herd of
// equal timeouts, the entry taken out is always the last, and nothing moves.
func (w *hashed[E]) collectTick(t uint64, out []E) (due []E, done bool) {
	bi := uint32(t & w.mask)
	b := &w.buckets[bi]
	if w.scan < 0 {
		w.scan = b.n
	}
	i := w.scan
	for i > 0 {
		p := (i - 1) / pageLen
		first := p * pageLen
		if b.pages[p].earliest > t {
			i = first
			continue
		}
		// One page at a time keeps the bounds checks out of the inner loop.
		pg := w.pool.page(b.pages[p].page)
		if i == b.n {
			// Due entries at the end are taken out together, and leave no hole.
			for i > first && len(out) < cap(out) && pg.due[(i-1)%pageLen] <= t {
				i--
				out = append(out, pg.entries[i%pageLen])
			}
			w.n -= b.n - i
			if i < b.n {
				b.truncate(&w.pool, i)
			}
		}
		for i > first {
			i--
			if pg.due[i%pageLen] > t {
				continue
			}
			if len(out) == cap(out) {
				w.scan = i + 1
				return out, false
			}
			out = append(out, pg.entries[i%pageLen])
			w.n--
			if e, ok := b.remove(&w.pool, i); ok {
				w.moved(e, Location{bi, uint32(i)})
			}
		}
		b.review(&w.pool, p)
	}
	w.minRound[bi] = w.round(b.earliest())
	w.scan = -1
	w.soonest = 0
	return out, true
}

func (w *hashed[E]) Next() uint64 {
	if w.overdue.n > 0 {
		return w.current
	}
	if w.n == 0 {
		return Never
	}
	if w.soonest <= w.current {
		w.soonest = w.search()
	}
	return w.soonest
}

// search returns a lower bound for the ticks of all entries, from the rounds of the buckets.
func (w *hashed[E]) search() uint64 {
	// The first bucket ahead of the hand that is due in the coming revolution is the answer. If
	// there is none the loop visits every bucket, but then the hand can rest for a whole revolution
	// or more.
	first := w.current + 1
	earliest := uint64(Never)
	for k := range uint64(len(w.buckets)) {
		t := first + k
		b := t & w.mask
		r := w.minRound[b]
		if r <= w.round(t) {
			return t
		}
		earliest = min(earliest, r<<w.shift|b)
	}
	return earliest
}

func (w *hashed[E]) Shrink() {
	if w.n > 0 {
		return
	}
	w.frame.release()
	for i := range w.buckets {
		w.buckets[i].pages = nil
	}
}

func (w *hashed[E]) Drain(f func(E)) {
	w.overdue.drain(&w.pool, f)
	for i := range w.buckets {
		w.buckets[i].drain(&w.pool, f)
		w.minRound[i] = math.MaxUint64
	}
	w.n = 0
	w.pool = pagePool[E]{}
	w.scan = -1
	w.soonest = 0
}

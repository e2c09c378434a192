package wheel

import "math/bits"

const (
	// layerBuckets is the number of buckets in every layer but the finest, so that one machine word
	// shows which of them are occupied.
	layerBuckets = 64

	// minFinest is the least number of buckets in the finest layer.
	minFinest = 64

	// handDownBudget is the number of entries that one tick hands down from a layer. A tick hands
	// down more only if the bucket would otherwise be late.
	handDownBudget = 64
)

// A layered wheel is a hierarchical timing wheel, scheme 7 of Varghese and Lauck.
//
// The finest layer has a bucket for each tick. A bucket of a coarser layer spans half of the whole
// layer below it. An entry waits in the finest layer that reaches its tick, and is handed down,
// layer by layer, as the hand comes near. So no bucket holds entries of different rounds, and no
// tick looks at an entry that is neither due nor on its way.
//
// Since a span is only half of the layer below, a coarse bucket can be handed down for nearly a
// whole span before its own begins: a budget each tick instead of everything at once. With ticks of
// 1 ms and 256 buckets, ten million timeouts over ten minutes put 68,000 into a bucket of 4.1 s,
// and moving those at once would hold the wheel up for milliseconds.
type layered[E any] struct {
	frame[E]

	layers []layer[E] // finest first
}

// A layer is one wheel of a layered wheel. The bucket for tick t is t >> shift & mask.
//
// Invariant: the bucket that holds the current tick is empty in every layer but the finest.
type layer[E any] struct {
	shift    uint // log2 of a bucket's span in ticks
	mask     uint64
	first    uint32   // number of its first bucket, for locations
	occupied []uint64 // a bit for each bucket
	buckets  []bucket[E]
}

// span returns how many ticks a bucket spans.
func (l *layer[E]) span() uint64 { return 1 << l.shift }

// reach returns how far ahead of the hand the layer can hold an entry, exclusive. In a coarse layer
// that is one span less than its size, since the hand may stand anywhere in a bucket.
func (l *layer[E]) reach() uint64 {
	if l.shift == 0 {
		return l.mask + 1
	}
	return l.mask << l.shift
}

// newLayered returns an empty wheel with as many layers as it takes to reach every tick. finest is
// the number of buckets in the finest layer, a power of two; values below minFinest are raised to
// it.
func newLayered[E any](finest int, moved func(E, Location)) *layered[E] {
	w := &layered[E]{frame: frame[E]{moved: moved}}
	size, shift, first := max(finest, minFinest), uint(0), uint32(0)
	for {
		l := layer[E]{
			shift:    shift,
			mask:     uint64(size - 1),
			first:    first,
			occupied: make([]uint64, size/64),
			buckets:  make([]bucket[E], size),
		}
		w.layers = append(w.layers, l)
		if l.reach() > Never {
			return w
		}
		first += uint32(size)
		shift += uint(bits.TrailingZeros(uint(size))) - 1
		size = layerBuckets
	}
}

func (w *layered[E]) Add(due uint64, e E) Location {
	w.n++
	if due <= w.current {
		return w.addOverdue(due, e)
	}
	ahead := due - w.current
	l := &w.layers[0]
	for k := 1; ahead >= l.reach(); k++ {
		l = &w.layers[k]
	}
	b := due >> l.shift & l.mask
	l.occupied[b/64] |= 1 << (b % 64)
	return Location{l.first + uint32(b), uint32(l.buckets[b].push(&w.pool, due, e))}
}

// find returns the layer and bucket number of a location.
func (w *layered[E]) find(at Location) (*layer[E], uint32) {
	k := 0
	for k+1 < len(w.layers) && at.Bucket >= w.layers[k+1].first {
		k++
	}
	return &w.layers[k], at.Bucket - w.layers[k].first
}

func (w *layered[E]) DueAt(at Location) uint64 {
	b := &w.overdue
	if at.Bucket != overdueBucket {
		l, i := w.find(at)
		b = &l.buckets[i]
	}
	due, _ := b.at(&w.pool, int(at.Index))
	return due
}

func (w *layered[E]) Remove(at Location) {
	w.n--
	b := &w.overdue
	if at.Bucket != overdueBucket {
		l, i := w.find(at)
		b = &l.buckets[i]
		if b.n == 1 {
			l.occupied[i/64] &^= 1 << (i % 64)
		}
	}
	if e, ok := b.remove(&w.pool, int(at.Index)); ok {
		w.moved(e, at)
	}
}

func (w *layered[E]) Collect(now uint64, out []E) (due []E, done bool) {
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
		w.handDown(t)
		l := &w.layers[0]
		i := t & l.mask
		if out, done = w.handOver(&l.buckets[i], out); !done {
			return out, false
		}
		l.occupied[i/64] &^= 1 << (i % 64)
		w.current = t
	}
}

// handDown moves entries to finer layers, coarsest layer first: all whose bucket begins at tick t,
// and a budget of those whose bucket begins later.
//
// REQUIRES: the current tick is t-1.
func (w *layered[E]) handDown(t uint64) {
	for k := len(w.layers) - 1; k > 0; k-- {
		l := &w.layers[k]
		begin, ok := l.nearest(w.current)
		if !ok || w.handDownAt(k, begin) > t {
			continue
		}
		i := begin >> l.shift & l.mask
		b := &l.buckets[i]
		budget := b.n
		if begin > t {
			// handDownAt limits begin-t to b.n/handDownBudget, so begin-t+1 fits into 32 bits.
			budget = min(budget, max(handDownBudget, 1+b.n/int(begin-t+1)))
		}
		for range budget {
			due, e := b.at(&w.pool, b.n-1)
			b.remove(&w.pool, b.n-1)
			w.n--
			w.moved(e, w.Add(due, e))
		}
		if b.n == 0 {
			l.occupied[i/64] &^= 1 << (i % 64)
		}
	}
}

// nearest returns the first tick of the first occupied bucket of a coarse layer.
func (l *layer[E]) nearest(current uint64) (begin uint64, ok bool) {
	word := l.occupied[0]
	if word == 0 {
		return 0, false
	}
	hand := current >> l.shift
	ahead := bits.TrailingZeros64(bits.RotateLeft64(word, -int(hand&l.mask)))
	return (hand + uint64(ahead)) << l.shift, true
}

// handDownAt returns the tick at which to start handing down the bucket of layer k whose first tick
// is begin: early enough for the budget, but not before the layer below reaches the bucket's end.
func (w *layered[E]) handDownAt(k int, begin uint64) uint64 {
	l := &w.layers[k]
	n := l.buckets[begin>>l.shift&l.mask].n
	lead := min(uint64(n/handDownBudget), l.span()-w.layers[k-1].span())
	return begin - min(lead, begin)
}

func (w *layered[E]) Next() uint64 {
	if w.overdue.n > 0 {
		return w.current
	}
	if w.n == 0 {
		return Never
	}
	earliest := uint64(Never)
	for k := len(w.layers) - 1; k > 0; k-- {
		if begin, ok := w.layers[k].nearest(w.current); ok {
			earliest = min(earliest, max(w.handDownAt(k, begin), w.current+1))
		}
	}
	return min(earliest, w.layers[0].nextOccupied(w.current))
}

// nextOccupied returns the tick of the first occupied bucket of the finest layer ahead of the hand,
// or Never.
func (l *layer[E]) nextOccupied(current uint64) uint64 {
	first := current + 1
	i := first & l.mask
	// The first word is read twice: its upper bits first, its lower ones last.
	word := l.occupied[i/64] >> (i % 64)
	if word != 0 {
		return first + uint64(bits.TrailingZeros64(word))
	}
	at := first + 64 - i%64
	for range l.occupied {
		if word := l.occupied[(at&l.mask)/64]; word != 0 {
			return at + uint64(bits.TrailingZeros64(word))
		}
		at += 64
	}
	return Never
}

func (w *layered[E]) Shrink() {
	if w.n > 0 {
		return
	}
	w.frame.release()
	for k := range w.layers {
		for i := range w.layers[k].buckets {
			w.layers[k].buckets[i].pages = nil
		}
	}
}

func (w *layered[E]) Drain(f func(E)) {
	w.overdue.drain(&w.pool, f)
	for k := range w.layers {
		l := &w.layers[k]
		for i := range l.buckets {
			l.buckets[i].drain(&w.pool, f)
		}
		clear(l.occupied)
	}
	w.n = 0
	w.pool = pagePool[E]{}
}

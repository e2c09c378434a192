package hashedwheel

import "math"

// pageLen is how many entries a page holds. 32 entries of a pointer and a tick
// take 512 bytes: large enough that a scan runs at memory speed, small enough
// that 512 buckets with one timeout each cost a quarter of a megabyte, and the
// largest object that Go's collector still marks page by page.
const pageLen = 32

// maxSparePages bounds the pages that a wheel keeps for later. Past it they are
// left to the garbage collector, so that a burst does not hold memory for ever.
const maxSparePages = 256

// A page is a piece of a bucket: due[i] belongs to item[i]. The two are apart so
// that the scan for what is due reads 8 bytes an entry and nothing else.
type page[E any] struct {
	due  [pageLen]uint64
	item [pageLen]E
}

// A heading is a page as its bucket lists it: with what a scan needs to pass the page by
// without reading it. A page lies anywhere in memory, its bucket's headings lie in a row.
type heading[E any] struct {
	*page[E]

	// earliest is not later than any tick in the page. Removals leave it alone, so it may be
	// too early until the next scan.
	earliest uint64
}

// A bucket holds entries in no order, packed from index 0. Taking one out moves
// the last one into the hole, so nothing is linked and nothing is scattered:
// walking a linked list of ten million heap nodes costs 200 ns a node, walking
// this costs under one.
type bucket[E any] struct {
	pages []heading[E]

	// n is how many entries the bucket holds. Invariant: pages has exactly
	// ceil(n/pageLen) elements.
	n int
}

// A pagePool lends pages to the buckets of one wheel.
type pagePool[E any] struct{ spare []*page[E] }

func (p *pagePool[E]) take() *page[E] {
	if k := len(p.spare) - 1; k >= 0 {
		pg := p.spare[k]
		p.spare[k] = nil
		p.spare = p.spare[:k]
		return pg
	}
	return new(page[E])
}

func (p *pagePool[E]) put(pg *page[E]) {
	if len(p.spare) < maxSparePages {
		p.spare = append(p.spare, pg)
	}
}

// push appends an entry and returns its index.
func (b *bucket[E]) push(pool *pagePool[E], due uint64, e E) int {
	i := b.n
	if i%pageLen == 0 {
		b.pages = append(b.pages, heading[E]{pool.take(), due})
	}
	pg := &b.pages[i/pageLen]
	pg.due[i%pageLen] = due
	pg.item[i%pageLen] = e
	pg.earliest = min(pg.earliest, due)
	b.n++
	return i
}

// due returns the tick of entry i.
func (b *bucket[E]) due(i int) uint64 { return b.pages[i/pageLen].due[i%pageLen] }

// item returns entry i.
func (b *bucket[E]) item(i int) E { return b.pages[i/pageLen].item[i%pageLen] }

// remove takes entry i out and returns the entry that now stands at i, if the
// last one had to move there.
func (b *bucket[E]) remove(pool *pagePool[E], i int) (moved E, ok bool) {
	last := b.n - 1
	from, lo := b.pages[last/pageLen].page, last%pageLen
	if i != last {
		to := &b.pages[i/pageLen]
		moved, ok = from.item[lo], true
		to.item[i%pageLen] = moved
		to.due[i%pageLen] = from.due[lo]
		to.earliest = min(to.earliest, from.due[lo])
	}
	var zero E
	from.item[lo] = zero // the collector must not see it any more
	b.n = last
	if lo == 0 {
		pool.put(from)
		k := len(b.pages) - 1
		b.pages[k] = heading[E]{}
		b.pages = b.pages[:k]
		if k == 0 && cap(b.pages) > 64 {
			b.pages = nil // a burst's page list is not worth keeping
		}
	}
	return moved, ok
}

// review makes the heading of page p exact, if there still is such a page.
func (b *bucket[E]) review(p int) {
	if p >= len(b.pages) {
		return
	}
	pg := &b.pages[p]
	pg.earliest = never
	for _, due := range pg.due[:min(b.n-p*pageLen, pageLen)] {
		pg.earliest = min(pg.earliest, due)
	}
}

// earliest returns a tick that is not later than that of any entry, by the headings, and
// math.MaxUint64 if there is none.
func (b *bucket[E]) earliest() uint64 {
	first := uint64(math.MaxUint64)
	for i := range b.pages {
		first = min(first, b.pages[i].earliest)
	}
	return first
}

// moveTo takes entries out, from the end on so that nothing moves, until the bucket
// is empty or out is full to its capacity.
func (b *bucket[E]) moveTo(out []E, pool *pagePool[E]) []E {
	for b.n > 0 && len(out) < cap(out) {
		out = append(out, b.item(b.n-1))
		b.remove(pool, b.n-1)
	}
	return out
}

// drain takes out every entry, calling f for each.
func (b *bucket[E]) drain(f func(E), pool *pagePool[E]) {
	for b.n > 0 {
		e := b.item(b.n - 1)
		b.remove(pool, b.n-1)
		f(e)
	}
}

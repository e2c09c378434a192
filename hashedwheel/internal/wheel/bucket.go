package wheel

import "math"

// A heading describes one page of a bucket, so that a scan can skip the page without reading it.
// The pages of a bucket are scattered in memory; its headings are contiguous.
type heading struct {
	// earliest is not later than any tick in the page. Removals never raise it, so it may be too
	// early until the next scan.
	earliest uint64

	page uint32 // its number in the pool
}

// A bucket holds entries in no order, packed from index 0. Taking one out moves the last one into
// the hole. So a scan reads memory in sequence, where a linked list would cost a cache miss for
// each entry.
type bucket[E any] struct {
	pages []heading

	// n is how many entries the bucket holds. Invariant: pages has exactly ceil(n/pageLen)
	// elements.
	n int
}

// push appends an entry and returns its index.
func (b *bucket[E]) push(pool *pagePool[E], due uint64, e E) int {
	i := b.n
	if i%pageLen == 0 {
		b.pages = append(b.pages, heading{due, pool.take()})
	}
	h := &b.pages[i/pageLen]
	h.earliest = min(h.earliest, due)
	pg := pool.page(h.page)
	pg.due[i%pageLen] = due
	pg.entries[i%pageLen] = e
	b.n++
	return i
}

// at returns the tick under which entry i is filed, and the entry.
func (b *bucket[E]) at(pool *pagePool[E], i int) (due uint64, e E) {
	pg := pool.page(b.pages[i/pageLen].page)
	return pg.due[i%pageLen], pg.entries[i%pageLen]
}

// remove takes entry i out and returns the entry that now stands at i, if the last one had to move
// there.
func (b *bucket[E]) remove(pool *pagePool[E], i int) (moved E, ok bool) {
	last := b.n - 1
	from, lo := pool.page(b.pages[last/pageLen].page), last%pageLen
	if i != last {
		h := &b.pages[i/pageLen]
		h.earliest = min(h.earliest, from.due[lo])
		to := pool.page(h.page)
		moved, ok = from.entries[lo], true
		to.entries[i%pageLen] = moved
		to.due[i%pageLen] = from.due[lo]
	}
	var zero E
	from.entries[lo] = zero // the collector must no longer find it
	b.n = last
	if lo == 0 {
		b.dropPage(pool)
	}
	return moved, ok
}

// truncate takes out the entries from index n on.
//
// REQUIRES: all of these entries are in the last page.
func (b *bucket[E]) truncate(pool *pagePool[E], n int) {
	k := len(b.pages) - 1
	clear(pool.page(b.pages[k].page).entries[n-k*pageLen : b.n-k*pageLen]) // the collector must no longer find them
	b.n = n
	if n == k*pageLen {
		b.dropPage(pool)
	}
}

// dropPage gives the last page back to the pool.
//
// REQUIRES: the last page has no entries.
func (b *bucket[E]) dropPage(pool *pagePool[E]) {
	k := len(b.pages) - 1
	pool.put(b.pages[k].page)
	b.pages = b.pages[:k]
	if k == 0 && cap(b.pages) > 64 {
		b.pages = nil // a burst's page list is not worth keeping
	}
}

// review recomputes the heading of page p, if the bucket still has that page.
func (b *bucket[E]) review(pool *pagePool[E], p int) {
	if p >= len(b.pages) {
		return
	}
	h := &b.pages[p]
	h.earliest = Never
	for _, due := range pool.page(h.page).due[:min(b.n-p*pageLen, pageLen)] {
		h.earliest = min(h.earliest, due)
	}
}

// earliest returns a lower bound for the ticks of all entries, from the headings; math.MaxUint64
// means that there are none.
func (b *bucket[E]) earliest() uint64 {
	first := uint64(math.MaxUint64)
	for i := range b.pages {
		first = min(first, b.pages[i].earliest)
	}
	return first
}

// moveTo moves entries to out until the bucket is empty or out is full to its capacity. It starts
// at the end, so that no other entry moves.
func (b *bucket[E]) moveTo(pool *pagePool[E], out []E) []E {
	for b.n > 0 && len(out) < cap(out) {
		k := len(b.pages) - 1
		entries := pool.page(b.pages[k].page).entries[:b.n-k*pageLen]
		entries = entries[max(len(entries)-(cap(out)-len(out)), 0):]
		for i := len(entries) - 1; i >= 0; i-- {
			out = append(out, entries[i])
		}
		b.truncate(pool, b.n-len(entries))
	}
	return out
}

// drain takes out every entry, calling f for each.
func (b *bucket[E]) drain(pool *pagePool[E], f func(E)) {
	for b.n > 0 {
		_, e := b.at(pool, b.n-1)
		b.remove(pool, b.n-1)
		f(e)
	}
}

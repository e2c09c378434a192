package wheel

import "math/bits"

// pageLen is how many entries a page holds. Small pages save work, because a scan skips whole
// pages. They also save memory, because a bucket with a single timeout takes a whole page.
const pageLen = 32

const (
	// blockLen is how many pages are allocated together: as many as block.free has bits. The
	// garbage collector visits each object that it finds a pointer to, so a few large objects cost
	// it less than many pages.
	blockLen = 32

	// maxIdleBlocks bounds the empty blocks that a wheel keeps for reuse: 128 KiB if an entry is a
	// pointer of 64 bits. Further empty blocks are left to the garbage collector, so that a burst
	// does not hold memory.
	maxIdleBlocks = 8
)

// A page is a piece of a bucket: due[i] belongs to entries[i]. The two are apart so that the scan
// for what is due reads 8 bytes an entry and nothing else.
type page[E any] struct {
	due     [pageLen]uint64
	entries [pageLen]E
}

// A block is a group of pages that are allocated together. If pages is nil, they are not in memory,
// and all are free.
type block[E any] struct {
	pages *[blockLen]page[E]
	free  uint32 // bit i is set while page i is free
}

// A pagePool lends pages to the buckets of one wheel, by number. It uses numbers instead of
// pointers so that the garbage collector need not scan the headings of the buckets.
type pagePool[E any] struct {
	blocks []block[E]
	open   []uint32 // the blocks that have a free page
	idle   int      // blocks in memory whose pages are all free
}

// page returns page n, which is in use.
func (p *pagePool[E]) page(n uint32) *page[E] {
	return &p.blocks[n/blockLen].pages[n%blockLen]
}

// take returns the number of an empty page, which is in use from then on.
func (p *pagePool[E]) take() uint32 {
	if len(p.open) == 0 {
		p.open = append(p.open, uint32(len(p.blocks)))
		p.blocks = append(p.blocks, block[E]{free: 1<<blockLen - 1})
	}
	k := p.open[len(p.open)-1]
	b := &p.blocks[k]
	if b.pages == nil {
		b.pages = new([blockLen]page[E])
	} else if b.free == 1<<blockLen-1 {
		p.idle--
	}
	i := uint32(bits.TrailingZeros32(b.free))
	b.free &= b.free - 1
	if b.free == 0 {
		p.open = p.open[:len(p.open)-1]
	}
	return k*blockLen + i
}

// put takes page n back.
//
// REQUIRES: the entries of the page are zero.
func (p *pagePool[E]) put(n uint32) {
	k := n / blockLen
	b := &p.blocks[k]
	if b.free == 0 {
		p.open = append(p.open, k)
	}
	b.free |= 1 << (n % blockLen)
	if b.free != 1<<blockLen-1 {
		return
	}
	if p.idle < maxIdleBlocks {
		p.idle++
	} else {
		b.pages = nil
	}
}

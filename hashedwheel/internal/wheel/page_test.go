package wheel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page belongs to one borrower at a time, whatever the order of lending and giving back. At most
// maxIdleBlocks empty blocks are kept.
func TestPagePool(t *testing.T) {
	var p pagePool[*int]
	rng := rand.New(rand.NewPCG(6, 6))
	lent := map[uint32]*page[*int]{}
	var numbers []uint32
	inMemory := func() (n int) {
		for _, b := range p.blocks {
			if b.pages != nil {
				n++
			}
		}
		return n
	}
	const most = 20 * blockLen
	for step, grow := 0, true; step < 20*most; step++ {
		if len(numbers) == 0 || len(numbers) == most {
			grow = len(numbers) == 0
		}
		if grow == (rng.IntN(4) > 0) && len(numbers) < most || len(numbers) == 0 {
			n := p.take()
			require.Nil(t, lent[n], "lent twice")
			lent[n] = p.page(n)
			numbers = append(numbers, n)
		} else {
			k := rng.IntN(len(numbers))
			n := numbers[k]
			require.Same(t, lent[n], p.page(n), "a page stays where it is")
			numbers[k] = numbers[len(numbers)-1]
			numbers = numbers[:len(numbers)-1]
			delete(lent, n)
			p.put(n)
		}
		require.LessOrEqual(t, p.idle, maxIdleBlocks)
	}
	require.LessOrEqual(t, len(p.blocks), most/blockLen, "more blocks than there were ever pages for")
	for _, n := range numbers {
		p.put(n)
	}
	require.LessOrEqual(t, inMemory(), maxIdleBlocks)
	require.Equal(t, p.idle, inMemory())
}

package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Eight buckets of a tick each make a revolution of eight ticks. An entry ten ticks away shares
// bucket 2 with tick 2 and lets the hand pass once.
func TestWheelRounds(t *testing.T) {
	w := newHashed(8, func(string, Location) {})
	l := w.Add(10, "a")
	require.EqualValues(t, 2, l.Bucket)
	require.EqualValues(t, 10, w.Next())

	// Tick 2 goes by: the same bucket, a round too early.
	due, done := w.Collect(9, make([]string, 0, 4))
	require.True(t, done)
	require.Empty(t, due)

	due, done = w.Collect(10, due)
	require.True(t, done)
	require.Equal(t, []string{"a"}, due)
	require.Equal(t, uint64(Never), w.Next())
}

// If more entries are due than there is room for, they are handed over in parts. Entries that are
// not due stay.
func TestWheelHandsOverInParts(t *testing.T) {
	w := newHashed(4, func(int, Location) {})
	for i := range 100 {
		w.Add(uint64(4+4*(i%2)), i) // ticks 4 and 8, one bucket
	}
	got := 0
	for done := false; !done; {
		var due []int
		due, done = w.Collect(4, make([]int, 0, 7))
		got += len(due)
	}
	require.Equal(t, 50, got)
	require.Equal(t, 50, w.Size())
	require.EqualValues(t, 8, w.Next())
}

// Each due entry is handed over once, whatever part of a bucket is due and however little room
// there is. What is not due stays, and the pages keep no pointer to an entry that is gone.
func TestWheelHandsOverEachOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		w := newHashed(4, func(*int, Location) {})
		n, room, share := 1+rng.IntN(3*pageLen), 1+rng.IntN(2*pageLen), rng.IntN(5)
		want, rest := map[*int]bool{}, map[*int]bool{}
		for range n {
			e := new(int)
			if rng.IntN(4) < share {
				w.Add(4, e)
				want[e] = true
			} else {
				w.Add(8, e)
				rest[e] = true
			}
		}
		collect := func(now uint64, want map[*int]bool) {
			for done := false; !done; {
				var due []*int
				due, done = w.Collect(now, make([]*int, 0, room))
				for _, e := range due {
					require.True(t, want[e])
					delete(want, e)
				}
			}
			require.Empty(t, want)
		}
		collect(4, want)
		require.Equal(t, len(rest), w.Size())
		collect(8, rest)
		for _, block := range w.pool.blocks {
			for _, pg := range block.pages {
				require.Zero(t, pg.entries)
			}
		}
	}
}

// A bucket is emptied from its end, in parts that fill the room.
func TestBucketMoveTo(t *testing.T) {
	for n := range 3*pageLen + 2 {
		for _, room := range []int{1, 7, pageLen, pageLen + 1, 200} {
			var pool pagePool[*int]
			var b bucket[*int]
			var want, got []*int
			for range n {
				e := new(int)
				b.push(&pool, 1, e)
				want = append(want, e)
			}
			for b.n > 0 {
				out := b.moveTo(&pool, make([]*int, 0, room))
				require.Len(t, out, min(room, n-len(got)))
				got = append(got, out...)
				require.Len(t, b.pages, (b.n+pageLen-1)/pageLen)
			}
			slices.Reverse(got)
			require.Equal(t, want, got)
			for _, block := range pool.blocks {
				require.Equal(t, uint32(1<<blockLen-1), block.free)
				for _, pg := range block.pages {
					require.Zero(t, pg.entries)
				}
			}
		}
	}
}

// A scan does not read a page whose heading says that nothing in it is due, and leaves exact
// headings behind.
func TestWheelPassesPagesBy(t *testing.T) {
	w := newHashed(4, func(int, Location) {})
	for i := range 3 * pageLen {
		w.Add(400, i)
	}
	near := w.Add(4, -1) // on the fourth page
	w.Add(44, -2)
	w.Add(84, -3)
	b := &w.buckets[0]
	w.pool.page(b.pages[1].page).due[5] = 4 // would be handed over if it were read
	due, done := w.Collect(4, make([]int, 0, 4))
	require.True(t, done)
	require.Equal(t, []int{-1}, due)
	require.EqualValues(t, 44, b.pages[3].earliest)
	require.EqualValues(t, 44, w.Next())

	// A removal may leave the heading's tick too early, and the next scan corrects it.
	w.Remove(Location{near.Bucket, near.Index + 1}) // 44; 84 is left
	w.pool.page(b.pages[1].page).due[5] = 400
	due, done = w.Collect(44, due[:0])
	require.True(t, done)
	require.Empty(t, due)
	require.EqualValues(t, 84, w.Next())

	// An entry that moves to another page takes its tick along.
	w.Remove(Location{near.Bucket, 0})
	require.EqualValues(t, 84, b.pages[0].earliest)
	due, _ = w.Collect(84, due)
	require.Equal(t, []int{-3}, due)
}

// A layered wheel hands down entries gradually, within a budget for each tick, and not a whole
// bucket at once.
func TestLayeredWheelHandsDownGradually(t *testing.T) {
	moves := 0
	w := newLayered(64, func(int, Location) { moves++ })
	const n = 1500
	for i := range n {
		w.Add(1024+uint64(i)%32, i) // one bucket of the second layer
	}
	most, fired := 0, 0
	for now := uint64(1); now < 2100; now++ {
		before := moves
		due, done := w.Collect(now, make([]int, 0, n))
		require.True(t, done)
		fired += len(due)
		most = max(most, moves-before)
	}
	require.Equal(t, n, fired)
	require.Equal(t, n, moves, "each once, from the second layer to the first")
	require.LessOrEqual(t, most, 2*handDownBudget, "entries moved by one tick")
}

// The next tick to wake for is the minimum over all layers.
func TestLayeredWheelNextIsTheMinimum(t *testing.T) {
	w := newLayered(64, func(int, Location) {})
	w.Add(100_000, 1)
	far := w.Next()
	require.LessOrEqual(t, far, uint64(100_000))
	w.Add(50, 2)
	require.EqualValues(t, 50, w.Next())
	w.Add(2_000, 3)
	require.EqualValues(t, 50, w.Next())
	due, _ := w.Collect(50, make([]int, 0, 4))
	require.Equal(t, []int{2}, due)
	require.Greater(t, w.Next(), uint64(50))
	require.LessOrEqual(t, w.Next(), uint64(2_000))
}

// Shrink releases all pages and lists of pages of an empty wheel. It does nothing to a wheel that
// holds entries.
func TestShrink(t *testing.T) {
	pages := func(buckets []bucket[*int]) (n int) {
		for i := range buckets {
			n += cap(buckets[i].pages)
		}
		return n
	}
	for _, layers := range []bool{false, true} {
		w := New(64, layers, func(*int, Location) {})
		for i := range 20_000 {
			w.Add(uint64(1+i), new(int))
		}
		w.Shrink()
		require.Equal(t, 20_000, w.Size())
		for done := false; !done; {
			_, done = w.Collect(20_000, make([]*int, 0, 1000))
		}
		w.Shrink()
		switch w := w.(type) {
		case *hashed[*int]:
			require.Empty(t, w.pool.blocks)
			require.Zero(t, cap(w.overdue.pages)+pages(w.buckets))
		case *layered[*int]:
			require.Empty(t, w.pool.blocks)
			require.Zero(t, cap(w.overdue.pages))
			for k := range w.layers {
				require.Zero(t, pages(w.layers[k].buckets))
			}
		}
		w.Add(30_000, new(int))
		require.Equal(t, 1, w.Size())
	}
}

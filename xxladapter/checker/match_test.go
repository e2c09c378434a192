package checker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bruteForce tries every way to place arrivals. It returns the fewest must windows that stay empty,
// and, independently of that, the most arrivals placed.
func bruteForce(windows []window, at []Instant) (empty, placed int) {
	taken := make([]bool, len(windows))
	empty = len(windows) + 1
	var try func(a, n int)
	try = func(a, n int) {
		if a == len(at) {
			left := 0
			for i, w := range windows {
				if w.must && !taken[i] {
					left++
				}
			}
			empty, placed = min(empty, left), max(placed, n)
			return
		}
		try(a+1, n)
		for i, w := range windows {
			if !taken[i] && w.lo <= at[a] && at[a] <= w.hi {
				taken[i] = true
				try(a+1, n+1)
				taken[i] = false
			}
		}
	}
	try(0, 0)
	return empty, placed
}

// TestMatchAgainstBruteForce checks that match reaches both optima at once, with windows of equal
// and of arbitrary length.
func TestMatchAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		instant := rapid.Custom(func(rt *rapid.T) Instant { return Instant(rapid.IntRange(0, 14).Draw(rt, "t")) })
		equal := rapid.Bool().Draw(rt, "equally long")
		windows := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) window {
			w := window{lo: instant.Draw(rt, "lo"), must: rapid.Bool().Draw(rt, "must"), run: -1}
			w.hi = w.lo + 3
			if !equal {
				w.hi = w.lo + Instant(rapid.IntRange(0, 8).Draw(rt, "length"))
			}
			return w
		}), 0, 6).Draw(rt, "windows")
		at := rapid.SliceOfN(instant, 0, 6).Draw(rt, "arrivals")
		slices.SortFunc(windows, func(a, b window) int { return int(a.lo - b.lo) })
		slices.Sort(at)

		requireOptimal(rt, windows, at)
	})
	dice := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		windows, at := make([]window, dice.IntN(7)), make([]Instant, dice.IntN(7))
		for i := range windows {
			lo := Instant(dice.IntN(10))
			windows[i] = window{lo: lo, hi: lo + Instant(dice.IntN(7)), must: dice.IntN(2) == 0, run: -1}
		}
		for i := range at {
			at[i] = Instant(dice.IntN(14))
		}
		slices.SortFunc(windows, func(a, b window) int { return int(a.lo - b.lo) })
		slices.Sort(at)
		requireOptimal(t, windows, at)
	}
}

// requireOptimal matches, and compares the result with brute force.
func requireOptimal(t require.TestingT, windows []window, at []Instant) {
	wantEmpty, wantPlaced := bruteForce(windows, at)
	match(windows, at)
	empty, placed, used := 0, 0, map[int32]bool{}
	for _, w := range windows {
		switch {
		case w.run >= 0:
			require.False(t, used[w.run], "arrival %d is placed twice", w.run)
			require.True(t, w.lo <= at[w.run] && at[w.run] <= w.hi, "arrival %d is outside its window", w.run)
			used[w.run] = true
			placed++
		case w.must:
			empty++
		}
	}
	require.Equal(t, [2]int{wantEmpty, wantPlaced}, [2]int{empty, placed}, "empty, placed: %+v %v", windows, at)
}

func TestMatchPrefersMust(t *testing.T) {
	// One arrival in three windows. The one that closes last has to be filled.
	windows := []window{{lo: 0, hi: 3, run: -1}, {lo: 1, hi: 4, run: -1}, {lo: 2, hi: 9, must: true, run: -1}}
	match(windows, []Instant{2})
	require.Equal(t, []int32{-1, -1, 0}, []int32{windows[0].run, windows[1].run, windows[2].run})

	// A chain: the last window takes the arrival of the first, which takes that of the second.
	windows = []window{{lo: 0, hi: 4, must: true, run: -1}, {lo: 1, hi: 2, run: -1}, {lo: 3, hi: 5, must: true, run: -1}}
	match(windows, []Instant{1, 3})
	require.Equal(t, []int32{0, -1, 1}, []int32{windows[0].run, windows[1].run, windows[2].run})
}

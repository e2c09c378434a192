package checker

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bruteForce tries every way to place arrivals and returns the fewest must
// windows that stay empty, and, apart from that, the most arrivals placed.
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

// TestMatchAgainstBruteForce: match reaches both optima at once, with windows
// of one length and of any.
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

		wantEmpty, wantPlaced := bruteForce(windows, at)
		match(windows, at)
		empty, placed, used := 0, 0, map[int32]bool{}
		for _, w := range windows {
			switch {
			case w.run >= 0:
				require.False(rt, used[w.run], "arrival %d is placed twice", w.run)
				require.True(rt, w.lo <= at[w.run] && at[w.run] <= w.hi, "arrival %d is outside its window", w.run)
				used[w.run] = true
				placed++
			case w.must:
				empty++
			}
		}
		require.Equal(rt, [2]int{wantEmpty, wantPlaced}, [2]int{empty, placed}, "empty, placed")
	})
}

func TestMatchPrefersMust(t *testing.T) {
	// One arrival in three windows, of which the last to close has to be filled.
	windows := []window{{lo: 0, hi: 3, run: -1}, {lo: 1, hi: 4, run: -1}, {lo: 2, hi: 9, must: true, run: -1}}
	match(windows, []Instant{2})
	require.Equal(t, []int32{-1, -1, 0}, []int32{windows[0].run, windows[1].run, windows[2].run})

	// It takes a chain of two.
	windows = []window{{lo: 0, hi: 9, must: true, run: -1}, {lo: 0, hi: 2, must: true, run: -1}, {lo: 1, hi: 4, run: -1}}
	match(windows, []Instant{1, 2})
	require.True(t, windows[0].run >= 0 && windows[1].run >= 0, "%+v", windows)
}

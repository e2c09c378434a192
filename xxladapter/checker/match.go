package checker

// A window is a stretch of time in which one run is expected or allowed.
type window struct {
	lo, hi Instant // both inclusive
	must   bool    // it must not stay empty
	ref    int32   // identifies the window for the caller
	run    int32   // an index into the arrivals; -1 means that none came
}

// match assigns each window at most one arrival inside it and each arrival at most one window, so
// that as many arrivals as possible are placed, and, among the ways to do so, as few must windows
// as possible stay empty. Not even a smaller matching leaves fewer of them empty.
//
// First, greedily, each arrival in order takes the open window that closes first (Glover 1967).
// This places as many as possible. Proof: take a largest matching that agrees with the greedy one
// on the longest prefix of arrivals, and let a be the first arrival where they differ. If greedy
// leaves out a, no window that is open for it was left free by earlier ones, and both agree.
// Otherwise greedy puts a into w, and the other matching leaves w empty or puts a later arrival b
// into it. If a has no window there, giving it w in place of b keeps the size. If it has v, then v
// was open when greedy chose w, so v closes no sooner than w; as b is not before a and within w, it
// is also within v, and a and b can swap. Either way the other matching agrees on a longer prefix,
// a contradiction. None of this needs windows of equal length; if they are equal, the queue is
// first in, first out.
//
// Then every must window m that stayed empty searches for a path: an arrival in m, its window, an
// arrival in that one, and so on, to a window that is not must. Moving each arrival one step back
// fills m and empties the last window. The sets of windows that can be filled together are the
// independent sets of a matroid (Edmonds and Fulkerson 1965), and a base of a matroid has the
// largest weight as soon as no exchange of one element improves it.
//
// REQUIRES: windows ascend by lo, at ascends, every run is -1.
func match(windows []window, at []Instant) {
	var open windowHeap
	next, optional := 0, false
	for i, t := range at {
		for next < len(windows) && windows[next].lo <= t {
			open.push(windows, int32(next))
			next++
		}
		for len(open) > 0 && windows[open[0]].hi < t {
			open.pop(windows)
		}
		if len(open) > 0 {
			w := open.pop(windows)
			windows[w].run = int32(i)
			optional = optional || !windows[w].must
		}
	}
	if optional {
		exchange(windows, at)
	}
}

// exchange fills must windows by emptying others.
func exchange(windows []window, at []Instant) {
	owner := make([]int32, len(at)) // the window of an arrival, or -1
	for i := range owner {
		owner[i] = -1
	}
	for w := range windows {
		if r := windows[w].run; r >= 0 {
			owner[r] = int32(w)
		}
	}
	// Arrivals that a failed search visited are dead ends for later searches too: a failed search
	// changes nothing, and no path leads out of the visited arrivals.
	came := make([]int32, len(at)) // the window from which an arrival was reached, or -1
	for i := range came {
		came[i] = -1
	}
	var seen, queue []int32
	for m := range windows {
		if !windows[m].must || windows[m].run >= 0 {
			continue
		}
		queue, seen = append(queue[:0], int32(m)), seen[:0]
		for found := false; len(queue) > 0 && !found; {
			w := queue[0]
			queue = queue[1:]
			for a := firstAtOrAfter(at, windows[w].lo); a < len(at) && at[a] <= windows[w].hi; a++ {
				if came[a] >= 0 || owner[a] < 0 {
					continue
				}
				came[a] = w
				seen = append(seen, int32(a))
				if v := owner[a]; windows[v].must {
					queue = append(queue, v)
					continue
				}
				windows[owner[a]].run = -1
				shift(windows, owner, came, int32(a), int32(m))
				found = true
				break
			}
			if found {
				for _, a := range seen {
					came[a] = -1
				}
			}
		}
	}
}

// shift moves the arrivals on the path from m to a one window back.
func shift(windows []window, owner, came []int32, a, m int32) {
	for {
		w := came[a]
		before := windows[w].run
		windows[w].run, owner[a] = a, w
		if w == m {
			return
		}
		a = before
	}
}

// firstAtOrAfter returns the index of the first arrival that is not before t.
func firstAtOrAfter(at []Instant, t Instant) int {
	lo, hi := 0, len(at)
	for lo < hi {
		if mid := (lo + hi) / 2; at[mid] < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// A windowHeap holds indices of windows. The window that closes first is on top; if two close at
// the same instant, the one with the lower index.
type windowHeap []int32

func (h windowHeap) less(windows []window, a, b int32) bool {
	return windows[a].hi < windows[b].hi || windows[a].hi == windows[b].hi && a < b
}

func (h *windowHeap) push(windows []window, w int32) {
	s := append(*h, w)
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.less(windows, s[i], s[up]) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
	*h = s
}

func (h *windowHeap) pop(windows []window) int32 {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < last && s.less(windows, s[down], s[least]) {
				least = down
			}
		}
		if least == i {
			break
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
	*h = s
	return top
}

package cases

import (
	"math"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// resets moves the deadlines of pending timeouts, as a server does whenever a connection is used.
func resets(t contender.Timer, s Setting, order []int) []Variant {
	measure := func(m Meter, n, most int, slot func(i int) int, delay func(i int) time.Duration) {
		sampleSome(m, time.Duration(n)*s.span(), most, 1, func(_, first, n int) (pending int) {
			for i := first; i < first+n; i++ {
				if t.Reset(slot(i), delay(i)) {
					pending++
				}
			}
			return pending
		})
	}
	one := func(int) int { return 0 }
	random := func(i int) int { return order[i%len(order)] }
	later := func(int) time.Duration { return farMax + 5*time.Minute }
	// earlier returns a shorter delay than all calls before it, for as many calls as there are
	// slots.
	earlier := func(i int) time.Duration {
		return farMin - 10*time.Second - time.Duration(i)*(20*time.Second/time.Duration(len(order)))
	}
	used := false // the last variant has run
	return []Variant{
		{Name: "reset/later/order=same", Run: func(m Meter, n int) { measure(m, n, math.MaxInt, one, later) }},
		{Name: "reset/later/order=random", Run: func(m Meter, n int) { measure(m, n, math.MaxInt, random, later) }},
		{Name: "reset/earlier/order=random", Run: func(m Meter, n int) {
			if used {
				for i := range s.Pending {
					t.Stop(i) // a reset to later would leave it in an earlier bucket
				}
				fill(t, s.Pending)
				settle()
			}
			used = true
			measure(m, n, len(order), random, earlier)
		}},
	}
}

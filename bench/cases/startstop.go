package cases

import (
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// ring is how many slots a goroutine uses in turn.
const ring = 1024

// startStop measures the life of a timeout that is stopped before it fires, as nearly all network
// timeouts are. The slots behind those that are pending are free.
func startStop(t contender.Timer, s Setting, procs int) []Variant {
	v := []Variant{{Name: "startstop/goroutines=1", Run: pairs(t, s, 1)}}
	if procs > 1 {
		v = append(v, Variant{Name: "startstop/goroutines=" + Count(procs), Run: pairs(t, s, procs)})
	}
	return v
}

// pairs measures starts and stops by a number of goroutines, each with slots of its own.
func pairs(t contender.Timer, s Setting, goroutines int) func(Meter, int) {
	d := delays()
	do := func(g, first, n int) (stopped int) {
		ringOf := s.Pending + g*ring
		for i := first; i < first+n; i++ {
			slot := ringOf + i&(ring-1)
			t.Start(slot, d[i&(len(d)-1)])
			if t.Stop(slot) {
				stopped++
			}
		}
		return stopped
	}
	return func(m Meter, n int) {
		for g := range goroutines {
			do(g, 0, ring) // what a slot needs once is not counted
		}
		sample(m, time.Duration(n)*s.span(), goroutines, do)
	}
}

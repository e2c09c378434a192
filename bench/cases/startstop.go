package cases

import (
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// ring is how many slots a goroutine uses in turn.
const ring = 1024

// startStop is the life of a timeout that never fires, which is what nearly all
// network timeouts do. The slots behind those that are pending are free.
func startStop(t contender.Timer, s Setting, procs int) []Variant {
	d := delays()
	pairs := func(g, first, n int) (stopped int) {
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
	measure := func(goroutines int) func(Meter, int) {
		return func(m Meter, n int) {
			for g := range goroutines {
				pairs(g, 0, ring) // what a slot needs once is not counted
			}
			sample(m, time.Duration(n)*s.span(), goroutines, pairs)
		}
	}
	v := []Variant{{Name: "startstop/goroutines=1", Run: measure(1)}}
	if procs > 1 {
		v = append(v, Variant{Name: "startstop/goroutines=" + Count(procs), Run: measure(procs)})
	}
	return v
}

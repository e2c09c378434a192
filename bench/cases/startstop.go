package cases

import (
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// ring is how many slots a goroutine uses in turn.
const ring = 1024

// backlog is a tick and some time to work.
const backlog = tick + 5*time.Millisecond

// startStop is the life of a timeout that never fires, which is what nearly all
// network timeouts do. The slots behind those that are pending are free.
func startStop(t contender.Timer, pending, procs int) []Variant {
	d := delays()

	// pairs starts and stops n timeouts and returns how many stops succeeded.
	pairs := func(first, n int) (stopped int) {
		for i := range n {
			slot := first + i&(ring-1)
			t.Start(slot, d[i&(len(d)-1)])
			if t.Stop(slot) {
				stopped++
			}
		}
		return stopped
	}
	measure := func(goroutines int) func(Meter, int) {
		return func(m Meter, n int) {
			m.ReportAllocs()
			stopped := make([]int, goroutines)
			m.ResetTimer()
			before := used()
			if goroutines == 1 {
				stopped[0] = pairs(pending, n)
			} else {
				var all sync.WaitGroup
				for g := range goroutines {
					share := n / goroutines
					if g < n%goroutines {
						share++
					}
					all.Go(func() { stopped[g] = pairs(pending+g*ring, share) })
				}
				all.Wait()
			}
			m.StopTimer()
			time.Sleep(backlog) // and let the worker do what it was left
			cpu := used().cpu - before.cpu
			sum := 0
			for _, x := range stopped {
				sum += x
			}
			if sum != n {
				m.Fatalf("%d of %d stops prevented a run", sum, n)
			}
			m.ReportMetric(float64(cpu.Nanoseconds())/float64(n), "cpu-ns/op")
		}
	}
	v := []Variant{{Name: "startstop/goroutines=1", Run: measure(1)}}
	if procs > 1 {
		v = append(v, Variant{Name: "startstop/goroutines=" + Count(procs), Run: measure(procs)})
	}
	return v
}

package cases

import (
	"runtime"
	"sync"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Start arms timeouts that stay pending: what a burst of requests costs.
var Start = Case{
	Name: "Start",
	Settings: func(short bool) []Setting {
		if short {
			return pending(10_000)
		}
		return pending(100_000, 1_000_000)
	},
	Open: openStart,
}

func openStart(k contender.Kind, s Setting) Ground {
	d := delays()
	run := func(m Meter, n int) {
		m.ReportAllocs()
		m.StopTimer()
		m.ResetTimer()
		for n > 0 {
			batch := min(n, s.Pending)
			t := k.New(contender.Config{Slots: batch, Tick: s.Tick, Fire: noOne, Anonymous: true})
			runtime.GC()
			m.StartTimer()
			for i := range batch {
				t.Start(i, d[i&(len(d)-1)])
			}
			m.StopTimer()
			t.Close()
			n -= batch
		}
	}
	return Ground{Variants: []Variant{{Name: "goroutines=1", Run: run}}, Close: func() {}}
}

// StartStop is the life of a timeout that never fires, which is what nearly all
// network timeouts do, while others are pending.
var StartStop = Case{
	Name: "StartStop",
	Settings: func(short bool) []Setting {
		if short {
			return pending(0, 10_000)
		}
		return pending(0, 100_000, 1_000_000, 5_000_000)
	},
	Open: openStartStop,
}

// ring is how many slots a goroutine uses in turn.
const ring = 1024

func openStartStop(k contender.Kind, s Setting) Ground {
	procs := runtime.GOMAXPROCS(0)
	t := k.New(contender.Config{Slots: s.Pending + procs*ring, Tick: s.Tick, Fire: noOne, Anonymous: true})
	fill(t, s.Pending)
	settle()
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
				stopped[0] = pairs(s.Pending, n)
			} else {
				var all sync.WaitGroup
				for g := range goroutines {
					share := n / goroutines
					if g < n%goroutines {
						share++
					}
					all.Go(func() { stopped[g] = pairs(s.Pending+g*ring, share) })
				}
				all.Wait()
			}
			cpu := used().cpu - before.cpu
			m.StopTimer()
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
	v := []Variant{{Name: "goroutines=1", Run: measure(1)}}
	if procs > 1 {
		v = append(v, Variant{Name: "goroutines=" + Count(procs), Run: measure(procs)})
	}
	return Ground{Variants: v, Close: t.Close}
}

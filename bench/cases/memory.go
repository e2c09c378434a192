package cases

import (
	"runtime"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Memory is what a pending timeout weighs: in bytes, with the handle that its
// owner keeps, and in the time of a full garbage collection. An operation is
// to fill a timer.
var Memory = Case{
	Name: "Memory",
	Settings: func(short bool) []Setting {
		if short {
			return pending(10_000)
		}
		return pending(100_000, 1_000_000, 5_000_000)
	},
	Open: openMemory,
}

func openMemory(k contender.Kind, s Setting) Ground {
	run := func(m Meter, n int) {
		var bytes, collect float64
		for range n {
			runtime.GC()
			runtime.GC()
			before := inUse()
			t := k.New(contender.Config{Slots: s.Pending, Tick: s.Tick, Fire: noOne, Anonymous: true})
			fill(t, s.Pending)
			settle()
			begin := time.Now()
			runtime.GC()
			collect += time.Since(begin).Seconds() * 1e3
			bytes += inUse() - before
			t.Close()
			runtime.KeepAlive(t)
		}
		m.ReportMetric(0, "ns/op")
		m.ReportMetric(bytes/float64(n)/float64(s.Pending), "B/timeout")
		m.ReportMetric(collect/float64(n), "gc-ms")
	}
	return Ground{Variants: []Variant{{Name: "goroutines=1", Run: run}}, Close: func() {}}
}

// inUse returns the bytes in live objects and in stacks.
func inUse() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) + float64(m.StackInuse)
}

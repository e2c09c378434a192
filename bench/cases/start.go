package cases

import (
	"runtime"

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

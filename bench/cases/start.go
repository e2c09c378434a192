package cases

import (
	"runtime"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Start measures what a burst of requests costs: it arms timeouts that stay pending. An operation
// is one start; each sample fills a new timer.
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
		var spent time.Duration
		for range n {
			t := k.New(contender.Config{Slots: s.Pending, Tick: s.Tick, Fire: noOne, Anonymous: true})
			runtime.GC()
			begin := time.Now()
			for i := range s.Pending {
				t.Start(i, d[i&(len(d)-1)])
			}
			spent += time.Since(begin)
			t.Close()
		}
		m.ReportMetric(float64(spent)/float64(n)/float64(s.Pending), "ns/op")
	}
	return Ground{Variants: []Variant{{Name: "goroutines=1", Run: run}}, Close: func() {}}
}

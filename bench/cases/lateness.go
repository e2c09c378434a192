package cases

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Lateness measures the time between the deadline and the run, which is negative for a run that
// came early. An operation is to let all timeouts of a setting fire.
var Lateness = Case{
	Name: "Lateness",
	Settings: func(short bool) []Setting {
		n := 20_000
		if short {
			n = 500
		}
		const spread = 200 * time.Millisecond
		s := []Setting{{Name: "due=" + Count(n) + "/tick=none", Pending: n, Due: n, Spread: spread}}
		for _, t := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
			s = append(s, Setting{
				Name: "due=" + Count(n) + "/tick=" + t.String(), Pending: n, Due: n, Spread: spread, Tick: t,
			})
		}
		return s
	},
	Open: openLateness,
}

// Early is Lateness with so many fires that even a timer that is early once in a million times
// shows it. They are due while others are still being started.
var Early = Case{
	Name: "Early",
	Settings: func(short bool) []Setting {
		n, spread := 10_000_000, 4*time.Second
		if short {
			n, spread = 50_000, 200*time.Millisecond
		}
		return []Setting{{Name: "due=" + Count(n), Pending: n, Due: n, Spread: spread, Tick: tick}}
	},
	Open: openLateness,
}

func openLateness(k contender.Kind, s Setting) Ground {
	run := func(m Meter, n int) {
		var late []time.Duration
		for range n {
			l := fireAll(k, s)
			if l == nil {
				m.Fatalf("not all of %d fired", s.Due)
			}
			late = append(late, l...)
		}
		slices.Sort(late)
		at := func(percent float64) float64 {
			return late[int(percent/100*float64(len(late)-1))].Seconds() * 1e3
		}
		early, _ := slices.BinarySearch(late, 0)
		m.ReportMetric(0, "ns/op")
		m.ReportMetric(at(0), "min-ms")
		m.ReportMetric(at(5), "p5-ms")
		m.ReportMetric(at(50), "p50-ms")
		m.ReportMetric(at(95), "p95-ms")
		m.ReportMetric(at(99), "p99-ms")
		m.ReportMetric(at(100), "max-ms")
		m.ReportMetric(float64(early), "early")
		m.ReportMetric(float64(len(late)), "fires")
	}
	return Ground{Variants: []Variant{{Name: "goroutines=1", Run: run}}, Close: func() {}}
}

// fireAll returns how late each timeout was, or nil if some were lost.
func fireAll(k contender.Kind, s Setting) []time.Duration {
	random := rand.New(rand.NewPCG(4, 4))
	delay := make([]time.Duration, s.Due)
	for i := range delay {
		delay[i] = time.Duration(random.Int64N(int64(s.Spread)))
	}
	var (
		begin = time.Now()
		due   = make([]time.Duration, s.Due) // by slot, written before the slot is started
		late  = make([]time.Duration, s.Due) // by slot, written when it runs, which is once
		left  atomic.Int64
		all   = make(chan struct{})
	)
	left.Store(int64(s.Due))
	t := k.New(contender.Config{Slots: s.Due, Tick: s.Tick, Fire: func(slot int) {
		late[slot] = time.Since(begin) - due[slot]
		if left.Add(-1) == 0 {
			close(all)
		}
	}})
	defer t.Close()
	for i, d := range delay {
		due[i] = time.Since(begin) + d // not later than the timer's own reading of the clock
		t.Start(i, d)
	}
	select {
	case <-all:
		return late
	case <-time.After(30 * time.Second):
		return nil
	}
}

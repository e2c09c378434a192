package cases

import (
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Tick measures the cost of moving the hand over buckets full of timeouts that are not due: ten
// million in 512 buckets. An operation watches the timer for a second.
var Tick = Case{
	Name: "Tick",
	Settings: func(short bool) []Setting {
		if short {
			return pending(10_000)
		}
		return pending(10_000_000)
	},
	Open: openTick,
}

func openTick(k contender.Kind, s Setting) Ground {
	var (
		t     contender.Timer
		busy  atomic.Bool
		fired atomic.Int64
	)
	free := s.Pending // a slot behind those that are pending
	t = k.New(contender.Config{Slots: s.Pending + 1, Tick: s.Tick, Anonymous: true, Fire: func(int) {
		if fired.Add(1); busy.Load() {
			t.Start(free, 0)
		}
	}})
	fill(t, s.Pending)
	settle()

	// If nothing is due the worker may sleep. Otherwise one timeout fires in every tick, and its
	// bucket has to be searched for it.
	observe := func(each bool) func(Meter, int) {
		return func(m Meter, n int) {
			if busy.Store(each); each {
				t.Start(free, 0)
			}
			time.Sleep(200 * time.Millisecond)
			begin, cpuBefore, firedBefore := time.Now(), used().cpu, fired.Load()
			time.Sleep(time.Duration(n) * time.Second)
			wall, cpu, fires := time.Since(begin), used().cpu-cpuBefore, fired.Load()-firedBefore
			busy.Store(false)
			time.Sleep(5 * s.Tick)
			m.ReportMetric(0, "ns/op")
			m.ReportMetric(100*float64(cpu)/float64(wall), "cpu-%")
			m.ReportMetric(float64(fires)/wall.Seconds(), "fires/s")
			m.ReportMetric(float64(cpu.Nanoseconds())/1e3/(wall.Seconds()/s.Tick.Seconds()), "cpu-us/tick")
		}
	}
	return Ground{
		Variants: []Variant{{Name: "due=none", Run: observe(false)}, {Name: "due=each", Run: observe(true)}},
		Close:    t.Close,
	}
}

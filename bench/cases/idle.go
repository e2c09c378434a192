package cases

import (
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Idle is what a timer costs while nothing is due. An operation is
// 0.4 s of it.
var Idle = Case{
	Name: "Idle",
	Settings: func(short bool) []Setting {
		if short {
			return pending(0, 10_000)
		}
		return pending(0, 1_000_000)
	},
	Open: openIdle,
}

func openIdle(k contender.Kind, s Setting) Ground {
	t := k.New(contender.Config{Slots: s.Pending + 1, Tick: s.Tick, Fire: noOne, Anonymous: true})
	// A timer that was never used has not begun to tick.
	t.Start(s.Pending, time.Minute)
	t.Stop(s.Pending)
	fill(t, s.Pending)
	settle()
	const window = 400 * time.Millisecond
	time.Sleep(150 * time.Millisecond) // until a timer that stays awake for a while sleeps
	run := func(m Meter, n int) {
		begin, before := time.Now(), used()
		for range n {
			time.Sleep(window)
		}
		after, wall := used(), time.Since(begin)
		m.ReportMetric(0, "ns/op")
		m.ReportMetric(100*float64(after.cpu-before.cpu)/float64(wall), "cpu-%")
		m.ReportMetric(float64(after.waits-before.waits)/wall.Seconds(), "wakeups/s")
	}
	return Ground{Variants: []Variant{{Name: "tick=10ms", Run: run}}, Close: t.Close}
}

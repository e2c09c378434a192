package cases

import (
	"runtime"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Pending is all that is measured while many timeouts are pending. It is one case,
// since filling a timer takes longer than the measurements.
var Pending = Case{
	Name: "Pending",
	Settings: func(short bool) []Setting {
		if short {
			return pending(0, 10_000)
		}
		return pending(0, 100_000, 1_000_000, 5_000_000)
	},
	Open: openPending,
}

// resetAt and above is where deadlines are moved; idleAt is where the timer is also
// watched doing nothing, beside the empty one. Other sizes would show nothing new.
const (
	resetAt = 1_000_000
	idleAt  = 1_000_000
)

func openPending(k contender.Kind, s Setting) Ground {
	procs := runtime.GOMAXPROCS(0)
	runtime.GC()
	before := inUse()
	t := k.New(contender.Config{Slots: s.Pending + procs*ring, Tick: s.Tick, Fire: noOne, Anonymous: true})
	fill(t, s.Pending)
	settle()

	var v []Variant
	small := s.Pending <= 10_000
	if s.Pending > 0 {
		v = append(v, Variant{Name: "memory", Run: weigh(s.Pending, before)})
	}
	if s.Pending == idleAt || small {
		v = append(v, Variant{Name: "idle", Run: watch(t, s.Pending)})
	}
	v = append(v, startStop(t, s.Pending, procs)...)
	if s.Pending == resetAt || small && s.Pending > 0 {
		v = append(v, resets(t, s.Pending)...)
	}
	return Ground{Variants: v, Close: t.Close}
}

// weigh measures what a pending timeout weighs: in bytes, with the handle that its
// owner keeps, and in the time of a full garbage collection. An operation is
// a collection.
func weigh(pending int, before float64) func(Meter, int) {
	return func(m Meter, n int) {
		begin := time.Now()
		for range n {
			runtime.GC()
		}
		collect := time.Since(begin).Seconds() * 1e3
		m.ReportMetric(0, "ns/op")
		m.ReportMetric((inUse()-before)/float64(pending), "B/timeout")
		m.ReportMetric(collect/float64(n), "gc-ms")
	}
}

// inUse returns the bytes in live objects and in stacks.
func inUse() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) + float64(m.StackInuse)
}

// watch measures what a timer costs while nothing is due. An operation is to wait for
// a while.
func watch(t contender.Timer, pending int) func(Meter, int) {
	const window = 300 * time.Millisecond
	return func(m Meter, n int) {
		// A timer that was never used has not begun to tick; one that has been used
		// may stay awake for some ticks.
		t.Start(pending, time.Minute)
		t.Stop(pending)
		time.Sleep(150 * time.Millisecond)
		begin, before := time.Now(), used()
		for range n {
			time.Sleep(window)
		}
		after, wall := used(), time.Since(begin)
		m.ReportMetric(0, "ns/op")
		m.ReportMetric(100*float64(after.cpu-before.cpu)/float64(wall), "cpu-%")
		m.ReportMetric(float64(after.waits-before.waits)/wall.Seconds(), "wakeups/s")
	}
}

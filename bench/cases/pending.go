package cases

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Pending makes all measurements for which many timeouts have to be pending. They are one case
// because filling a timer takes longer than the measurements.
var Pending = Case{
	Name: "Pending",
	Settings: func(short bool) []Setting {
		if short {
			s := pending(0, 10_000)
			for i := range s {
				s[i].Short = true
			}
			return s
		}
		return pending(0, 100_000, 1_000_000, 5_000_000)
	},
	Open: openPending,
}

// resetAt is the number of pending timeouts with which deadlines are moved, and idleAt the number
// with which an idle timer is watched. An idle timer is watched with none pending too; other
// numbers would show nothing new.
const (
	resetAt = 1_000_000
	idleAt  = 1_000_000
)

func openPending(k contender.Kind, s Setting) Ground {
	procs := runtime.GOMAXPROCS(0)
	small := s.Pending <= 10_000
	var order []int // drawn before the weighing, or it would count
	if s.Pending == resetAt || small && s.Pending > 0 {
		order = rand.New(rand.NewPCG(3, 3)).Perm(s.Pending)
	}
	runtime.GC()
	before := inUse()
	t := k.New(contender.Config{Slots: s.Pending + procs*ring, Tick: s.Tick, Fire: noOne, Anonymous: true})
	fill(t, s.Pending)
	settle()

	var v []Variant
	if s.Pending > 0 {
		v = append(v, Variant{Name: "memory", Run: weigh(s, before)})
	}
	if s.Pending == idleAt || small {
		v = append(v, Variant{Name: "idle", Run: watch(t, s.Pending)})
	}
	v = append(v, startStop(t, s, procs)...)
	if order != nil {
		v = append(v, resets(t, s, order)...)
	}
	return Ground{Variants: v, Close: t.Close}
}

// weigh measures the bytes of a pending timeout, with the handle that its owner keeps, and the
// duration and processor time of a full garbage collection. Processor time does not depend on how
// many processors were free.
func weigh(s Setting, before float64) func(Meter, int) {
	return func(m Meter, n int) {
		atLeast, collections := 2*n, 0
		begin, cpuBefore := time.Now(), used().cpu
		for collections < atLeast || time.Since(begin) < time.Duration(n)*s.span() {
			runtime.GC()
			collections++
		}
		wall, cpu := time.Since(begin), used().cpu-cpuBefore
		each := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(collections) }
		m.ReportMetric(0, "ns/op")
		m.ReportMetric((inUse()-before)/float64(s.Pending), "B/timeout")
		m.ReportMetric(each(wall), "gc-ms")
		m.ReportMetric(each(cpu), "gc-cpu-ms")
	}
}

// inUse returns the bytes in live objects and in stacks.
func inUse() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) + float64(m.StackInuse)
}

// watch measures the cost of a timer while nothing is due. An operation waits for the window.
func watch(t contender.Timer, pending int) func(Meter, int) {
	const window = 300 * time.Millisecond
	return func(m Meter, n int) {
		// A timer that was never used has not begun to tick. One that was used may stay awake for
		// eight ticks.
		t.Start(pending, time.Minute)
		t.Stop(pending)
		time.Sleep(120 * time.Millisecond)
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

package cases

import (
	"math"
	"runtime"
	"sync"
	"time"
)

// span is how long a sample of a fast operation lasts, and block how many operations lie between
// two readings of the clock. A sample is a span and not a number of operations, because package
// testing would find that number by repeated runs and collect garbage before each of them, which is
// slow with five million pending timeouts.
const (
	span      = 50 * time.Millisecond
	shortSpan = 2 * time.Millisecond
	block     = 128
)

// backlog is how long sample waits for the timer's own goroutine after the operations: a tick and
// some time to work.
const backlog = tick + 5*time.Millisecond

// A load does the operations from number first on and returns how many did what they should.
// Goroutine g has numbers of its own.
type load func(g, first, n int) (good int)

// sample does as many operations as fit into a time, on each of some goroutines, and reports what
// one of them costs: in time of the caller, in processor time of the whole process, including what
// the timer's own goroutine does within backlog afterwards, and in allocations.
func sample(m Meter, d time.Duration, goroutines int, do load) {
	sampleSome(m, d, math.MaxInt, goroutines, do)
}

// sampleSome does what sample does, with a limit for the operations of each goroutine.
func sampleSome(m Meter, d time.Duration, most, goroutines int, do load) {
	m.ReportAllocs()
	counts := make([]struct {
		done, good int
		_          [112]byte // off the neighbour's cache lines
	}, goroutines)
	loop := func(g int) {
		c, begin := &counts[g], time.Now()
		for c.done <= most-block && time.Since(begin) < d {
			c.good += do(g, c.done, block)
			c.done += block
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin, cpuBefore := time.Now(), used().cpu
	if goroutines == 1 {
		loop(0) // on this goroutine, which is warm
	} else {
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() { loop(g) })
		}
		all.Wait()
	}
	wall := time.Since(begin)
	runtime.ReadMemStats(&after)
	time.Sleep(backlog)
	cpu := used().cpu - cpuBefore

	done, good := 0, 0
	for _, c := range counts {
		done, good = done+c.done, good+c.good
	}
	if good != done {
		m.Fatalf("%d of %d timeouts were pending when they should be", good, done)
	}
	each := func(n float64) float64 { return n / float64(done) }
	m.ReportMetric(each(float64(wall)), "ns/op")
	m.ReportMetric(each(float64(cpu)), "cpu-ns/op")
	m.ReportMetric(each(float64(after.Mallocs-before.Mallocs)), "allocs/op")
	m.ReportMetric(each(float64(after.TotalAlloc-before.TotalAlloc)), "B/op")
}

package time_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	standard "time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// A rival is one implementation of the timers, as functions that return what all have in common.
type rival struct {
	name      string
	newTimer  func(standard.Duration) (timer, <-chan standard.Time)
	afterFunc func(standard.Duration, func()) timer
	newTicker func(standard.Duration) (c <-chan standard.Time, stop func())
}

type timer interface {
	Stop() bool
	Reset(standard.Duration) bool
}

var rivals = []rival{
	{
		"wheel",
		func(d standard.Duration) (timer, <-chan standard.Time) { t := time.NewTimer(d); return t, t.C },
		func(d standard.Duration, f func()) timer { return time.AfterFunc(d, f) },
		func(d standard.Duration) (<-chan standard.Time, func()) { t := time.NewTicker(d); return t.C, t.Stop },
	},
	{
		"standard",
		func(d standard.Duration) (timer, <-chan standard.Time) { t := standard.NewTimer(d); return t, t.C },
		func(d standard.Duration, f func()) timer { return standard.AfterFunc(d, f) },
		func(d standard.Duration) (<-chan standard.Time, func()) {
			t := standard.NewTicker(d)
			return t.C, t.Stop
		},
	},
}

var inline = rival{
	name:      "inline",
	afterFunc: func(d standard.Duration, f func()) timer { return time.Clock{}.Inline().AfterFunc(d, f) },
}

// populations runs a benchmark with none and with a million other timers pending, on each rival.
func populations(b *testing.B, bench func(b *testing.B, r rival, others []timer)) {
	for _, n := range []int{0, 1_000_000} {
		if n > 0 && testing.Short() {
			n = 1000
		}
		for _, r := range rivals {
			b.Run(fmt.Sprintf("pending=%d/%s", n, r.name), func(b *testing.B) {
				others := make([]timer, n)
				for i := range others {
					others[i] = r.afterFunc(standard.Hour+standard.Duration(rand.IntN(3600))*standard.Second, func() {})
				}
				runtime.GC()
				b.ReportAllocs()
				bench(b, r, others)
				b.StopTimer()
				for _, other := range others {
					other.Stop()
				}
			})
		}
	}
}

func BenchmarkNewTimerStop(b *testing.B) {
	populations(b, func(b *testing.B, r rival, _ []timer) {
		for b.Loop() {
			t, _ := r.newTimer(30 * standard.Second)
			t.Stop()
		}
	})
}

// BenchmarkRequest waits for an answer or a timer, whichever comes first. Package time keeps a
// timer with a channel in its heap only while a goroutine waits for that channel, as one does here.
func BenchmarkRequest(b *testing.B) {
	populations(b, func(b *testing.B, r rival, _ []timer) {
		requests, answers := make(chan int), make(chan int)
		defer close(requests)
		go func() {
			for n := range requests {
				answers <- n
			}
		}()
		for b.Loop() {
			t, c := r.newTimer(30 * standard.Second)
			requests <- 1
			select {
			case <-answers:
			case <-c:
				b.Error("no answer")
			}
			t.Stop()
		}
	})
}

func BenchmarkAfterFuncStop(b *testing.B) {
	f := func() {}
	populations(b, func(b *testing.B, r rival, _ []timer) {
		for b.Loop() {
			r.afterFunc(30*standard.Second, f).Stop()
		}
	})
}

// BenchmarkReset resets one timer again and again.
func BenchmarkReset(b *testing.B) {
	populations(b, func(b *testing.B, r rival, _ []timer) {
		t := r.afterFunc(standard.Hour, func() {})
		for b.Loop() {
			t.Reset(standard.Hour)
		}
		t.Stop()
	})
}

// BenchmarkResetMany resets one of all pending timers at random.
func BenchmarkResetMany(b *testing.B) {
	populations(b, func(b *testing.B, r rival, others []timer) {
		if len(others) == 0 {
			b.Skip("there are no pending timers to reset")
		}
		for b.Loop() {
			others[rand.IntN(len(others))].Reset(2 * standard.Hour)
		}
	})
}

// BenchmarkExpire has ten thousand functions of AfterFunc come due within ten milliseconds. It
// reports the processor time of each call. Blocking functions wait until all have been called.
func BenchmarkExpire(b *testing.B) {
	const n = 10_000
	expire := func(b *testing.B, r rival, block bool) {
		begin := cpuTime()
		for b.Loop() {
			var called, all sync.WaitGroup
			called.Add(n)
			all.Add(n)
			f := func() {
				called.Done()
				if block {
					called.Wait()
				}
				all.Done()
			}
			for i := range n {
				r.afterFunc(10*standard.Millisecond+standard.Duration(i)*standard.Microsecond, f)
			}
			all.Wait()
		}
		b.ReportMetric(float64(cpuTime()-begin)/float64(b.N)/n, "cpu-ns/call")
		b.ReportMetric(0, "ns/op")
	}
	for _, r := range append(rivals[:len(rivals):len(rivals)], inline) {
		b.Run("returning/"+r.name, func(b *testing.B) { expire(b, r, false) })
	}
	for _, r := range rivals {
		b.Run("blocking/"+r.name, func(b *testing.B) { expire(b, r, true) })
	}
}

// BenchmarkTickers has ten thousand goroutines wait for tickers with a period of a hundred
// milliseconds. It reports the processor time of a tick.
func BenchmarkTickers(b *testing.B) {
	const n = 10_000
	for _, r := range rivals {
		b.Run(r.name, func(b *testing.B) {
			var stops []func()
			var received atomic.Int64
			end := make(chan bool)
			for range n {
				c, stop := r.newTicker(100 * standard.Millisecond)
				stops = append(stops, stop)
				go func() {
					for {
						select {
						case <-c:
							received.Add(1)
						case <-end:
							return
						}
					}
				}()
			}
			runtime.GC()
			begin := cpuTime()
			received.Store(0)
			for b.Loop() {
				standard.Sleep(standard.Second) // the span that is measured
			}
			b.ReportMetric(float64(cpuTime()-begin)/float64(received.Load()), "cpu-ns/tick")
			b.ReportMetric(0, "ns/op")
			close(end)
			for _, stop := range stops {
				stop()
			}
		})
	}
}

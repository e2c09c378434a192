package hashedwheel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// The benchmarks measure this package beside time.AfterFunc, in one process. Other packages are
// compared in bench. Run with -count=10 and take medians; ratios within one run are steadier than
// the numbers.

// far is a delay that no benchmark lives to see.
const far = 30 * time.Minute

var pendings = []int{0, 1_000_000, 5_000_000}

func nothing() {}

func benchTimer(b *testing.B, opts Options) *HashedWheelTimer {
	b.Helper()
	if opts.TickDuration == 0 {
		opts.TickDuration = 10 * time.Millisecond
	}
	w, err := New(opts)
	require.NoError(b, err)
	require.NoError(b, w.Start())
	b.Cleanup(func() { _, _ = w.Stop() })
	return w
}

// until waits, in real time, for is to report true. The worker files what is queued meanwhile.
func until(b *testing.B, is func() bool) {
	b.Helper()
	for !is() {
		time.Sleep(time.Millisecond) // leaves the processor to the worker
	}
}

// fill arms n embedded timeouts, spread over many buckets and rounds, and waits until they are in
// the wheel.
func fill(b *testing.B, w *HashedWheelTimer, n int) []Timeout {
	b.Helper()
	all := make([]Timeout, n)
	for i := range all {
		w.Init(&all[i], plainFunc(nothing))
		all[i].Reset(far + time.Duration(i%600_000)*time.Millisecond)
	}
	until(b, func() bool { return w.Stats().Queued == 0 && (n == 0 || w.clock.parked.Load() != 0) })
	runtime.GC()
	return all
}

func BenchmarkStartStop(b *testing.B) {
	for _, n := range pendings {
		b.Run(fmt.Sprintf("embedded/pending=%d", n), func(b *testing.B) {
			w := benchTimer(b, Options{})
			all := fill(b, w, n)
			var x Timeout
			w.Init(&x, plainFunc(nothing))
			b.ReportAllocs()
			for b.Loop() {
				x.Reset(30 * time.Second)
				x.Stop()
			}
			runtime.KeepAlive(all)
		})
		b.Run(fmt.Sprintf("new/pending=%d", n), func(b *testing.B) {
			w := benchTimer(b, Options{})
			all := fill(b, w, n)
			b.ReportAllocs()
			for b.Loop() {
				w.AfterFunc(30*time.Second, nothing).Stop()
			}
			runtime.KeepAlive(all)
		})
		b.Run(fmt.Sprintf("batch/pending=%d", n), func(b *testing.B) {
			w, err := NewBatch(Options{TickDuration: 10 * time.Millisecond}, func([]int64) {})
			require.NoError(b, err)
			defer w.Stop()
			for i := range n {
				_, _ = w.Add(int64(i), far+time.Duration(i%600_000)*time.Millisecond)
			}
			b.ReportAllocs()
			for b.Loop() {
				t, _ := w.Add(1, 30*time.Second)
				w.Cancel(t)
			}
		})
		b.Run(fmt.Sprintf("time/pending=%d", n), func(b *testing.B) {
			all := make([]*time.Timer, n)
			for i := range all {
				all[i] = time.AfterFunc(far+time.Duration(i%600_000)*time.Millisecond, nothing)
			}
			runtime.GC()
			b.ReportAllocs()
			for b.Loop() {
				time.AfterFunc(30*time.Second, nothing).Stop()
			}
			b.StopTimer()
			for _, t := range all {
				t.Stop()
			}
		})
	}
}

// startStopInTurn starts and stops n timeouts one after the other; n is a power of two.
func startStopInTurn(b *testing.B, w *HashedWheelTimer, n int) {
	b.Helper()
	all := make([]Timeout, n)
	for i := range all {
		w.Init(&all[i], plainFunc(nothing))
	}
	i := 0
	for b.Loop() {
		x := &all[i&(n-1)]
		x.Reset(30 * time.Second)
		x.Stop()
		i++
	}
}

// BenchmarkStartStopSpread goes round a million handles, so that each is met cold.
func BenchmarkStartStopSpread(b *testing.B) {
	startStopInTurn(b, benchTimer(b, Options{}), 1<<20)
}

// BenchmarkStartStopInUse starts and stops timeouts while another one is due at each tick.
func BenchmarkStartStopInUse(b *testing.B) {
	w := benchTimer(b, Options{})
	due := make([]Timeout, 6000)
	for i := range due {
		w.Init(&due[i], plainFunc(nothing))
		due[i].Reset(time.Duration(i+1) * 10 * time.Millisecond)
	}
	until(b, func() bool { return w.Stats().Queued == 0 })
	startStopInTurn(b, w, 1<<16)
	require.NotZero(b, w.PendingTimeouts(), "the benchmark has run for less than a minute")
}

func BenchmarkStartStopParallel(b *testing.B) {
	b.Run("embedded", func(b *testing.B) {
		w := benchTimer(b, Options{})
		b.RunParallel(func(pb *testing.PB) {
			var x Timeout
			w.Init(&x, plainFunc(nothing))
			for pb.Next() {
				x.Reset(30 * time.Second)
				x.Stop()
			}
		})
	})
	b.Run("new", func(b *testing.B) {
		w := benchTimer(b, Options{})
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				w.AfterFunc(30*time.Second, nothing).Stop()
			}
		})
	})
	b.Run("time", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				time.AfterFunc(30*time.Second, nothing).Stop()
			}
		})
	})
}

func BenchmarkResetLater(b *testing.B) {
	const n = 1 << 20
	b.Run("wheel", func(b *testing.B) {
		w := benchTimer(b, Options{})
		all := fill(b, w, n)
		b.ReportAllocs()
		for b.Loop() {
			all[7].Reset(2 * far)
		}
	})
	b.Run("wheel/cold", func(b *testing.B) {
		w := benchTimer(b, Options{})
		all := fill(b, w, n)
		i := 0
		for b.Loop() {
			all[i*7919&(n-1)].Reset(2 * far)
			i++
		}
	})
	b.Run("time", func(b *testing.B) {
		all := make([]*time.Timer, n)
		for i := range all {
			all[i] = time.AfterFunc(far+time.Duration(i)*time.Millisecond, nothing)
		}
		b.ReportAllocs()
		for b.Loop() {
			all[7].Reset(2 * far)
		}
		b.StopTimer()
		for _, t := range all {
			t.Stop()
		}
	})
	b.Run("time/cold", func(b *testing.B) {
		all := make([]*time.Timer, n)
		for i := range all {
			all[i] = time.AfterFunc(far+time.Duration(i)*time.Millisecond, nothing)
		}
		i := 0
		for b.Loop() {
			all[i*7919&(n-1)].Reset(2 * far)
			i++
		}
		b.StopTimer()
		for _, t := range all {
			t.Stop()
		}
	})
}

func BenchmarkTouch(b *testing.B) {
	w := benchTimer(b, Options{})
	idle, err := w.NewIdle(time.Minute, func(*IdleMember) {})
	require.NoError(b, err)
	var m IdleMember
	require.NoError(b, idle.Add(&m))
	for b.Loop() {
		m.Touch()
	}
}

// BenchmarkHerd fires a million timeouts that are due at one instant. The cost is the time from the
// first run to the last.
func BenchmarkHerd(b *testing.B) {
	const n = 1_000_000
	var left atomic.Int64
	var first, last time.Time
	done := make(chan struct{}, 1)
	task := func() {
		switch left.Add(-1) {
		case n - 1:
			first = time.Now()
		case 0:
			last = time.Now()
			done <- struct{}{}
		}
	}
	report := func(b *testing.B, spent time.Duration) {
		b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/n, "ns/fire")
		b.ReportMetric(0, "ns/op")
	}
	for _, kind := range []string{"rounds", "layered"} {
		b.Run("wheel/"+kind, func(b *testing.B) {
			w := benchTimer(b, Options{TickDuration: 50 * time.Millisecond, Layered: kind == "layered"})
			all := make([]Timeout, n)
			for i := range all {
				w.Init(&all[i], plainFunc(task))
			}
			var spent time.Duration
			for range b.N {
				left.Store(n)
				due := time.Now().Add(2 * time.Second)
				for i := range all {
					all[i].Reset(time.Until(due))
				}
				<-done
				spent += last.Sub(first)
			}
			report(b, spent)
		})
	}
	b.Run("batch", func(b *testing.B) {
		w, err := NewBatch(Options{TickDuration: 50 * time.Millisecond}, func(due []int64) {
			if left.Load() == n {
				first = time.Now()
			}
			if left.Add(-int64(len(due))) == 0 {
				last = time.Now()
				done <- struct{}{}
			}
		})
		require.NoError(b, err)
		defer w.Stop()
		var spent time.Duration
		for range b.N {
			left.Store(n)
			due := time.Now().Add(2 * time.Second)
			for i := range int64(n) {
				_, _ = w.Add(i, time.Until(due))
			}
			<-done
			spent += last.Sub(first)
		}
		report(b, spent)
	})
	b.Run("time", func(b *testing.B) {
		var spent time.Duration
		for range b.N {
			left.Store(n)
			due := time.Now().Add(2 * time.Second)
			for range n {
				time.AfterFunc(time.Until(due), task)
			}
			<-done
			spent += last.Sub(first)
		}
		report(b, spent)
	})
}

// BenchmarkMemory reports bytes for each pending timeout, handle included, and the time of a full
// collection with all of them pending.
func BenchmarkMemory(b *testing.B) {
	// begin makes timeouts pending, and returns what keeps them so, and what ends them: a later
	// iteration would count them in its collections.
	measure := func(b *testing.B, n int, begin func() (kept any, end func())) {
		for b.Loop() {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&before)
			kept, end := begin()
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&after)
			best, cpu := time.Duration(1<<62), time.Duration(1<<62)
			for range 5 {
				start, cpuStart := time.Now(), cpuTime()
				runtime.GC()
				best, cpu = min(best, time.Since(start)), min(cpu, cpuTime()-cpuStart)
			}
			b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/float64(n), "B/pending")
			b.ReportMetric(float64(best.Microseconds())/1000, "gc-ms")
			b.ReportMetric(float64(cpu.Microseconds())/1000, "gc-cpu-ms")
			runtime.KeepAlive(kept)
			end()
		}
		b.ReportMetric(0, "ns/op")
	}
	settle := func(w *HashedWheelTimer) {
		until(b, func() bool { return w.Stats().Queued == 0 && w.clock.parked.Load() != 0 })
	}
	stop := func(w *HashedWheelTimer) func() { return func() { _, _ = w.Stop() } }
	delay := func(i int) time.Duration { return far + time.Duration(i%600_000)*time.Millisecond }
	for _, n := range pendings[1:] {
		b.Run(fmt.Sprintf("new/pending=%d", n), func(b *testing.B) {
			measure(b, n, func() (any, func()) {
				w := benchTimer(b, Options{})
				for i := range n {
					w.AfterFunc(delay(i), nothing)
				}
				settle(w)
				return w, stop(w)
			})
		})
		b.Run(fmt.Sprintf("embedded/pending=%d", n), func(b *testing.B) {
			measure(b, n, func() (any, func()) {
				w := benchTimer(b, Options{})
				return fill(b, w, n), stop(w)
			})
		})
		b.Run(fmt.Sprintf("in-task/pending=%d", n), func(b *testing.B) {
			measure(b, n, func() (any, func()) {
				w := benchTimer(b, Options{})
				all := make([]ownedTask, n)
				for i := range all {
					w.Init(&all[i].timeout, &all[i])
					all[i].timeout.Reset(delay(i))
				}
				settle(w)
				return all, stop(w)
			})
		})
		b.Run(fmt.Sprintf("batch/pending=%d", n), func(b *testing.B) {
			measure(b, n, func() (any, func()) {
				w, err := NewBatch(Options{TickDuration: 10 * time.Millisecond}, func([]int64) {})
				require.NoError(b, err)
				for i := range n {
					_, _ = w.Add(int64(i), delay(i))
				}
				until(b, func() bool { return w.intake.empty() && w.clock.parked.Load() != 0 })
				return w, func() { w.Stop() }
			})
		})
		b.Run(fmt.Sprintf("time/pending=%d", n), func(b *testing.B) {
			measure(b, n, func() (any, func()) {
				all := make([]*time.Timer, n)
				for i := range all {
					all[i] = time.AfterFunc(delay(i), nothing)
				}
				return all, func() {
					for _, t := range all {
						t.Stop()
					}
				}
			})
		})
	}
}

// An ownedTask is the task of the timeout that it has.
type ownedTask struct{ timeout Timeout }

func (*ownedTask) Run(*Timeout) {}

// BenchmarkTick measures one tick with ten million pending over 512 buckets: the common one, which
// skips the bucket; one that looks through the bucket for the one entry that is due; and one that
// finds a few hundred entries due and files them again, as when ten million connections have a
// timeout of ten minutes at 10ms a tick.
func BenchmarkTick(b *testing.B) {
	const n = 10_000_000
	w := wheel.New(512, false, func(uint32, wheel.Location) {})
	for i := range n {
		w.Add(1<<40+uint64(i), uint32(i))
	}
	out := make([]uint32, 0, 4)
	now := uint64(0)
	b.Run("skip", func(b *testing.B) {
		for b.Loop() {
			now++
			_, _ = w.Collect(now, out)
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			now++
			w.Add(now, 0)
			_, _ = w.Collect(now, out)
		}
	})
	b.Run("steady", func(b *testing.B) {
		const revolution = 60_000
		rng := rand.New(rand.NewPCG(4, 4))
		w := wheel.New(512, false, func(uint32, wheel.Location) {})
		for i := range n {
			w.Add(1+rng.Uint64N(revolution), uint32(i))
		}
		out := make([]uint32, 0, 1024)
		now := uint64(0)
		for b.Loop() {
			now++
			due, done := w.Collect(now, out)
			if !done {
				b.Fatal("more are due than there is room for")
			}
			for _, e := range due {
				w.Add(now+1+rng.Uint64N(revolution), e)
			}
		}
	})
}

// BenchmarkStart starts timeouts that stay pending.
func BenchmarkStart(b *testing.B) {
	const n = 3_000_000
	report := func(b *testing.B, spent time.Duration) {
		b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/n, "ns/start")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("new", func(b *testing.B) {
		var spent time.Duration
		for range b.N {
			w := benchTimer(b, Options{})
			runtime.GC()
			start := time.Now()
			for range n {
				w.AfterFunc(far, nothing)
			}
			spent += time.Since(start)
			_, _ = w.Stop()
		}
		report(b, spent)
	})
	b.Run("time", func(b *testing.B) {
		var spent time.Duration
		all := make([]*time.Timer, n)
		for range b.N {
			runtime.GC()
			start := time.Now()
			for i := range n {
				all[i] = time.AfterFunc(far, nothing)
			}
			spent += time.Since(start)
			for _, t := range all {
				t.Stop()
			}
		}
		report(b, spent)
	})
}

// BenchmarkLateness fires 200,000 timeouts with delays spread over two seconds in each iteration,
// and reports how many came early, which must be none, and how late they were.
func BenchmarkLateness(b *testing.B) {
	const n = 200_000
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		for _, layered := range []bool{false, true} {
			b.Run(fmt.Sprintf("tick=%v/layered=%t", tick, layered), func(b *testing.B) {
				w := benchTimer(b, Options{TickDuration: tick, Layered: layered})
				early, left := atomic.Int64{}, atomic.Int64{}
				done := make(chan struct{}, 1)
				for range b.N {
					left.Store(n)
					for i := range n {
						due := time.Now().Add(time.Duration(i*7919%2_000_000) * time.Microsecond)
						w.AfterFunc(time.Until(due), func() {
							if time.Now().Before(due) {
								early.Add(1)
							}
							if left.Add(-1) == 0 {
								done <- struct{}{}
							}
						})
					}
					<-done
				}
				s := w.Stats()
				b.ReportMetric(float64(early.Load()), "early")
				b.ReportMetric(float64(s.LatenessP50.Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(s.LatenessP99.Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(s.LatenessMax.Microseconds())/1000, "max-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkQuiet reports what a timer costs in two seconds in which nothing happens, in percent of
// a processor, and how often it wakes. The process's own background work is in it too.
func BenchmarkQuiet(b *testing.B) {
	for _, n := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d", n), func(b *testing.B) {
			w := benchTimer(b, Options{})
			all := fill(b, w, n)
			time.Sleep(200 * time.Millisecond) // until nothing of the filling is left to do
			for b.Loop() {
				woke, cpu := w.Stats().WakeUps, cpuTime()
				time.Sleep(2 * time.Second) // what an idle timer costs is counted for so long
				b.ReportMetric(float64(w.Stats().WakeUps-woke), "wakes")
				b.ReportMetric((cpuTime()-cpu).Seconds()/2*100, "%cpu")
			}
			b.ReportMetric(0, "ns/op")
			runtime.KeepAlive(all)
		})
	}
}

// BenchmarkFire measures the worker's part of a herd: a million timeouts that are due at one
// instant. The benchmark itself makes the worker's passes, so nothing waits for another goroutine.
func BenchmarkFire(b *testing.B) {
	const n = 1_000_000
	for _, kind := range []string{"rounds", "layered", "scattered"} {
		b.Run(kind, func(b *testing.B) {
			w, err := New(Options{TickDuration: 10 * time.Millisecond, Layered: kind == "layered"})
			require.NoError(b, err)
			worker := byHand(w)
			all := make([]Timeout, n)
			fires := 0
			task := plainFunc(func() { fires++ })
			for i := range all {
				w.Init(&all[i], task)
			}
			order := make([]int, n)
			for k := range order {
				order[k] = k
			}
			if kind == "scattered" {
				rng := rand.New(rand.NewPCG(5, 5))
				rng.Shuffle(n, func(i, k int) { order[i], order[k] = order[k], order[i] })
			}
			spent := time.Duration(0)
			for i := range b.N {
				tick := uint64(2 * (i + 1))
				for _, k := range order {
					_, _ = w.armAt(&all[k], int64(tick)*w.clock.nanos)
				}
				for n := n; n > 0; n -= maxTransfersPerPass {
					worker.pass(tick - 1)
				}
				start := time.Now()
				worker.pass(tick)
				spent += time.Since(start)
			}
			require.Equal(b, n*b.N, fires)
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/n, "ns/fire")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkGivenBack measures what a timer keeps of the memory that many pending timeouts took,
// once all of them have fired or were cancelled, beside what a fresh one has.
func BenchmarkGivenBack(b *testing.B) {
	const n = 2_000_000
	live := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1024
	}
	for _, end := range []string{"cancelled", "fired"} {
		b.Run(end, func(b *testing.B) {
			w := benchTimer(b, Options{})
			mustNew(b, w, noTask, 0)
			time.Sleep(time.Second) // until the worker is idle
			fresh := live()
			for b.Loop() {
				all := make([]*Timeout, n)
				for i := range all {
					delay := time.Minute + time.Duration(i%600_000)*time.Millisecond
					if end == "fired" {
						delay = time.Duration(i%2000) * time.Millisecond
					}
					all[i] = w.AfterFunc(delay, nothing)
				}
				if end == "cancelled" {
					for _, t := range all {
						t.Cancel()
					}
				}
			}
			until(b, func() bool { return w.PendingTimeouts() == 0 && w.Stats().Queued == 0 })
			time.Sleep(time.Second) // until the worker is idle again
			b.ReportMetric(fresh, "fresh-KiB")
			b.ReportMetric(live(), "after-KiB")
		})
	}
}

package hashedwheel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// newTestTimer returns a timer that the test stops at its end.
func newTestTimer(t *testing.T, opts Options) *HashedWheelTimer {
	t.Helper()
	w, err := New(opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := w.Stop()
		require.NoError(t, err)
	})
	return w
}

func TestTimeoutNeverFiresEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		var fired atomic.Bool
		_, err := w.NewTimeout(TaskFunc(func(*Timeout) { fired.Store(true) }), 95*time.Millisecond)
		require.NoError(t, err)

		time.Sleep(100*time.Millisecond - time.Nanosecond) // past the deadline, inside its tick
		synctest.Wait()
		require.False(t, fired.Load(), "fired before the tick that holds the deadline ended")

		time.Sleep(time.Nanosecond) // the tick boundary
		synctest.Wait()
		require.True(t, fired.Load(), "not fired at the end of the tick that holds the deadline")
	})
}

func TestEveryKeepsItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		start := time.Now()
		var at []time.Duration
		p := w.Every(7*time.Second/3, func() { at = append(at, time.Since(start)) })
		time.Sleep(time.Hour)
		require.True(t, p.Cancel())
		synctest.Wait()
		require.Len(t, at, 1542)
		for i, d := range at {
			due := time.Duration(i+1) * (7 * time.Second / 3)
			require.Equal(t, (due + time.Millisecond - 1).Truncate(time.Millisecond), d, "the end of the tick of run %d", i)
		}
	})
}

// A task that takes long is left behind on its worker, and another continues.
func TestSlowTaskDelaysNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		w.leastRelative = time.Hour // so that all slow ones are due in one tick, even if the worker is not parked
		start := time.Now()
		var slow, worst atomic.Int64
		for i := range 50 { // fifty slow ones in one tick, and others after
			mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(time.Hour); slow.Add(1) }), time.Second)
			mustNew(t, w, TaskFunc(func(*Timeout) {
				late := time.Since(start) - time.Duration(i)*time.Second
				worst.Store(max(worst.Load(), int64(late)))
			}), time.Duration(i)*time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		require.EqualValues(t, 50, w.Stats().HandOvers)
		require.EqualValues(t, 50, ownership(w.owner.Load()).worker(), "a worker's number is one more than that of the one before")
		// The watch and the worker run at the same instants, in either order.
		require.LessOrEqual(t, time.Duration(worst.Load()), 2*minStall+50*3*time.Millisecond)
		require.Zero(t, slow.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, 50, slow.Load())
		// Every worker but one has ended: the bubble would not end otherwise.
	})
}

// runtime.Goexit inside a task ends the worker's goroutine, not the timer.
func TestGoexitInsideTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		var ran atomic.Int64
		for range 5 {
			mustNew(t, w, TaskFunc(func(*Timeout) { runtime.Goexit() }), time.Second)
			mustNew(t, w, TaskFunc(func(*Timeout) { ran.Add(1) }), time.Second)
		}
		p := w.Every(time.Second, func() { ran.Add(1); runtime.Goexit() })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		p.Cancel()
		require.EqualValues(t, 15, ran.Load())
	})
}

// TestResetAnswers checks that Reset and Stop of an embedded timeout return what those of a
// time.Timer do.
func TestResetAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		start := time.Now()
		var fired []time.Duration
		var x Timeout
		require.False(t, x.Stop(), "not initialised")
		require.Panics(t, func() { x.Reset(0) })
		require.Panics(t, func() { w.Init(&x, nil) })
		w.Init(&x, TaskFunc(func(*Timeout) { fired = append(fired, time.Since(start)) }))
		require.Same(t, w, x.Timer())
		require.False(t, x.Stop())
		require.False(t, x.IsCancelled())

		require.False(t, x.Reset(time.Second))
		require.True(t, x.Reset(2*time.Second), "later")
		time.Sleep(1500 * time.Millisecond)
		require.True(t, x.Reset(time.Second), "later still, to 2.5s")
		time.Sleep(time.Millisecond)
		require.True(t, x.Reset(499*time.Millisecond), "earlier, to 2s")
		require.Panics(t, func() { w.Init(&x, noTask) }, "pending")
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.True(t, x.IsExpired())
		require.False(t, x.Stop())
		require.False(t, x.Reset(time.Second), "again after it fired")
		require.True(t, x.Stop())
		require.False(t, x.Reset(2*time.Second), "again after it was stopped")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []time.Duration{2 * time.Second, 4501*time.Millisecond + 2*time.Second + 9*time.Millisecond}, fired)
		s := w.Stats()
		require.EqualValues(t, 3, s.Started)
		require.EqualValues(t, 3, s.Reset)
		require.EqualValues(t, 1, s.Cancelled)
		require.EqualValues(t, 2, s.Fired)
	})
}

// What the limit refuses is cancelled, and an armed timeout is not refused a reset.
func TestResetOnFullTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{MaxPendingTimeouts: 1})
		var x, y Timeout
		w.Init(&x, noTask)
		w.Init(&y, noTask)
		require.False(t, x.Reset(time.Second))
		require.True(t, x.Reset(2*time.Second))
		require.False(t, y.Reset(time.Second))
		require.True(t, y.IsCancelled())
		require.True(t, x.Stop())
		require.False(t, y.Reset(time.Second))
		require.False(t, y.IsCancelled())
		require.EqualValues(t, 1, w.PendingTimeouts())
	})
}

// The limit holds at every moment, from whatever goroutine timeouts are added.
func TestLimitIsExactUnderConcurrency(t *testing.T) {
	w := newTestTimer(t, Options{MaxPendingTimeouts: 10})
	var accepted atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, err := w.NewTimeout(noTask, time.Hour); err == nil {
					accepted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 10, accepted.Load())
	require.EqualValues(t, 10, w.PendingTimeouts())
	require.EqualValues(t, 790, w.Stats().Rejected)
}

// An empty timer never wakes, a timer with distant timeouts only for them, and cancelling gives the
// memory back within a tick or so.
func TestWakeUpBudgets(t *testing.T) {
	for _, layered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond, Layered: layered})
			require.NoError(t, w.Start())
			time.Sleep(24 * time.Hour)
			require.Zero(t, w.Stats().WakeUps, "empty")

			for i := range 1000 {
				mustNew(t, w, noTask, time.Hour+time.Duration(i%7)*time.Minute)
			}
			time.Sleep(59 * time.Minute)
			awake := w.Stats().WakeUps
			settle := int64(8 + 10) // eight ticks awake, and some to begin
			if layered {
				settle += 7 * 10 // seven buckets handed down through the layers
			}
			require.LessOrEqual(t, awake, settle, "settling, with far timeouts")
			time.Sleep(9 * time.Minute)
			synctest.Wait()
			require.Zero(t, w.PendingTimeouts())
			woke := w.Stats().WakeUps - awake
			require.GreaterOrEqual(t, woke, int64(7))
			if !layered {
				require.LessOrEqual(t, woke, int64(2*7+1), "one wake for each of seven ticks, or two where some waited in the queue for a tick")
			} else {
				require.LessOrEqual(t, woke, int64(7*30), "and a few to hand down")
			}

			x := mustNew(t, w, noTask, time.Hour)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Equal(t, 1, w.wheel.Size())
			x.Cancel()
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			require.Zero(t, w.wheel.Size(), "taken out within a tick")
		})
	}
}

// After a pause of the process, what became due fires at once and in order.
func TestFarTimeJump(t *testing.T) {
	for _, layered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestTimer(t, Options{TickDuration: time.Millisecond, TicksPerWheel: 8, Layered: layered})
			w.stall = 1 << 62 // no hand-over: the worker must sleep through it all
			var order []int
			mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(20 * 365 * 24 * time.Hour) }), time.Second)
			for i := range 500 {
				d := 2*time.Second + time.Duration(i)*time.Duration(i)*time.Minute
				mustNew(t, w, TaskFunc(func(*Timeout) { order = append(order, i) }), d)
			}
			time.Sleep(21 * 365 * 24 * time.Hour)
			synctest.Wait()
			require.Len(t, order, 500)
			require.IsIncreasing(t, order)
		})
	}
}

func TestStringTellsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		var x Timeout
		require.Equal(t, "hashedwheel.Timeout(not initialised)", x.String())
		w.Init(&x, noTask)
		require.Equal(t, "hashedwheel.Timeout(idle, task: hashedwheel.TaskFunc)", x.String())
		x.Reset(time.Second)
		require.Equal(t, "hashedwheel.Timeout(pending, due: in 1s, task: hashedwheel.TaskFunc)", x.String())
		x.Stop()
		time.Sleep(time.Second)
		require.Equal(t, "hashedwheel.Timeout(cancelled, task: hashedwheel.TaskFunc)", x.String())
		x.Reset(math.MaxInt64)
		require.Equal(t, "hashedwheel.Timeout(pending, due: never, task: hashedwheel.TaskFunc)", x.String())
		x.Reset(time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, "hashedwheel.Timeout(expired, task: hashedwheel.TaskFunc)", x.String())
	})
}

// Lateness is measured against the deadline that was asked for.
func TestStatsLateness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 100 * time.Millisecond})
		for range 90 {
			mustNew(t, w, noTask, 99*time.Millisecond) // a millisecond late
		}
		for range 10 {
			mustNew(t, w, noTask, 30*time.Millisecond) // 70ms late
		}
		time.Sleep(time.Second)
		s := w.Stats()
		require.Equal(t, 1024*time.Microsecond, s.LatenessP50)
		require.Equal(t, s.LatenessMax, s.LatenessP99)
		require.LessOrEqual(t, s.LatenessMax, 70*time.Millisecond)
		require.Greater(t, s.LatenessMax, 70*time.Millisecond-100*time.Millisecond/128)
		require.EqualValues(t, 100, s.Fired)
		require.Zero(t, s.Queued)
	})
}

// Slow tasks add to the lateness of those behind them, also when many quick ones ran before.
func TestStatsLatenessBehindSlowTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick, tasks, each = 100 * time.Millisecond, 60, 5 * time.Millisecond
		w := newTestTimer(t, Options{TickDuration: tick})
		for range 1000 {
			mustNew(t, w, noTask, tick)
		}
		time.Sleep(time.Second)
		for range tasks {
			mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(each) }), time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		s := w.Stats()
		require.Zero(t, s.HandOvers)
		require.GreaterOrEqual(t, s.LatenessMax, (tasks-1)*each-tick/128)
	})
}

// Armed over and over, a timeout allocates nothing.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	var x Timeout
	w.Init(&x, noTask)
	x.Reset(time.Hour)
	later := time.Hour
	require.Zero(t, testing.AllocsPerRun(10_000, func() { later += time.Second; x.Reset(later) }), "reset to later")
	require.Zero(t, testing.AllocsPerRun(10_000, func() { x.Reset(time.Second); x.Stop() }), "start and stop")
	f := func() {}
	require.LessOrEqual(t, testing.AllocsPerRun(10_000, func() { w.AfterFunc(time.Second, f).Stop() }), 1.0, "a new handle")
	require.LessOrEqual(t, unsafe.Sizeof(x), uintptr(32))
	idle, err := w.NewIdle(time.Hour, func(*IdleMember) {})
	require.NoError(t, err)
	var m IdleMember
	require.NoError(t, idle.Add(&m))
	require.Zero(t, testing.AllocsPerRun(1000, m.Touch))
	b, err := NewBatch(Options{TickDuration: time.Millisecond}, func([]int) {})
	require.NoError(t, err)
	defer b.Stop()
	for range 10_000 { // grow
		_, _ = b.Add(1, 0)
	}
	require.Zero(t, testing.AllocsPerRun(10_000, func() {
		ticket, _ := b.Add(1, time.Second)
		b.Cancel(ticket)
	}))
}

func TestManyTimersAreWarnedOfOnce(t *testing.T) {
	var log logCount
	warnedInstances.Store(false)
	for range maxInstances + 10 {
		newTestTimer(t, Options{Logger: log.logger()})
	}
	require.EqualValues(t, 1, log.n.Load())
}

// A cancelled timeout's memory is free within a tick or two, however far its deadline is.
func TestCancelFreesTheTask(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	freed := make(chan struct{})
	func() {
		payload := new([1 << 16]byte)
		runtime.AddCleanup(payload, func(c chan struct{}) { close(c) }, freed)
		x := w.AfterFunc(time.Hour, func() { payload[0]++ })
		settles(t, func() bool { return w.Stats().Queued == 0 })
		require.True(t, x.Cancel())
	}()
	collects(t, func() bool {
		select {
		case <-freed:
			return true
		default:
			return false
		}
	})
}

// TestTimerAgreesWithModel moves embedded timeouts about at random, in fake time, and checks each
// fire to the nanosecond: at the first tick boundary at or after the deadline last asked for,
// neither before nor after. Where the delay is long, the next boundary is right as well, because
// the worker may count the delay from up to a tick after the call.
func TestTimerAgreesWithModel(t *testing.T) {
	const tick = 10 * time.Millisecond
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 5))
			w := newTestTimer(t, Options{TickDuration: tick, TicksPerWheel: 1 << rng.IntN(7), Layered: seed%2 == 0})
			start := time.Now()
			require.NoError(t, w.Start())
			var mu sync.Mutex
			want := map[int]time.Duration{} // due, by timeout
			slack := map[int]time.Duration{}
			all := make([]Timeout, 40)
			for i := range all {
				w.Init(&all[i], TaskFunc(func(*Timeout) {
					mu.Lock()
					defer mu.Unlock()
					if due, pending := want[i]; !pending || time.Since(start) < due || time.Since(start) > due+slack[i] {
						t.Errorf("seed %d: timeout %d fired at %v, want %v (pending %t)", seed, i, time.Since(start), due, pending)
					}
					delete(want, i)
				}))
			}
			for range 1500 {
				i := rng.IntN(len(all))
				delay := time.Duration(rng.Int64N(int64(3 * time.Second)))
				mu.Lock()
				_, pending := want[i]
				mu.Unlock()
				switch rng.IntN(4) {
				case 0, 1:
					due := (time.Since(start) + delay + tick - 1) / tick * tick
					mu.Lock()
					want[i], slack[i] = due, 0
					if delay >= leastRelativeTicks*tick {
						slack[i] = tick
					}
					mu.Unlock()
					if all[i].Reset(delay) != pending {
						t.Fatalf("seed %d: Reset of timeout %d returned %t", seed, i, !pending)
					}
				case 2:
					mu.Lock()
					delete(want, i)
					mu.Unlock()
					if all[i].Stop() != pending {
						t.Fatalf("seed %d: Stop of timeout %d returned %t", seed, i, !pending)
					}
				case 3:
					time.Sleep(time.Duration(rng.Int64N(int64(100 * time.Millisecond))))
					synctest.Wait()
					mu.Lock()
					for i, due := range want {
						if due+slack[i] <= time.Since(start) {
							t.Fatalf("seed %d: timeout %d due at %v not fired at %v", seed, i, due, time.Since(start))
						}
					}
					require.EqualValues(t, len(want), w.PendingTimeouts())
					mu.Unlock()
				}
			}
		})
	}
}

// Stop ends a batch in the middle. What was cancelled in it is no longer in a bucket.
func TestStopInterruptsABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, TicksPerWheel: 1})
		w.stall = time.Hour // no hand-over
		var all []*Timeout
		ran := 0
		for range 20 {
			all = append(all, mustNew(t, w, TaskFunc(func(*Timeout) { ran++; time.Sleep(time.Second) }), time.Second))
		}
		time.Sleep(1500 * time.Millisecond) // the first task sleeps
		for _, x := range all[:10] {
			x.Cancel()
		}
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		require.Equal(t, 1, ran)
		require.GreaterOrEqual(t, len(unprocessed), 9)
		require.Zero(t, w.PendingTimeouts())
		for _, x := range all {
			require.Zero(t, x.load()&(linked|queued))
		}
	})
}

// A timer that has not started is as small as the comment of New says.
func TestSizeOfANewTimer(t *testing.T) {
	for _, layered := range []bool{false, true} {
		const n = 20
		var before, after runtime.MemStats
		timers := make([]*HashedWheelTimer, 0, n)
		runtime.ReadMemStats(&before)
		for range n {
			w, err := New(Options{Layered: layered})
			require.NoError(t, err)
			timers = append(timers, w)
		}
		runtime.ReadMemStats(&after)
		for _, w := range timers {
			_, err := w.Stop()
			require.NoError(t, err)
		}
		most := 100 << 10
		if runtime.GOMAXPROCS(0) <= 2 {
			most = 34 << 10
		}
		if layered {
			most *= 2
		}
		require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc)/n, most)
	}
}

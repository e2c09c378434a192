package time_test

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	standard "time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// Beside model_test.go, the tests of this file check what Go's sleep_test.go and tick_test.go check
// of package time.

// panicOf returns what f panics with.
func panicOf(f func()) (value any) {
	defer func() {
		if value = recover(); value != nil {
			if err, ok := value.(error); ok {
				value = err.Error() // of nil pointers
			}
		}
	}()
	f()
	return nil
}

func TestPanicsAsPackageTime(t *testing.T) {
	for name, f := range map[string][2]func(){
		"Stop of a zero Timer":     {func() { new(standard.Timer).Stop() }, func() { new(time.Timer).Stop() }},
		"Reset of a zero Timer":    {func() { new(standard.Timer).Reset(1) }, func() { new(time.Timer).Reset(1) }},
		"Stop of a nil Timer":      {func() { (*standard.Timer)(nil).Stop() }, func() { (*time.Timer)(nil).Stop() }},
		"NewTicker(0)":             {func() { standard.NewTicker(0) }, func() { time.NewTicker(0) }},
		"NewTicker(-1)":            {func() { standard.NewTicker(-1) }, func() { time.NewTicker(-1) }},
		"Stop of a Ticker by hand": {func() { new(standard.Ticker).Stop() }, func() { new(time.Ticker).Stop() }},
		"Reset(1) of a zero Ticker": {
			func() { (&standard.Ticker{C: make(chan standard.Time)}).Reset(1) }, func() { (&time.Ticker{C: make(chan time.Time)}).Reset(1) },
		},
		"Reset(0) of a zero Ticker": {func() { new(standard.Ticker).Reset(0) }, func() { new(time.Ticker).Reset(0) }},
		"Reset(0) of a Ticker": {
			func() { standard.NewTicker(standard.Hour).Reset(0) },
			func() {
				ticker := time.NewTicker(time.Hour)
				defer ticker.Stop()
				ticker.Reset(0)
			},
		},
		"Tick(0)": {func() { _ = standard.Tick(0) }, func() { _ = time.Tick(0) }},
		// It returns at once.
		"Sleep(0)": {func() { standard.Sleep(0) }, func() { time.Sleep(0) }},
	} {
		require.Equal(t, panicOf(f[0]), panicOf(f[1]), name)
	}
	require.Nil(t, time.Tick(0))
	require.Nil(t, time.Tick(-1))
	require.PanicsWithValue(t, "hashedwheel/time: On: w is nil, must not be nil", func() { time.On(nil) })
}

// TestBlockingFunctions has each function wait until all have been called, which delays none.
func TestBlockingFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, _ := on(t, hashedwheel.Options{})
		const n = 1000
		begin := time.Now()
		var all sync.WaitGroup
		all.Add(n)
		var next func()
		left := atomic.Int64{}
		left.Store(n)
		next = func() {
			if left.Add(-1) > 0 {
				clock.AfterFunc(0, next)
			}
			all.Done()
			all.Wait()
		}
		clock.AfterFunc(0, next)
		all.Wait()
		require.Zero(t, time.Since(begin))
	})
}

func TestNilFunctionMayBeStopped(t *testing.T) {
	require.True(t, time.AfterFunc(time.Hour, nil).Stop())
}

// TestInline has functions called by the worker, one after the other.
func TestInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, w := on(t, hashedwheel.Options{})
		clock = clock.Inline()
		n := 0 // no two functions run at once, so it needs no lock
		for range 100 {
			clock.AfterFunc(time.Millisecond, func() { n++ })
		}
		clock.AfterFunc(2*time.Millisecond, func() { panic("recovered") })
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, 100, n)
		require.EqualValues(t, 1, w.Stats().Panicked)
		require.EqualValues(t, 101, w.Stats().Fired)
	})
}

// TestOrder has timers fire in the order of their delays, however they were made.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, _ := on(t, hashedwheel.Options{})
		delays := []int{5, 3, 6, 6, 6, 1, 1, 2, 7, 9, 4, 8, 0, -1}
		ran := make(chan int, len(delays))
		for _, d := range delays {
			go func() {
				<-clock.After(time.Duration(d) * 20 * time.Millisecond)
				ran <- max(d, 0)
			}()
		}
		var order []int
		for range delays {
			order = append(order, <-ran)
		}
		require.True(t, slices.IsSorted(order), "%v", order)
	})
}

// TestPhase uses periods that are not whole ticks of the wheel. Each tick of the ticker is late by
// less than a tick of the wheel, lateness does not add up, and deadlines that have passed meanwhile
// are skipped.
func TestPhase(t *testing.T) {
	for period, want := range map[int][]int{
		15: {20, 30, 50, 60, 80, 90, 110},
		9:  {10, 20, 30, 40, 50, 60, 70},
		3:  {10, 20, 30, 40, 50, 60, 70},
	} {
		synctest.Test(t, func(t *testing.T) {
			clock, _ := on(t, hashedwheel.Options{TickDuration: 10 * ms})
			begin := time.Now()
			ticker := clock.NewTicker(time.Duration(period) * ms)
			defer ticker.Stop()
			var got []int
			for range want {
				got = append(got, int((<-ticker.C).Sub(begin)/ms))
			}
			require.Equal(t, want, got, "period %dms", period)
		})
	}
}

func TestExtremeDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, _ := on(t, hashedwheel.Options{})
		begin := time.Now()
		clock.Sleep(math.MinInt64)
		require.Equal(t, begin, time.Now())
		never := clock.NewTimer(math.MaxInt64)
		seldom := clock.NewTicker(math.MaxInt64)
		<-clock.After(math.MinInt64)
		<-clock.After(200 * 365 * 24 * time.Hour)
		require.True(t, never.Stop())
		seldom.Stop()
		require.Equal(t, 200*365*24*time.Hour, time.Since(begin))
	})
}

// What follows runs in real time and on the shared wheel.

func TestNeverEarly(t *testing.T) {
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			d := time.Duration(i) * 333 * time.Microsecond
			begin := time.Now()
			time.Sleep(d) // what is tested
			slept := time.Now()
			require.GreaterOrEqual(t, slept.Sub(begin), d, "Sleep")
			require.GreaterOrEqual(t, (<-time.After(d)).Sub(slept), d, "After")
			begin = time.Now()
			ticker := time.NewTicker(d + 1)
			defer ticker.Stop()
			for n := range 5 {
				require.GreaterOrEqual(t, (<-ticker.C).Sub(begin), time.Duration(n+1)*d, "tick %d", n)
			}
		})
	}
	all.Wait()
}

// TestManyReceivers has goroutines receive from one ticker that is faster than the wheel, beside a
// busy garbage collector.
func TestManyReceivers(t *testing.T) {
	procs(t, func(t *testing.T) {
		var stop atomic.Bool
		var all sync.WaitGroup
		all.Go(func() {
			for !stop.Load() {
				runtime.GC()
				time.Sleep(1) // lets the others run between two collections
			}
		})
		ticker := time.NewTicker(time.Nanosecond)
		defer ticker.Stop()
		var receivers sync.WaitGroup
		for range 10 {
			receivers.Go(func() {
				for range 5 {
					select {
					case <-ticker.C:
					case <-time.After(time.Minute):
						t.Error("no tick for a minute")
					}
				}
			})
		}
		receivers.Wait()
		stop.Store(true)
		all.Wait()
	})
}

// TestBusyGoroutines has two goroutines that keep the only processor busy, and a function that has
// to run all the same.
func TestBusyGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var stop atomic.Bool
	c := make(chan bool, 1)
	var all sync.WaitGroup
	all.Go(func() {
		for !stop.Load() {
			c <- true
		}
		close(c)
	})
	all.Go(func() {
		for range c {
		}
	})
	time.AfterFunc(time.Microsecond, func() { stop.Store(true) })
	all.Wait()
}

// TestOneOfTwo has two timers that expire together. Whoever receives from one can rely on what Stop
// and Reset return for the other: false means that there is something to receive.
func TestOneOfTwo(t *testing.T) {
	for name, end := range map[string]func(*time.Timer) bool{
		"Stop":  (*time.Timer).Stop,
		"Reset": func(timer *time.Timer) bool { return timer.Reset(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			for range 300 {
				all.Go(func() {
					for range 20 {
						a, b := time.NewTimer(time.Millisecond), time.NewTimer(time.Millisecond)
						select {
						case <-a.C:
						case <-b.C:
							a, b = b, a
						}
						if !end(b) {
							<-b.C
						}
						a.Stop()
						b.Stop()
					}
				})
			}
			all.Wait()
		})
	}
}

// TestMovedEarlier moves timers from the far future into the past.
func TestMovedEarlier(t *testing.T) {
	past := time.Until(time.Unix(0, 0))
	for range 100 {
		timer := time.NewTimer(time.Hour)
		for range 10 {
			timer.Stop()
			timer.Reset(past)
		}
		select {
		case <-timer.C:
		case <-standard.After(time.Minute):
			t.Fatal("not fired for a minute")
		}
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	timer, ticker := time.NewTimer(time.Hour), time.NewTicker(time.Hour)
	f := func() {}
	for name, test := range map[string]struct {
		f    func()
		most float64
	}{
		"Timer.Reset":        {func() { timer.Reset(time.Hour) }, 0},
		"Timer.Stop, Reset":  {func() { timer.Stop(); timer.Reset(time.Hour) }, 0},
		"Ticker.Reset":       {func() { ticker.Reset(time.Hour) }, 0},
		"NewTimer and Stop":  {func() { time.NewTimer(time.Hour).Stop() }, 3}, // two are the channel, as with package time
		"AfterFunc and Stop": {func() { time.AfterFunc(time.Hour, f).Stop() }, 1},
	} {
		require.LessOrEqual(t, testing.AllocsPerRun(1000, test.f), test.most, name)
	}
	timer.Stop()
	ticker.Stop()
}

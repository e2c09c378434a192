package time_test

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// TestFullWheel has more timers than the wheel has places. None is lost, and the wheel never has
// more than its limit.
func TestFullWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, w := on(t, hashedwheel.Options{MaxPendingTimeouts: 2})
		begin := time.Now()
		ticker := clock.NewTicker(10 * time.Millisecond)
		var timers []*time.Timer
		for range 5 {
			timers = append(timers, clock.NewTimer(5*time.Millisecond))
		}
		ran := make(chan time.Time)
		f := clock.AfterFunc(5*time.Millisecond, func() { ran <- time.Now() })
		require.EqualValues(t, 2, w.PendingTimeouts())
		clock.Sleep(5 * time.Millisecond)
		due := begin.Add(5 * time.Millisecond)
		for _, timer := range timers {
			require.Equal(t, due, <-timer.C)
		}
		require.Equal(t, due, <-ran)
		require.Equal(t, due, time.Now(), "Sleep")
		for n := range 100 { // the ticker keeps its phase
			require.Equal(t, begin.Add(time.Duration(n+1)*10*time.Millisecond), <-ticker.C)
			require.LessOrEqual(t, w.PendingTimeouts(), int64(2))
			if n == 50 {
				timers[0].Reset(time.Hour) // takes the other place
				timers[1].Reset(time.Hour) // takes none
			}
		}
		require.False(t, f.Reset(time.Hour))
		require.True(t, f.Reset(time.Hour))
		require.True(t, f.Stop())
		require.False(t, f.Stop())
		require.True(t, timers[0].Stop())
		ticker.Stop()
		require.Zero(t, w.PendingTimeouts())
		require.True(t, timers[1].Reset(time.Hour), "back to the wheel")
		require.EqualValues(t, 1, w.PendingTimeouts())
	})
}

// TestStoppedWheel has a wheel stopped under its timers.
func TestStoppedWheel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, w := on(t, hashedwheel.Options{})
		begin := time.Now()
		timer, ticker := clock.NewTimer(time.Second), clock.NewTicker(time.Second)
		ran := make(chan time.Time, 1)
		f := clock.AfterFunc(time.Second, func() { ran <- time.Now() })
		slept := make(chan time.Time)
		go func() {
			clock.Sleep(time.Second)
			slept <- time.Now()
		}()
		time.Sleep(time.Millisecond)
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		require.Len(t, unprocessed, 4)
		require.Equal(t, begin.Add(time.Second), <-slept, "a Sleep continues")
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, c := range []<-chan time.Time{timer.C, ticker.C, ran} {
			_, there := received(c)
			require.False(t, there, "the others have ended")
		}
		// What is made or reset afterwards is kept by package time.
		begin = time.Now()
		timer.Reset(time.Second)
		ticker.Reset(time.Second)
		f.Reset(time.Second)
		after := clock.After(time.Second)
		clock.Sleep(time.Second)
		synctest.Wait()
		for _, c := range []<-chan time.Time{timer.C, ticker.C, ran, after} {
			require.Equal(t, begin.Add(time.Second), <-c)
		}
		require.Equal(t, begin.Add(2*time.Second), <-ticker.C)
		ticker.Stop()
		timer.Reset(time.Second)
		require.True(t, timer.Stop())
		time.Sleep(time.Minute)
		_, there := received(timer.C)
		require.False(t, there)
	})
}

// TestStopAfterTheWheelHasStopped has Stop and Reset of timers that ended with their wheel return
// what they return after Stop. A timer that package time keeps does not end with the wheel.
func TestStopAfterTheWheelHasStopped(t *testing.T) {
	for name, end := range map[string]func(*time.Timer) bool{
		"Stop":  (*time.Timer).Stop,
		"Reset": func(timer *time.Timer) bool { return timer.Reset(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock, w := on(t, hashedwheel.Options{MaxPendingTimeouts: 3})
				expired := clock.NewTimer(time.Millisecond)
				timer, f := clock.NewTimer(time.Second), clock.AfterFunc(time.Second, func() {})
				spare := clock.NewTimer(time.Second) // for which there is no place
				time.Sleep(10 * time.Millisecond)
				_, err := w.Stop()
				require.NoError(t, err)
				require.True(t, end(expired), "its time was not received")
				require.False(t, end(timer))
				require.False(t, end(f))
				require.True(t, end(spare))
				for _, timer := range []*time.Timer{expired, timer, f, spare} {
					timer.Stop()
				}
			})
		})
	}
}

// TestLongestDelayOnAStoppedWheel runs outside a bubble, in which the present plus the longest
// delay does not overflow.
func TestLongestDelayOnAStoppedWheel(t *testing.T) {
	clock, w := on(t, hashedwheel.Options{})
	_, err := w.Stop()
	require.NoError(t, err)
	timer := clock.NewTimer(math.MaxInt64)
	require.True(t, timer.Reset(math.MaxInt64))
	require.True(t, timer.Stop())
	require.False(t, timer.Stop())
}

// TestAStoppedWheelEndsATickerThatTicks has a wheel stopped while its executor has the run of a
// tick. The ticker ends with that tick, and one that is reset afterwards continues.
func TestAStoppedWheelEndsATickerThatTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held []func()
		clock, w := on(t, hashedwheel.Options{Executor: holding{&held}})
		ended, reset := clock.NewTicker(time.Second), clock.NewTicker(time.Second)
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		require.Len(t, held, 2)
		_, err := w.Stop()
		require.NoError(t, err)
		reset.Reset(time.Minute)
		time.Sleep(time.Minute)
		synctest.Wait() // the run of package time has sent
		for _, run := range held {
			run()
		}
		_, there := received(ended.C)
		require.True(t, there, "the tick in progress")
		time.Sleep(time.Minute)
		synctest.Wait()
		_, there = received(ended.C)
		require.False(t, there, "no further tick")
		for range 3 {
			<-reset.C
		}
		reset.Stop()
	})
}

// holding is an Executor that keeps what it is given.
type holding struct{ runs *[]func() }

func (h holding) Execute(run func()) error {
	*h.runs = append(*h.runs, run)
	return nil
}

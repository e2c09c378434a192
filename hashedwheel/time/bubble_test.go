package time_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	standard "time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// TestBubble calls the package-level functions in bubbles while they are in use outside. In a
// bubble they are package time's own: exact, and with no goroutine that would keep the bubble from
// ending.
func TestBubble(t *testing.T) {
	outside := time.NewTicker(time.Millisecond) // the shared wheel runs
	defer outside.Stop()
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				time.Sleep(1500 * time.Microsecond) // one and a half ticks of the shared wheel
				require.Equal(t, 1500*time.Microsecond, time.Since(begin))
				require.Equal(t, begin.Add(2*time.Millisecond), <-time.After(500*time.Microsecond))
				ran := make(chan time.Time)
				f := time.AfterFunc(time.Hour, func() { ran <- time.Now() })
				require.Equal(t, begin.Add(time.Hour+2*time.Millisecond), <-ran)
				require.False(t, f.Reset(time.Hour))
				require.True(t, f.Stop())
				timer := time.NewTimer(time.Second)
				require.True(t, timer.Reset(time.Minute))
				standard.Sleep(time.Minute)
				synctest.Wait()
				require.True(t, timer.Stop(), "expired but not received")
				require.Equal(t, 0, cap(timer.C))
				ticker := time.NewTicker(time.Minute)
				first, second := <-ticker.C, <-ticker.C
				require.Equal(t, time.Minute, second.Sub(first))
				ticker.Reset(time.Second)
				require.Equal(t, time.Second, (<-ticker.C).Sub(second))
				ticker.Stop()
				require.NotNil(t, time.Tick(time.Nanosecond), "a ticker that is never stopped")
				time.NewTimer(time.Hour)
				time.Clock{}.Inline().AfterFunc(time.Hour, func() {})
			})
		})
	}
}

// TestBubbleInThePresent has a bubble sleep until the time outside, when clocks look alike.
func TestBubbleInThePresent(t *testing.T) {
	begin := time.Now()
	synctest.Test(t, func(t *testing.T) {
		standard.Sleep(standard.Until(begin.Round(0)) + time.Millisecond)
		at := time.Now()
		require.Equal(t, at.Add(time.Microsecond), <-time.After(time.Microsecond))
	})
}

// TestWheelInBubble checks that timers of a wheel in a bubble fire at the wheel's ticks, on the
// bubble's clock.
func TestWheelInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, w := on(t, hashedwheel.Options{TickDuration: 10 * time.Millisecond})
		begin := time.Now()
		clock.Sleep(15 * time.Millisecond)
		require.Equal(t, 20*time.Millisecond, time.Since(begin), "the tick after the deadline")
		timer := clock.NewTimer(time.Hour)
		require.EqualValues(t, 1, w.PendingTimeouts())
		require.Equal(t, begin.Add(time.Hour+20*time.Millisecond), <-timer.C)
	})
}

// TestForgottenTimersAreCollected checks that timers that are neither referenced nor pending are
// collected.
func TestForgottenTimersAreCollected(t *testing.T) {
	clock, _ := on(t, hashedwheel.Options{})
	collected := make(chan bool, 2)
	stopped, fired := clock.NewTimer(time.Hour), clock.NewTimer(0)
	for _, timer := range []*time.Timer{stopped, fired} {
		runtime.AddCleanup(timer, func(int) { collected <- true }, 0)
	}
	stopped.Stop()
	<-fired.C
	require.Eventually(t, func() bool { runtime.GC(); return len(collected) == cap(collected) }, 10*time.Second, time.Millisecond)
}

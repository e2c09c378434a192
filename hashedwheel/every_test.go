package hashedwheel

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// No run of Every comes before its deadline, which counts from the call of Every or Reset, at
// whatever point of a tick that was.
func TestEveryNeverRunsEarly(t *testing.T) {
	for _, tick := range []time.Duration{time.Millisecond, 100 * time.Millisecond, time.Second} {
		for _, after := range []time.Duration{1, tick / 300, tick / 200, tick / 3, tick - 1} {
			synctest.Test(t, func(t *testing.T) {
				w := newTestTimer(t, Options{TickDuration: tick})
				require.NoError(t, w.Start())
				start := time.Now()
				time.Sleep(after)
				const periods = 3
				period := periods * tick
				first := time.Since(start) + period
				n := 0
				x := w.Every(period, func() {
					due := first + time.Duration(n)*period
					if at, want := time.Since(start), (due + tick - 1).Truncate(tick); at != want {
						t.Errorf("tick %v, begun at %v: run %d came at %v, want %v, the end of its tick", tick, after, n, at, want)
					}
					n++
				})
				time.Sleep(10*period + tick)
				synctest.Wait()
				require.Equal(t, 10, n)

				former := period
				period += tick / 260
				n, first = 0, time.Since(start)+period
				require.True(t, x.Reset(period))
				time.Sleep(10 * former)
				synctest.Wait()
				require.Equal(t, 9, n)
				x.Cancel()
			})
		}
	}
}

// Reset from inside and from beside a run takes effect at its end: f never runs twice at once.
func TestEveryNeverOverlaps(t *testing.T) {
	for name, opts := range map[string]Options{"worker": {}, "executor": {Executor: Goroutines}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts.TickDuration = time.Millisecond
				w := newTestTimer(t, opts)
				var x *Timeout
				made := make(chan struct{})
				var running, most, runs atomic.Int64
				x = w.Every(10*time.Millisecond, func() {
					<-made
					most.Store(max(most.Load(), running.Add(1)))
					require.True(t, x.Reset(5*time.Millisecond))
					time.Sleep(200 * time.Millisecond) // so long that its worker loses the wheel
					running.Add(-1)
					runs.Add(1)
				})
				close(made)
				for range 300 {
					time.Sleep(7 * time.Millisecond)
					require.True(t, x.Reset(3*time.Millisecond))
				}
				require.True(t, x.Cancel())
				time.Sleep(time.Second)
				synctest.Wait()
				require.EqualValues(t, 1, most.Load())
				require.EqualValues(t, 11, runs.Load(), "the last one was running when it was cancelled")
				require.Zero(t, w.PendingTimeouts())
			})
		})
	}
}

// The delay that Reset gave counts from the call, and the last call counts. The rate continues from
// there.
func TestResetOfARunningEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 1})
		start := time.Now()
		var x *Timeout
		made := make(chan struct{})
		var at []time.Duration
		x = w.Every(time.Second, func() {
			<-made
			at = append(at, time.Since(start))
			switch len(at) {
			case 1: // to 1.05 s, which has passed when the run ends
				require.True(t, x.Reset(time.Hour))
				require.True(t, x.Reset(50*time.Millisecond))
				time.Sleep(100 * time.Millisecond)
			case 3: // cancelled, and armed again in the same run
				require.True(t, x.Cancel())
				require.True(t, x.IsCancelled())
				require.False(t, x.Reset(300*time.Millisecond))
				require.False(t, x.IsCancelled())
				require.EqualValues(t, 1, w.PendingTimeouts())
			case 5: // armed again, and cancelled
				require.True(t, x.Reset(time.Second))
				require.True(t, x.Cancel())
			}
		})
		close(made)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		ms := time.Millisecond
		require.Equal(t, []time.Duration{1000 * ms, 1100 * ms, 2050 * ms, 2350 * ms, 3350 * ms}, at)
		require.Zero(t, w.PendingTimeouts())
		require.Zero(t, w.limit.taken.Load())

		require.False(t, x.Reset(500*ms), "an Every that was cancelled continues")
		time.Sleep(600 * ms)
		synctest.Wait()
		require.Len(t, at, 6)
		x.Cancel()
	})
}

// A run that is in progress when the timer stops belongs to a timeout that will not run again: Stop
// returns it.
func TestStopReturnsARunningEvery(t *testing.T) {
	for name, opts := range map[string]Options{"worker": {}, "executor": {Executor: Goroutines}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts.TickDuration = time.Millisecond
				w, err := New(opts)
				require.NoError(t, err)
				var runs atomic.Int64
				x := w.Every(time.Second, func() { runs.Add(1); time.Sleep(time.Minute) })
				time.Sleep(90 * time.Second) // in the second run
				unprocessed, err := w.Stop()
				require.NoError(t, err)
				require.Equal(t, []*Timeout{x}, unprocessed)
				require.True(t, x.IsCancelled())
				require.False(t, x.Cancel())
				time.Sleep(time.Hour)
				require.EqualValues(t, 2, runs.Load())
				require.Zero(t, w.PendingTimeouts())
				s := w.Stats()
				require.EqualValues(t, 1, s.Started)
				require.EqualValues(t, 1, s.Cancelled)
			})
		})
	}
}

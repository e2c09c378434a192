package hashedwheel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// What is cancelled before the worker has filed it is let go within some ticks, though the worker
// sleeps: here until the alarm of another timeout, an hour away.
func TestCancelOfQueuedTimeoutsFreesThem(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	mustNew(t, w, noTask, time.Hour)
	settles(t, func() bool { return w.clock.parked.Load()&deep != 0 })
	var freed atomic.Int64
	func() {
		var all []*Timeout
		for range 100 {
			payload := new([1 << 10]byte)
			runtime.AddCleanup(payload, func(n *atomic.Int64) { n.Add(1) }, &freed)
			all = append(all, w.AfterFunc(2*time.Hour, func() { payload[0]++ }))
		}
		for _, x := range all {
			require.True(t, x.Cancel())
		}
	}()
	collects(t, func() bool { return freed.Load() == 100 })
}

// A pair of start and stop in a while wakes the worker at most once, and one of a fresh handle not
// at all.
func TestCancelOfQueuedTimeoutsWakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		mustNew(t, w, noTask, time.Hour)
		var x Timeout
		w.Init(&x, noTask)
		for range 10 {
			time.Sleep(time.Minute)
			before := w.Stats().WakeUps
			for range 100 {
				x.Reset(2 * time.Hour)
				require.True(t, x.Cancel())
			}
			synctest.Wait()
			require.LessOrEqual(t, w.Stats().WakeUps-before, int64(1))
			time.Sleep(time.Second)
			before = w.Stats().WakeUps
			for range 100 {
				require.True(t, w.AfterFunc(2*time.Hour, func() {}).Cancel())
			}
			synctest.Wait()
			require.Equal(t, before, w.Stats().WakeUps)
		}
	})
}

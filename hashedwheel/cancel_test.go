package hashedwheel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCancelOfQueuedTimeoutsFreesThem checks that timeouts that are cancelled before the worker
// files them are released within a few ticks, even if the worker sleeps until a timeout an hour
// away.
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

// TestCancelOfQueuedTimeoutsWakesOnce checks that a hundred starts and stops of one timeout wake
// the worker at most once, and those of fresh handles never.
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

// TestATimeoutThatWasTakenOutMayMoveAtOnce has a timer take out a cancelled timeout, which another
// timer files as soon as it may. By then the first timer must have read where it had filed the
// timeout.
func TestATimeoutThatWasTakenOutMayMoveAtOnce(t *testing.T) {
	first, second := newTestTimer(t, Options{}), newTestTimer(t, Options{}) // never started: the test does what their workers do
	for name, takeOut := range map[string]func(x *Timeout){
		"file":   func(x *Timeout) { _, _ = first.file(x) },
		"settle": func(x *Timeout) { first.settle(unsettled{x, true}, 0) },
	} {
		for range 100 {
			var x Timeout
			first.Init(&x, noTask)
			first.place(&x, 5, false)
			x.word.Store(uint64(cancelled | linked))
			done := make(chan struct{})
			go func() { takeOut(&x); close(done) }()
			for x.heldByAnother(second.engine) {
				runtime.Gosched()
			}
			second.Init(&x, noTask)
			second.place(&x, 7, false)
			<-done
			require.Zero(t, first.wheel.Size(), name)
			require.Equal(t, 1, second.wheel.Size(), name)
			second.wheel.Remove(x.at)
		}
	}
}

package hashedwheel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// collect lets the collector find out what nobody holds, and what depends on it run.
func collect() {
	for range 5 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // cleanups run on a goroutine of their own
	}
}

// fast makes a timer with a short tick that the test does not hold.
func fast(t *testing.T, log *logCount, opts Options, use func(*HashedWheelTimer)) {
	t.Helper()
	opts.TickDuration, opts.Logger = time.Millisecond, log.logger()
	w, err := New(opts)
	require.NoError(t, err)
	use(w)
}

// A timer that nobody holds any more ends when nothing is pending.
func TestDroppedTimerEnds(t *testing.T) {
	var log logCount
	before := instances.Load()
	fired := make(chan struct{})
	func() {
		w, err := New(Options{TickDuration: time.Millisecond, Logger: log.logger()})
		require.NoError(t, err)
		mustNew(t, w, TaskFunc(func(*Timeout) { close(fired) }), 50*time.Millisecond)
	}()
	runtime.GC() // the pending timeout keeps it
	<-fired
	require.Eventually(t, func() bool {
		runtime.GC()
		return instances.Load() == before
	}, 10*time.Second, time.Millisecond)
	require.EqualValues(t, 1, log.n.Load())
}

// A handle that is not pending does not hold its timer. When that has ended, the handle
// is harmless.
func TestHandleOutlivesItsTimer(t *testing.T) {
	var log logCount
	before := instances.Load()
	var x *Timeout
	fast(t, &log, Options{}, func(w *HashedWheelTimer) {
		x = mustNew(t, w, noTask, 0)
		require.Same(t, w, x.Timer())
	})
	require.Eventually(t, func() bool {
		runtime.GC()
		return instances.Load() == before && engines.get(x.timer) == nil
	}, 10*time.Second, time.Millisecond)
	require.True(t, x.IsExpired())
	require.False(t, x.Cancel())
	require.False(t, x.Reset(0))
	require.True(t, x.IsCancelled())
	require.NotNil(t, x.Task())
	require.Nil(t, x.Timer())
	require.Contains(t, x.String(), "cancelled")
	require.Zero(t, over.pending())
}

// A pending timeout holds its timer, and gives it to whoever asks.
func TestPendingHandleLeadsToItsTimer(t *testing.T) {
	var log logCount
	var x *Timeout
	fast(t, &log, Options{}, func(w *HashedWheelTimer) { x = mustNew(t, w, noTask, time.Hour) })
	collect()
	w := x.Timer()
	require.EqualValues(t, 1, w.PendingTimeouts())
	require.True(t, x.Cancel())
	collect()
	require.Same(t, w, x.Timer(), "held by this test")
	_, err := w.Stop()
	require.NoError(t, err)
	require.Zero(t, log.n.Load())
}

// A handle of the caller's own is armed again and again, and its timer goes on for it.
func TestBoundHandleKeepsItsTimer(t *testing.T) {
	for _, arm := range []bool{false, true} {
		var (
			log   logCount
			x     Timeout
			fired = make(chan struct{}, 1)
		)
		fast(t, &log, Options{}, func(w *HashedWheelTimer) {
			w.Init(&x, TaskFunc(func(*Timeout) { fired <- struct{}{} }))
		})
		if arm { // the timer has started
			x.Reset(0)
			<-fired
		}
		collect()
		x.Reset(0)
		<-fired
		_, err := x.Timer().Stop()
		require.NoError(t, err)
	}
}

// A task that arms its timeout again is not cut off while it runs, though nothing
// is pending then, wherever it runs.
func TestDroppedTimerGoesOnWhileATaskRuns(t *testing.T) {
	elsewhere := new(goExecutor)
	for name, opts := range map[string]Options{"worker": {}, "executor": {Executor: elsewhere}} {
		t.Run(name, func(t *testing.T) {
			var (
				log  logCount
				runs atomic.Int64
				over = make(chan *HashedWheelTimer)
			)
			fast(t, &log, opts, func(w *HashedWheelTimer) {
				mustNew(t, w, TaskFunc(func(x *Timeout) {
					collect()
					// Long enough for the worker to lose the wheel and the next to fall asleep.
					time.Sleep(5 * minStall)
					collect()
					if runs.Add(1) < 3 {
						x.Reset(0)
						return
					}
					over <- x.Timer()
				}), 0)
			})
			w := <-over
			require.Zero(t, log.n.Load())
			require.Eventually(t, func() bool {
				_, err := w.Stop()
				return err == nil
			}, 10*time.Second, time.Millisecond)
		})
	}
}

func TestNumbersOfTimersAreNotUsedAgain(t *testing.T) {
	var r registry
	all := map[uint32]*engine{}
	for i := range 2000 { // the table grows several times
		e := new(engine)
		number := r.add(e)
		require.NotZero(t, number)
		require.NotContains(t, all, number)
		all[number] = e
		if i%3 == 0 {
			r.remove(number)
			all[number] = nil
		}
	}
	for number, e := range all {
		require.Same(t, e, r.get(number))
	}
}

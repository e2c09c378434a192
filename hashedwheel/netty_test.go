package hashedwheel

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Each test names the method of Netty's HashedWheelTimerTest (4.2, November 2025) whose behaviour
// it shows. They run in bubbles, so that what Netty's tests wait for is checked at the exact
// instant.

// noTask is a task that does nothing.
var noTask = TaskFunc(func(*Timeout) {})

// mustNew schedules task and fails the test if it is refused.
func mustNew(t testing.TB, w *HashedWheelTimer, task TimerTask, delay time.Duration) *Timeout {
	t.Helper()
	timeout, err := w.NewTimeout(task, delay)
	require.NoError(t, err)
	return timeout
}

// Netty: testScheduleTimeoutShouldNotRunBeforeDelay.
func TestNettyTimeoutDoesNotRunBeforeDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		var ran atomic.Bool
		timeout := mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), 10*time.Second)
		time.Sleep(10*time.Second - time.Nanosecond)
		synctest.Wait()
		require.False(t, ran.Load())
		require.False(t, timeout.IsExpired())
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		require.Equal(t, []*Timeout{timeout}, unprocessed)
	})
}

// Netty: testScheduleTimeoutShouldRunAfterDelay.
func TestNettyTimeoutRunsAfterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		var ran atomic.Bool
		timeout := mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), 2*time.Second)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.True(t, ran.Load())
		require.True(t, timeout.IsExpired())
		require.False(t, timeout.IsCancelled())
	})
}

// Netty: testStopTimer.
func TestNettyStopReturnsWhatNeverRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := newTestTimer(t, Options{})
		for range 3 {
			mustNew(t, ran, noTask, time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		unprocessed, err := ran.Stop()
		require.NoError(t, err)
		require.Empty(t, unprocessed, "tasks that ran are not unprocessed")

		w := newTestTimer(t, Options{})
		for range 5 {
			mustNew(t, w, noTask, 5*time.Second)
		}
		time.Sleep(time.Second)
		unprocessed, err = w.Stop()
		require.NoError(t, err)
		require.Len(t, unprocessed, 5)
	})
}

// Netty: testTimerShouldThrowExceptionAfterShutdownForNewTimeouts.
func TestNettyNewTimeoutAfterStopIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		mustNew(t, w, noTask, time.Millisecond)
		_, err := w.Stop()
		require.NoError(t, err)
		_, err = w.NewTimeout(noTask, time.Millisecond)
		require.ErrorIs(t, err, ErrStopped)
		require.True(t, w.AfterFunc(time.Millisecond, func() {}).IsCancelled())
		require.ErrorIs(t, w.Start(), ErrStopped)
	})
}

// Netty: testTimerOverflowWheelLength.
func TestNettyTaskReschedulesAcrossTheWheelsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 100 * time.Millisecond, TicksPerWheel: 32})
		var runs atomic.Int64
		var task TaskFunc
		task = func(timeout *Timeout) {
			runs.Add(1)
			if _, err := timeout.Timer().NewTimeout(task, 100*time.Millisecond); err != nil {
				t.Error(err)
			}
		}
		mustNew(t, w, task, 100*time.Millisecond)
		time.Sleep(10 * time.Second) // three revolutions
		synctest.Wait()
		require.EqualValues(t, 100, runs.Load())
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		require.Len(t, unprocessed, 1)
	})
}

// Netty: testExecutionOnTime. 100000 timeouts are also exactly what one pass may transfer.
func TestNettyExecutionOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick, delay = 200 * time.Millisecond, 125 * time.Millisecond
		w := newTestTimer(t, Options{TickDuration: tick})
		var ran, wrong atomic.Int64
		for range maxTransfersPerPass {
			start := time.Now()
			mustNew(t, w, TaskFunc(func(*Timeout) {
				ran.Add(1)
				if time.Since(start) != tick {
					wrong.Add(1)
				}
			}), delay)
		}
		time.Sleep(tick)
		synctest.Wait()
		require.EqualValues(t, maxTransfersPerPass, ran.Load())
		require.Zero(t, wrong.Load())
	})
}

// goExecutor runs tasks on goroutines of their own and counts them.
type goExecutor struct{ n atomic.Int64 }

func (x *goExecutor) Execute(run func()) error {
	x.n.Add(1)
	go run()
	return nil
}

// Netty: testExecutionOnTaskExecutor.
func TestNettyTaskRunsOnExecutor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &goExecutor{}
		w := newTestTimer(t, Options{Executor: x})
		var ran atomic.Bool
		timeout := mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), time.Millisecond)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.True(t, ran.Load())
		require.True(t, timeout.IsExpired())
		require.EqualValues(t, 1, x.n.Load())
	})
}

// Netty: testRejectedExecutionExceptionWhenTooManyTimeoutsAreAddedBackToBack.
func TestNettyTooManyTimeoutsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{MaxPendingTimeouts: 2})
		mustNew(t, w, noTask, 5*time.Second)
		mustNew(t, w, noTask, 5*time.Second)
		_, err := w.NewTimeout(noTask, time.Millisecond)
		require.ErrorIs(t, err, ErrTooManyPending)
		require.EqualValues(t, 2, w.PendingTimeouts())
		require.EqualValues(t, 1, w.Stats().Rejected)
	})
}

// Netty: testNewTimeoutShouldStopThrowingRejectedExecutionExceptionWhenExistingTimeoutIsCancelled.
// Netty's test waits five ticks for the room; here there is room at once.
func TestNettyCancelMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 100 * time.Millisecond, TicksPerWheel: 32, MaxPendingTimeouts: 2})
		mustNew(t, w, noTask, 5*time.Second)
		second := mustNew(t, w, noTask, 5*time.Second)
		require.True(t, second.Cancel())
		var ran atomic.Bool
		mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), time.Millisecond)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.True(t, ran.Load())
	})
}

// Netty: testNewTimeoutShouldStopThrowingRejectedExecutionExceptionWhenExistingTimeoutIsExecuted.
func TestNettyFiringMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 25 * time.Millisecond, TicksPerWheel: 4, MaxPendingTimeouts: 2})
		mustNew(t, w, noTask, 5*time.Second)
		mustNew(t, w, noTask, 90*time.Millisecond)
		_, err := w.NewTimeout(noTask, 90*time.Millisecond)
		require.ErrorIs(t, err, ErrTooManyPending)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		var ran atomic.Bool
		mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), 90*time.Millisecond)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.True(t, ran.Load())
	})
}

// Netty: reportPendingTimeouts. In Netty the last check is a race; here the count is exact while
// the task runs.
func TestNettyPendingTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		inside := make(chan int64, 1)
		t1 := mustNew(t, w, noTask, 100*time.Minute)
		t2 := mustNew(t, w, noTask, 100*time.Minute)
		mustNew(t, w, TaskFunc(func(*Timeout) { inside <- w.PendingTimeouts() }), 90*time.Millisecond)
		require.EqualValues(t, 3, w.PendingTimeouts())
		t1.Cancel()
		t2.Cancel()
		require.EqualValues(t, 0, <-inside)
		require.EqualValues(t, 0, w.PendingTimeouts())
	})
}

// Netty: testOverflow.
func TestNettyLongestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		time.Sleep(time.Second)
		timeout := mustNew(t, w, TaskFunc(func(*Timeout) { t.Error("ran") }), math.MaxInt64)
		time.Sleep(10 * 365 * 24 * time.Hour)
		synctest.Wait()
		require.False(t, timeout.IsExpired())
		require.True(t, timeout.Cancel())
	})
}

// Netty: testStopTimerCancelsPendingTasks.
func TestNettyStopCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		for range 5 {
			mustNew(t, w, noTask, 5*time.Second)
		}
		time.Sleep(time.Second)
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		require.Len(t, unprocessed, 5)
		for _, timeout := range unprocessed {
			require.True(t, timeout.IsCancelled())
			require.False(t, timeout.Cancel())
		}
		require.Zero(t, w.PendingTimeouts())
	})
}

// toldTask counts its runs and its cancellations.
type toldTask struct{ runs, cancels atomic.Int64 }

func (k *toldTask) Run(*Timeout)       { k.runs.Add(1) }
func (k *toldTask) Cancelled(*Timeout) { k.cancels.Add(1) }

// Netty: cancelWillCallCallback, which carries no @Test there and never runs.
func TestNettyCancelCallsCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		task := &toldTask{}
		timeout := mustNew(t, w, task, time.Second)
		require.EqualValues(t, 1, w.PendingTimeouts())
		require.True(t, timeout.Cancel())
		require.False(t, timeout.Cancel())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 1, task.cancels.Load())
		require.Zero(t, task.runs.Load())
	})
}

// Netty: testPendingTimeoutsShouldBeCountedCorrectlyWhenTimeoutCancelledWithinGoalTick.
func TestNettyCancelWithinTheTickOfTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		var mu sync.Mutex
		var blocked *Timeout
		var runs int
		task := TaskFunc(func(timeout *Timeout) {
			mu.Lock()
			runs++
			first := blocked == nil
			if first {
				blocked = timeout
			}
			mu.Unlock()
			if first {
				time.Sleep(5 * time.Millisecond) // too short for a hand-over
			}
		})
		var all []*Timeout
		for range 11 {
			all = append(all, mustNew(t, w, task, 100*time.Millisecond))
		}
		time.Sleep(102 * time.Millisecond) // the first is inside its task
		cancelled := 0
		for _, timeout := range all {
			if timeout.Cancel() {
				cancelled++
			}
		}
		require.Equal(t, 10, cancelled)
		require.Zero(t, w.PendingTimeouts())
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, runs)
		require.Zero(t, w.PendingTimeouts())
	})
}

// The tests below show what Netty does without testing it, and what it gets wrong.

// Netty: HashedWheelTimer.stop throws IllegalStateException on the worker thread.
func TestNettyStopInsideTaskIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		got := make(chan error, 1)
		mustNew(t, w, TaskFunc(func(timeout *Timeout) {
			_, err := timeout.Timer().Stop()
			got <- err
		}), time.Millisecond)
		require.ErrorIs(t, <-got, ErrStopInTask)
		mustNew(t, w, noTask, time.Millisecond) // still alive
	})
}

// Netty: stop and start in every order.
func TestNettyLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		require.NoError(t, w.Start())
		require.NoError(t, w.Start())
		mustNew(t, w, noTask, time.Hour)
		first, err := w.Stop()
		require.NoError(t, err)
		require.Len(t, first, 1)
		second, err := w.Stop()
		require.NoError(t, err)
		require.Empty(t, second)

		unused, err := New(Options{})
		require.NoError(t, err)
		got, err := unused.Stop()
		require.NoError(t, err)
		require.Empty(t, got)
		require.ErrorIs(t, unused.Start(), ErrStopped)
	})
}

// Netty: a task that throws is caught and logged. Its neighbours in the same tick run.
func TestNettyPanickingTaskHarmsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{Logger: quiet})
		var ran atomic.Int64
		for i := range 10 {
			mustNew(t, w, TaskFunc(func(*Timeout) {
				if i%2 == 0 {
					panic("on purpose")
				}
				ran.Add(1)
			}), 50*time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.EqualValues(t, 5, ran.Load())
		require.EqualValues(t, 5, w.Stats().Panicked)
		require.Zero(t, w.PendingTimeouts())
	})
}

// refusingExecutor refuses every task.
type refusingExecutor struct{}

func (refusingExecutor) Execute(func()) error { return errors.New("full") }

// Netty logs an executor's refusal and loses the task.
func TestNettyRefusingExecutorLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{Executor: refusingExecutor{}, Logger: quiet})
		var ran atomic.Bool
		mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), time.Millisecond)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.True(t, ran.Load())
		require.EqualValues(t, 1, w.Stats().Refused)
	})
}

// Netty: Timeout.cancel after the run, twice, and inside its own run.
func TestNettyCancelAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		inside := make(chan bool, 1)
		timeout := mustNew(t, w, TaskFunc(func(timeout *Timeout) { inside <- timeout.Cancel() }), time.Millisecond)
		require.False(t, <-inside)
		synctest.Wait()
		require.False(t, timeout.Cancel())
		require.True(t, timeout.IsExpired())
		require.False(t, timeout.IsCancelled())

		other := mustNew(t, w, noTask, time.Second)
		require.True(t, other.Cancel())
		require.False(t, other.Cancel())
		require.True(t, other.IsCancelled())
		require.False(t, other.IsExpired())
	})
}

// Netty: a zero delay scheduled inside a task runs at the next tick, not at once.
func TestNettyZeroDelayInsideTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		outer := make(chan struct{})
		var inner atomic.Bool
		mustNew(t, w, TaskFunc(func(timeout *Timeout) {
			if _, err := timeout.Timer().NewTimeout(TaskFunc(func(*Timeout) { inner.Store(true) }), 0); err != nil {
				t.Error(err)
			}
			if inner.Load() {
				t.Error("ran inside NewTimeout")
			}
			close(outer)
		}), time.Millisecond)
		<-outer
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.True(t, inner.Load())
	})
}

// Netty: constructor arguments and their normalisation.
func TestNettyArguments(t *testing.T) {
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{TickDuration: -1}, "hashedwheel: Options.TickDuration is -1ns, must not be negative"},
		{Options{TicksPerWheel: -4}, "hashedwheel: Options.TicksPerWheel is -4, must not be negative"},
		{Options{MaxPendingTimeouts: -1}, "hashedwheel: Options.MaxPendingTimeouts is -1, must not be negative"},
		{Options{TicksPerWheel: 1<<30 + 1},
			fmt.Sprintf("hashedwheel: Options.TicksPerWheel is 1073741825, must not be over %d", maxTicksPerWheel)},
		{Options{TickDuration: math.MaxInt64 / 512, TicksPerWheel: 512},
			"hashedwheel: Options.TickDuration is 5003h59m58.509481983s, must be under 5003h59m58.509481983s with 512 ticks per wheel"},
	} {
		_, err := New(c.opts)
		require.EqualError(t, err, c.want)
	}
	if bits.UintSize == 32 { // the memory of one slice of so many buckets cannot be addressed
		_, err := New(Options{TicksPerWheel: 1 << 30})
		require.EqualError(t, err, "hashedwheel: Options.TicksPerWheel is 1073741824, must not be over 67108864")
	} else {
		require.Equal(t, 1<<30, maxTicksPerWheel)
	}
	opts, err := Options{TicksPerWheel: 5}.withDefaults()
	require.NoError(t, err)
	require.Equal(t, 8, opts.TicksPerWheel)

	var log logCount
	opts, err = Options{TickDuration: 1, Logger: log.logger()}.withDefaults()
	require.NoError(t, err)
	require.Equal(t, time.Millisecond, opts.TickDuration)
	require.EqualValues(t, 1, log.n.Load())

	w := newTestTimer(t, Options{})
	_, err = w.NewTimeout(nil, time.Second)
	require.EqualError(t, err, "hashedwheel: NewTimeout: task is nil, must not be nil")
	require.Panics(t, func() { w.AfterFunc(time.Second, nil) })
	require.Panics(t, func() { w.Every(0, func() {}) })
}

// Netty: more than 100000 queued within one tick. Netty is late by a tick for each 100000 more;
// here further passes follow at once.
func TestNettyBacklogIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		require.NoError(t, w.Start())
		const n = 3*maxTransfersPerPass + 7
		var ran atomic.Int64
		task := TaskFunc(func(*Timeout) { ran.Add(1) })
		for range n {
			mustNew(t, w, task, 15*time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		require.EqualValues(t, n, ran.Load())
	})
}

// Netty: a late worker runs what is overdue in the order of the ticks.
func TestNettyLateWorkerKeepsTickOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond, TicksPerWheel: 4})
		w.stall = time.Hour // no hand-over: the worker must be late
		var order []int
		mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(time.Second) }), 5*time.Millisecond)
		// Seven revolutions. All delays are shorter than leastRelativeTicks: longer ones may come a
		// tick later than asked for, and then share it with the next.
		for i := leastRelativeTicks - 1; i > 1; i-- {
			mustNew(t, w, TaskFunc(func(*Timeout) { order = append(order, i) }), time.Duration(i)*10*time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Len(t, order, leastRelativeTicks-2)
		require.IsIncreasing(t, order)
	})
}

// Netty wakes at every tick. Here a worker asleep until a far deadline wakes for an earlier one.
func TestNettyEarlierDeadlineWakesTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		mustNew(t, w, noTask, time.Hour)
		time.Sleep(time.Minute)
		before := w.Stats().WakeUps
		time.Sleep(time.Minute)
		require.Equal(t, before, w.Stats().WakeUps, "woke with nothing to do")
		var ran atomic.Bool
		mustNew(t, w, TaskFunc(func(*Timeout) { ran.Store(true) }), time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, ran.Load())
	})
}

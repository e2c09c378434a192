package hashedwheel

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Two tasks of different types, with different contents.
type (
	firstTask  struct{ ran, told atomic.Int64 }
	secondTask struct {
		_         [4]string
		ran, told atomic.Int64
	}
)

func (f *firstTask) Run(*Timeout)        { f.ran.Add(1) }
func (f *firstTask) Cancelled(*Timeout)  { f.told.Add(1) }
func (s *secondTask) Run(*Timeout)       { s.ran.Add(1) }
func (s *secondTask) Cancelled(*Timeout) { s.told.Add(1) }

// A cancelled timeout may be bound to another task at once. The task that was cancelled is
// notified.
func TestInitAfterCancelDoesNotHideTheCancelledTask(t *testing.T) {
	w := newTestTimer(t, Options{})
	worker := byHand(w)
	var x Timeout
	first, second := new(firstTask), new(secondTask)
	w.Init(&x, first)
	x.Reset(time.Hour)
	require.True(t, x.Cancel())
	w.Init(&x, second)
	x.Reset(0)
	worker.pass(1)
	require.EqualValues(t, 1, first.told.Load())
	require.Zero(t, second.told.Load())
	require.EqualValues(t, 1, second.ran.Load())

	w.Init(&x, TaskFunc(func(*Timeout) {}))
	x.Reset(time.Hour)
	worker.pass(2)
	w.Init(ignore(x.Cancel(), &x), first)
	worker.pass(3)
	require.EqualValues(t, 1, first.told.Load(), "the task before has no Cancelled")
	require.Zero(t, w.Stats().Panicked)
}

func ignore[T any](_ bool, x T) T { return x }

// The same for what Stop cancels: a caller that sees a cancelled timeout may bind it anew.
func TestInitBesideStop(t *testing.T) {
	w := newTestTimer(t, Options{})
	all := make([]Timeout, 50)
	firsts, seconds := make([]firstTask, len(all)), make([]secondTask, len(all))
	for i := range all {
		w.Init(&all[i], &firsts[i])
		all[i].Reset(time.Hour)
	}
	rebind := func(*Timeout) {
		for i := range all {
			if all[i].IsCancelled() && all[i].Task() == TimerTask(&firsts[i]) {
				w.Init(&all[i], &seconds[i])
			}
		}
	}
	w.Init(&all[0], ignore(all[0].Cancel(), TimerTask(tellFunc(rebind))))
	all[0].Reset(time.Hour)
	_, err := w.Stop()
	require.NoError(t, err)
	for i := range all[1:] {
		require.EqualValues(t, 1, firsts[1+i].told.Load(), i)
		require.Zero(t, seconds[1+i].told.Load())
	}
}

// tellFunc is a task that is a function to call when it is cancelled.
type tellFunc func(*Timeout)

func (f tellFunc) Run(*Timeout)         {}
func (f tellFunc) Cancelled(t *Timeout) { f(t) }

// An executor runs the task that was due, though the timeout has another by then.
func TestInitBeforeTheExecutorRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var queue []func()
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, Executor: executorFunc(func(run func()) error {
			queue = append(queue, run)
			return nil
		})})
		var x Timeout
		first, second := new(firstTask), new(secondTask)
		w.Init(&x, first)
		x.Reset(0)
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, x.IsExpired())
		w.Init(&x, second)
		for _, run := range queue {
			run()
		}
		require.EqualValues(t, 1, first.ran.Load())
		require.Zero(t, second.ran.Load())
		require.Zero(t, w.Stats().Panicked)
	})
}

type executorFunc func(run func()) error

func (f executorFunc) Execute(run func()) error { return f(run) }

// Callers cancel, bind to another type of task and arm again while the worker fires and calls
// Cancelled.
func TestInitBesideTheWorker(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond, TicksPerWheel: 4})
	var first firstTask
	var second secondTask
	var cancelled atomic.Int64
	var callers sync.WaitGroup
	end := time.Now().Add(100 * time.Millisecond)
	for range 4 {
		callers.Go(func() {
			all := make([]Timeout, 500)
			for i := 0; time.Now().Before(end); i++ {
				x := &all[i%len(all)]
				if x.Cancel() {
					cancelled.Add(1)
				}
				var task TimerTask = &first
				if i/len(all)%2 != 0 {
					task = &second
				}
				w.Init(x, task)
				x.Reset(time.Duration(i%3) * time.Millisecond)
			}
			for i := range all {
				if all[i].Cancel() {
					cancelled.Add(1)
				}
			}
		})
	}
	callers.Wait()
	told := func() int64 { return first.told.Load() + second.told.Load() }
	settles(t, func() bool { return told() == cancelled.Load() })
	require.Zero(t, w.Stats().Panicked)
}

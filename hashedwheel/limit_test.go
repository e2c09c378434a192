package hashedwheel

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A task has its place until it returns: to arm itself again, or for one new timeout.
func TestTaskOfAFullTimerHasItsPlace(t *testing.T) {
	for name, executor := range map[string]Executor{"worker": nil, "executor": Goroutines} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 1, Executor: executor, Logger: quiet})
				var runs atomic.Int64
				mustNew(t, w, TaskFunc(func(x *Timeout) {
					time.Sleep(5 * time.Millisecond) // others try meanwhile
					switch n := runs.Add(1); {
					case n < 5:
						require.False(t, x.Reset(time.Millisecond))
						require.False(t, x.IsCancelled())
					case n == 5: // armed and taken back
						x.Reset(time.Hour)
						require.True(t, x.Cancel())
						x.Reset(time.Millisecond)
					}
				}), 0)
				// Until the fourth run the place is never free: others also try at the very
				// instants at which runs end. In the fifth run, Cancel frees it for a moment, and
				// the sixth run frees it for good, so after the fourth they try between these
				// instants.
				refused := func() {
					_, err := w.NewTimeout(noTask, time.Hour)
					require.ErrorIs(t, err, ErrTooManyPending)
				}
				for runs.Load() < 4 {
					refused()
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Millisecond / 2)
				for runs.Load() < 6 {
					refused()
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Second)
				require.EqualValues(t, 6, runs.Load())
				require.Zero(t, w.limit.taken.Load())
				require.Zero(t, w.PendingTimeouts())

				for i := range 3 { // a task that has panicked has given its place back
					mustNew(t, w, TaskFunc(func(*Timeout) {
						if i == 1 && executor == nil {
							panic(errors.New("expected"))
						}
					}), 0)
					time.Sleep(10 * time.Millisecond)
					synctest.Wait()
					require.Zero(t, w.limit.taken.Load())
				}
			})
		})
	}
}

// A task on the worker that starts another timeout gives its place to that timeout.
func TestTaskOfAFullTimerStartsItsSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 1})
		runs := 0
		var task TaskFunc
		task = func(x *Timeout) {
			if runs++; runs == 10 {
				return
			}
			mustNew(t, w, task, time.Millisecond)
			_, err := w.NewTimeout(task, time.Millisecond)
			require.ErrorIs(t, err, ErrTooManyPending, "it has one place")
			require.False(t, x.Reset(time.Millisecond))
			require.True(t, x.IsCancelled())
		}
		mustNew(t, w, task, 0)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 10, runs)
		require.Zero(t, w.limit.taken.Load())
	})
}

// A call of Cancelled that panics or ends its goroutine, and a task that an executor has refused
// and that ends its goroutine, change nothing for the tasks after it.
func TestPlaceOfATaskAfterAnAbruptEnd(t *testing.T) {
	told := func(end func()) func(*testing.T, *HashedWheelTimer) {
		return func(t *testing.T, w *HashedWheelTimer) {
			require.True(t, mustNew(t, w, tellFunc(func(*Timeout) { end() }), time.Hour).Cancel())
		}
	}
	for name, test := range map[string]struct {
		executor Executor
		disturb  func(*testing.T, *HashedWheelTimer)
	}{
		"panic in Cancelled":  {nil, told(func() { panic(errors.New("expected")) })},
		"Goexit in Cancelled": {nil, told(runtime.Goexit)},
		"Goexit of a refused task": {refusing{}, func(t *testing.T, w *HashedWheelTimer) {
			mustNew(t, w, TaskFunc(func(*Timeout) { runtime.Goexit() }), 0)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestTimer(t, Options{
					TickDuration: time.Millisecond, MaxPendingTimeouts: 1, Executor: test.executor, Logger: quiet,
				})
				test.disturb(t, w)
				time.Sleep(time.Second)
				ran := false
				var err error
				mustNew(t, w, TaskFunc(func(*Timeout) { _, err = w.NewTimeout(noTask, time.Hour); ran = true }), 0)
				time.Sleep(time.Second)
				synctest.Wait()
				require.True(t, ran)
				require.NoError(t, err)
				require.EqualValues(t, 1, w.limit.taken.Load())
			})
		})
	}
}

// refusing is an executor that takes nothing.
type refusing struct{}

func (refusing) Execute(func()) error { return errors.New("expected") }

package hashedwheel

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		start := time.Now()
		require.Equal(t, 300*time.Millisecond, (<-w.After(250 * time.Millisecond)).Sub(start))
		c := w.After(time.Hour)
		_, err := w.Stop()
		require.NoError(t, err)
		_, ok := <-c
		require.False(t, ok, "closed when the timer stops")
		start = time.Now()
		<-w.After(time.Second)
		require.Equal(t, time.Second, time.Since(start), "falls back on time.After")
	})
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		start := time.Now()
		require.NoError(t, w.Sleep(t.Context(), time.Second))
		require.Equal(t, time.Second, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, w.Sleep(ctx, time.Hour), context.DeadlineExceeded)
		require.ErrorIs(t, w.Sleep(ctx, 0), context.DeadlineExceeded)
		require.Zero(t, w.PendingTimeouts())

		go func() {
			time.Sleep(time.Second)
			_, _ = w.Stop()
		}()
		require.ErrorIs(t, w.Sleep(t.Context(), time.Hour), ErrStopped)
		require.ErrorIs(t, w.Sleep(t.Context(), time.Hour), ErrStopped)
	})
}

func TestWithTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		start := time.Now()
		ctx, cancel := w.WithTimeout(t.Context(), time.Second)
		defer cancel()
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, time.Second, deadline.Sub(start))
		child, cancelChild := context.WithCancel(ctx)
		defer cancelChild()
		require.NoError(t, ctx.Err())
		<-child.Done()
		require.Equal(t, time.Second, time.Since(start))
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		require.ErrorIs(t, child.Err(), context.DeadlineExceeded)
		require.ErrorIs(t, context.Cause(ctx), context.DeadlineExceeded)

		ctx, cancel = w.WithTimeout(t.Context(), time.Hour)
		cancel()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		require.Zero(t, w.PendingTimeouts())

		parent, cancelParent := context.WithCancel(t.Context())
		ctx, cancel = w.WithTimeout(parent, time.Hour)
		defer cancel()
		cancelParent()
		<-ctx.Done()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		synctest.Wait()
		require.Zero(t, w.PendingTimeouts())

		ctx, cancel = w.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start = time.Now()
		_, err := w.Stop()
		require.NoError(t, err)
		<-ctx.Done()
		require.Equal(t, time.Minute, time.Since(start), "the time package keeps the deadline of a stopped timer")
		ctx, cancel = w.WithTimeout(t.Context(), time.Second)
		defer cancel()
		<-ctx.Done()
		require.Equal(t, time.Minute+time.Second, time.Since(start))
	})
}

func TestEveryDelayCountsFromTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		start := time.Now()
		var at []time.Duration
		p := w.EveryDelay(time.Second, func() {
			at = append(at, time.Since(start))
			time.Sleep(5 * time.Millisecond)
		})
		time.Sleep(3500 * time.Millisecond)
		require.EqualValues(t, 1, w.PendingTimeouts())
		require.True(t, p.Cancel())
		require.False(t, p.Cancel())
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []time.Duration{1000 * time.Millisecond, 2005 * time.Millisecond, 3010 * time.Millisecond}, at)
		require.Zero(t, w.PendingTimeouts())
	})
}

// A slow task skips the deadlines that it missed and keeps the rate. It never runs twice at once,
// not even after the wheel was handed over to another worker.
func TestEverySkipsWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		start := time.Now()
		var inside atomic.Int64
		var at []time.Duration
		p := w.Every(100*time.Millisecond, func() {
			if inside.Add(1) != 1 {
				t.Error("runs twice at once")
			}
			at = append(at, time.Since(start))
			if len(at) == 1 {
				time.Sleep(250 * time.Millisecond)
			}
			inside.Add(-1)
		})
		time.Sleep(550 * time.Millisecond)
		p.Cancel()
		synctest.Wait()
		ms := time.Millisecond
		require.Equal(t, []time.Duration{100 * ms, 400 * ms, 500 * ms}, at)
		require.EqualValues(t, 1, w.Stats().HandOvers)
	})
}

// A periodic timeout can be cancelled and reset inside its own run, and continues after a panic.
func TestEveryInsideItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, Logger: quiet})
		var runs atomic.Int64
		var self atomic.Pointer[Timeout]
		p := w.Every(time.Second, func() {
			p := self.Load()
			switch runs.Add(1) {
			case 1:
				panic("on purpose")
			case 2:
				if !p.Reset(10 * time.Second) {
					t.Error("a running periodic timeout is pending")
				}
			case 3:
				if !p.Cancel() {
					t.Error("cancel inside the run prevents the next")
				}
			}
		})
		self.Store(p)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 2, runs.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, 3, runs.Load())
		require.True(t, p.IsCancelled())
		require.False(t, p.IsExpired())
	})
}

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := NewPool(2, 1)
		require.NoError(t, err)
		w := newTestTimer(t, Options{Executor: p, Logger: quiet, TickDuration: time.Millisecond})
		var ran atomic.Int64
		for range 3 {
			mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(time.Hour); ran.Add(1) }), time.Second)
		}
		time.Sleep(2 * time.Second) // two run, one waits
		mustNew(t, w, TaskFunc(func(*Timeout) { ran.Add(100) }), time.Second)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 100, ran.Load(), "refused, and run by the worker")
		require.GreaterOrEqual(t, w.Stats().Refused, int64(1))
		time.Sleep(3 * time.Hour)
		mustNew(t, w, TaskFunc(func(*Timeout) { runtime.Goexit() }), time.Second)
		mustNew(t, w, TaskFunc(func(*Timeout) { panic("on purpose") }), 2*time.Second)
		time.Sleep(3 * time.Second)
		p.Close()
		p.Close()
		require.EqualValues(t, 103, ran.Load())
		require.ErrorIs(t, p.Execute(func() {}), ErrPoolFull)
	})
	_, err := NewPool(0, 1)
	require.EqualError(t, err, "hashedwheel: NewPool: workers is 0, must be positive")
	_, err = NewPool(1, -1)
	require.EqualError(t, err, "hashedwheel: NewPool: queue is -1, must not be negative")
}

type brokenExecutor struct{}

// Execute runs the task and then returns an error, which claims that the task will not run.
func (brokenExecutor) Execute(run func()) error { run(); return errors.New("refused after all") }

type panickingExecutor struct{}

func (panickingExecutor) Execute(func()) error { panic("on purpose") }

func TestExecutorsThatBreakTheirWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, x := range []Executor{brokenExecutor{}, panickingExecutor{}, Goroutines} {
			w := newTestTimer(t, Options{Executor: x, Logger: quiet})
			var ran atomic.Int64
			mustNew(t, w, TaskFunc(func(*Timeout) { ran.Add(1) }), time.Second)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.EqualValues(t, 1, ran.Load(), "%T", x)
		}
	})
}

// A call of Execute that takes long does not keep the others from being made.
func TestExecuteIsCalledBesideACallThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most atomic.Int64
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, Executor: executorFunc(func(run func()) error {
			if n := inside.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer inside.Add(-1)
			time.Sleep(time.Minute)
			run()
			return nil
		})})
		var ran atomic.Int64
		for range 3 {
			w.AfterFunc(time.Millisecond, func() { ran.Add(1) })
		}
		time.Sleep(time.Minute + time.Second)
		require.EqualValues(t, 3, most.Load())
		require.EqualValues(t, 3, ran.Load())
	})
}

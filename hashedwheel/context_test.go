package hashedwheel

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// ended reports whether a context's channel is closed.
func ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// A contextMaker is context.WithTimeout or what takes its place.
type contextMaker func(context.Context, time.Duration) (context.Context, context.CancelFunc)

// TestWithTimeoutAnswersAtOnce checks that WithTimeout answers without a wait wherever
// context.WithTimeout does. Each case runs on both.
func TestWithTimeoutAnswersAtOnce(t *testing.T) {
	t.Run("context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { answersAtOnce(t, context.WithTimeout) })
	})
	t.Run("wheel", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newTestTimer(t, Options{})
			answersAtOnce(t, w.WithTimeout)
			synctest.Wait()
			require.Zero(t, w.PendingTimeouts())
		})
	})
}

// A key is one of context.WithValue.
type key struct{}

func answersAtOnce(t *testing.T, make contextMaker) {
	reason := errors.New("a reason")

	// An ended parent.
	parent, cancelParent := context.WithCancelCause(t.Context())
	cancelParent(reason)
	ctx, cancel := make(parent, time.Hour)
	defer cancel()
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	require.True(t, ended(ctx))
	require.Equal(t, reason, context.Cause(ctx))
	deadline, ok := ctx.Deadline()
	require.True(t, ok)
	require.Equal(t, time.Now().Add(time.Hour), deadline)

	// No time left.
	for _, delay := range []time.Duration{0, -time.Hour} {
		ctx, cancel := make(t.Context(), delay)
		defer cancel()
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		require.True(t, ended(ctx))
	}

	// A parent that ends later, as Err tells, as Done tells, and through a context in between.
	for _, look := range []func(context.Context){
		func(ctx context.Context) { require.ErrorIs(t, ctx.Err(), context.Canceled) },
		func(ctx context.Context) { require.True(t, ended(ctx)) },
	} {
		parent, cancelParent := context.WithCancelCause(t.Context())
		ctx, cancel := make(parent, time.Hour)
		defer cancel()
		grandchild, cancelGrandchild := make(ctx, time.Minute)
		defer cancelGrandchild()
		require.NoError(t, ctx.Err())
		require.NoError(t, grandchild.Err())
		cancelParent(reason)
		look(grandchild)
		look(ctx)
		require.Equal(t, reason, context.Cause(ctx))
		require.Equal(t, reason, context.Cause(grandchild))
	}

	// The end of the parent comes first if the parent ended first.
	parent, cancelParent = context.WithCancelCause(t.Context())
	ctx, cancel = make(parent, time.Hour)
	cancelParent(reason)
	cancel()
	require.Equal(t, reason, context.Cause(ctx))

	// One that ended alone keeps its cause when the parent ends, and so does what comes from it.
	for _, end := range []struct {
		with  func(context.CancelFunc)
		cause error
	}{
		{func(cancel context.CancelFunc) { cancel() }, context.Canceled},
		{func(context.CancelFunc) { time.Sleep(2 * time.Hour) }, context.DeadlineExceeded}, // in a bubble
	} {
		parent, cancelParent := context.WithCancelCause(t.Context())
		ctx, cancel := make(parent, time.Hour)
		grandchild, cancelGrandchild := make(ctx, time.Minute)
		defer cancelGrandchild()
		if end.cause == context.DeadlineExceeded {
			cancelGrandchild()
		}
		derived := context.WithValue(ctx, key{}, 1)
		end.with(cancel)
		synctest.Wait()
		require.Equal(t, end.cause, context.Cause(ctx))
		cancelParent(reason)
		require.Equal(t, end.cause, context.Cause(ctx))
		require.Equal(t, end.cause, context.Cause(derived))
		require.Equal(t, context.Canceled, context.Cause(grandchild))
		cancel()
	}

	// A context of the context package ends with the one that it comes from.
	ctx, cancel = make(t.Context(), time.Hour)
	child, cancelChild := context.WithCancel(ctx)
	defer cancelChild()
	called := false
	context.AfterFunc(ctx, func() { called = true })
	never := context.AfterFunc(ctx, func() { t.Error("called though it was stopped") })
	require.True(t, never())
	cancel()
	require.ErrorIs(t, child.Err(), context.Canceled)
	require.True(t, ended(child))
	synctest.Wait()
	require.True(t, called)

	require.PanicsWithValue(t, "cannot create context from nil parent", func() { make(nil, time.Hour) })
}

// Sleep and After without a delay do not wait for a tick.
func TestNothingToWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		require.NoError(t, w.Start())
		time.Sleep(30 * time.Millisecond) // between two ticks
		start := time.Now()
		for _, delay := range []time.Duration{0, -time.Hour} {
			require.NoError(t, w.Sleep(t.Context(), delay))
			require.Equal(t, start, <-w.After(delay))
		}
		require.Equal(t, start, time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, w.Sleep(ctx, 0), context.Canceled)
		_, err := w.Stop()
		require.NoError(t, err)
		require.ErrorIs(t, w.Sleep(t.Context(), 0), ErrStopped)
	})
}

// When the timer has stopped, the time package keeps the deadline until the context ends.
func TestWithTimeoutOutlivesItsTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		ctx, cancel := w.WithTimeout(t.Context(), time.Hour)
		other, cancelOther := w.WithTimeout(t.Context(), time.Minute)
		defer cancelOther()
		_, err := w.Stop()
		require.NoError(t, err)
		c := ctx.(*wheelContext)
		require.NotNil(t, c.mu.instead)
		cancel()
		require.False(t, c.mu.instead.Stop(), "given back with the context")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.ErrorIs(t, other.Err(), context.DeadlineExceeded)
	})
}

// A context is read, cancelled and derived from by many at once while its parent ends.
func TestWithTimeoutStorm(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	for range 300 {
		parent, cancelParent := context.WithCancel(t.Context())
		ctx, cancel := w.WithTimeout(parent, time.Millisecond)
		var wg sync.WaitGroup
		for _, f := range []func(){
			cancelParent,
			cancel,
			func() { _ = ctx.Err() },
			func() { <-ctx.Done() },
			func() {
				child, cancelChild := context.WithCancel(ctx)
				defer cancelChild()
				<-child.Done()
				if child.Err() != ctx.Err() {
					t.Errorf("child ended with %v, its parent with %v", child.Err(), ctx.Err())
				}
			},
		} {
			wg.Go(f)
		}
		wg.Wait()
	}
	settles(t, func() bool { return w.PendingTimeouts() == 0 })
}

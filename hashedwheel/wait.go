package hashedwheel

import (
	"context"
	"sync"
	"time"
)

// After returns a channel that gets the time after delay, as time.After does. It
// is closed instead if the timer stops before. On a timer that is stopped or full
// it falls back on time.After.
func (w *HashedWheelTimer) After(delay time.Duration) <-chan time.Time {
	c := make(afterTask, 1)
	if _, err := w.NewTimeout(c, delay); err != nil {
		return time.After(delay)
	}
	return c
}

// An afterTask is the task of After: the channel itself.
type afterTask chan time.Time

func (c afterTask) Run(*Timeout)       { c <- time.Now() }
func (c afterTask) Cancelled(*Timeout) { close(c) }

// Sleep waits for delay. It returns nil then, ctx.Err() if ctx ends before, ErrStopped
// if the timer stops before, and the error of NewTimeout if it refuses.
func (w *HashedWheelTimer) Sleep(ctx context.Context, delay time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := make(afterTask, 1)
	t, err := w.NewTimeout(c, delay)
	if err != nil {
		return err
	}
	select {
	case _, ran := <-c:
		if !ran {
			return ErrStopped
		}
		return nil
	case <-ctx.Done():
		t.Cancel()
		return ctx.Err()
	}
}

// WithTimeout is context.WithTimeout with the deadline kept by w: the context ends with
// context.DeadlineExceeded after delay, within the precision of w. The caller calls
// the CancelFunc when it is done, to give the timeout back.
//
// If w refuses, or stops before, the time package keeps the deadline.
func (w *HashedWheelTimer) WithTimeout(parent context.Context, delay time.Duration) (context.Context, context.CancelFunc) {
	deadline := time.Now().Add(delay)
	if d, ok := parent.Deadline(); ok && d.Before(deadline) {
		return context.WithCancel(parent)
	}
	c := &wheelContext{parent: parent, deadline: deadline, done: make(chan struct{})}
	w.init(&c.timeout, (*contextTask)(c))
	c.timeout.Reset(delay)
	if c.timeout.IsCancelled() && c.Err() == nil {
		return context.WithTimeout(parent, delay)
	}
	unlink := context.AfterFunc(parent, func() { c.end(parent.Err()) })
	c.mu.Lock()
	c.mu.unlink = unlink
	ended := c.mu.err != nil
	c.mu.Unlock()
	if ended {
		unlink()
	}
	return c, func() { c.end(context.Canceled) }
}

// A wheelContext is a context with a deadline kept by a timer. It has an AfterFunc
// method, which the context package looks for: so contexts derived from it need no goroutine.
type wheelContext struct {
	parent   context.Context
	deadline time.Time
	timeout  Timeout
	done     chan struct{}

	mu struct {
		sync.Mutex
		err    error
		unlink func() bool // from the parent
		after  map[*func()]struct{}
	}
}

func (c *wheelContext) Deadline() (time.Time, bool) { return c.deadline, true }
func (c *wheelContext) Done() <-chan struct{}       { return c.done }
func (c *wheelContext) Value(key any) any           { return c.parent.Value(key) }

func (c *wheelContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.err
}

// AfterFunc arranges for f to run on its own goroutine when c ends.
func (c *wheelContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.mu.after == nil {
		c.mu.after = make(map[*func()]struct{})
	}
	key := &f
	c.mu.after[key] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, there := c.mu.after[key]
		delete(c.mu.after, key)
		return there
	}
}

// end ends the context with err, unless it has ended.
func (c *wheelContext) end(err error) {
	c.mu.Lock()
	if c.mu.err != nil {
		c.mu.Unlock()
		return
	}
	c.mu.err = err
	after, unlink := c.mu.after, c.mu.unlink
	c.mu.after = nil
	close(c.done)
	c.mu.Unlock()
	c.timeout.Cancel()
	if unlink != nil {
		unlink()
	}
	for f := range after {
		go (*f)()
	}
}

// A contextTask is the task of a wheelContext's timeout.
type contextTask wheelContext

func (k *contextTask) Run(*Timeout) { (*wheelContext)(k).end(context.DeadlineExceeded) }

// Cancelled hands the deadline to the time package when the timer stops. When the
// context has ended already, it does nothing.
func (k *contextTask) Cancelled(t *Timeout) {
	c := (*wheelContext)(k)
	if c.Err() == nil {
		time.AfterFunc(time.Until(c.deadline), func() { k.Run(t) })
	}
}

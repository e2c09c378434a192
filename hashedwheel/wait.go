package hashedwheel

import (
	"context"
	"sync"
	"time"
)

// After returns a channel that gets the time after delay, as time.After does: at once if delay is
// not positive. The channel is closed instead if the timer stops before. On a timer that is stopped
// or full After falls back on time.After.
func (w *HashedWheelTimer) After(delay time.Duration) <-chan time.Time {
	c := make(afterTask, 1)
	if delay <= 0 {
		c <- time.Now()
		return c
	}
	if _, err := w.NewTimeout(c, delay); err != nil {
		return time.After(delay)
	}
	return c
}

// An afterTask is the task of After: the channel itself.
type afterTask chan time.Time

func (c afterTask) Run(*Timeout)       { c <- time.Now() }
func (c afterTask) Cancelled(*Timeout) { close(c) }

// Sleep waits for delay, not at all if delay is not positive, and returns nil. It returns ctx.Err()
// if ctx ends before, ErrStopped if the timer stops before or has stopped, and ErrTooManyPending if
// the timer is full.
func (w *HashedWheelTimer) Sleep(ctx context.Context, delay time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if delay <= 0 && w.life.Load() != stopped {
		return nil
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

// WithTimeout returns a context as context.WithTimeout does, with the deadline kept by w: the
// context ends with context.DeadlineExceeded after delay, within the precision of w. Call the
// CancelFunc when the context is no longer needed, to give the timeout back. A nil parent panics.
//
// If w refuses, or stops before, the time package keeps the deadline.
//
// When parent ends, calls of Err and Done show it at once. A channel that Done returned earlier,
// and contexts that the context package derived from this one, follow a moment later, from another
// goroutine.
func (w *HashedWheelTimer) WithTimeout(
	parent context.Context, delay time.Duration,
) (context.Context, context.CancelFunc) {
	if parent == nil || parent.Err() != nil || delay <= 0 {
		return context.WithTimeout(parent, delay) // needs no timer
	}
	deadline := time.Now().Add(delay)
	if d, ok := parent.Deadline(); ok && d.Before(deadline) {
		return context.WithCancel(parent)
	}
	c := &wheelContext{parent: parent, deadline: deadline, done: make(chan struct{})}
	w.init(&c.timeout, (*contextTask)(c))
	c.timeout.Reset(delay)
	if c.timeout.IsCancelled() && !c.over() {
		c.end(context.Canceled, true) // so that nothing of it is left if w stopped just now
		return context.WithDeadline(parent, deadline)
	}
	unlink := context.AfterFunc(parent, c.followParent)
	c.mu.Lock()
	c.mu.unlink = unlink
	over := c.mu.err != nil
	c.mu.Unlock()
	if over {
		unlink()
	}
	return c, func() { c.endAlone(context.Canceled) }
}

// A wheelContext is a context with a deadline kept by a timer. It has an AfterFunc method, which
// the context package looks for, so contexts derived from it need no goroutine.
type wheelContext struct {
	parent   context.Context
	deadline time.Time
	timeout  Timeout
	done     chan struct{}

	mu struct { // guards the end of the context and what it has to stop and call
		sync.Mutex
		err     error
		alone   bool        // it has ended before its parent
		unlink  func() bool // from the parent
		instead *time.Timer // keeps the deadline of a timer that has stopped
		after   map[*func()]struct{}
	}
}

func (c *wheelContext) Deadline() (time.Time, bool) { return c.deadline, true }

// Value asks the parent, except for what context.Cause asks for: the cause of the parent is not
// that of a context that has ended before it.
func (c *wheelContext) Value(key any) any {
	if key == causeKey && c.endedAlone() {
		return nil
	}
	return c.parent.Value(key)
}

// causeKey is the key by which context.Cause asks a context for its cause.
var causeKey = func() any {
	p := &keyProbe{Context: overContext{context.Background()}}
	_ = context.Cause(p)
	return p.key
}()

// A keyProbe remembers the key that it was asked for.
type keyProbe struct {
	context.Context
	key any
}

func (p *keyProbe) Value(key any) any {
	p.key = key
	return nil
}

// An overContext is a context that has ended.
type overContext struct{ context.Context }

func (overContext) Err() error { return context.Canceled }

func (c *wheelContext) endedAlone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.alone
}

// The end of the parent reaches c through a goroutine, so Done and Err ask the parent first.

func (c *wheelContext) Done() <-chan struct{} {
	c.followParent()
	return c.done
}

func (c *wheelContext) Err() error {
	c.followParent()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.err
}

// followParent ends c if its parent has ended.
func (c *wheelContext) followParent() {
	if err := c.parent.Err(); err != nil {
		c.end(err, false)
	}
}

// endAlone ends c with err, unless its parent has ended.
func (c *wheelContext) endAlone(err error) {
	c.followParent()
	c.end(err, true)
}

// over reports whether c has ended. Unlike Err, it does not ask the parent.
func (c *wheelContext) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.err != nil
}

// AfterFunc arranges for f to be called when c ends. It is meant for the context package, whose f
// only cancels a context, and starts a goroutine for what may take longer.
func (c *wheelContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.err != nil {
		// Not at once: the context package holds a lock that f needs. Nobody waits, because f only
		// cancels a context.
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

// end ends the context with err and then, before it returns, the contexts derived from it. It does
// nothing if the context has ended.
func (c *wheelContext) end(err error, alone bool) {
	c.mu.Lock()
	if c.mu.err != nil {
		c.mu.Unlock()
		return
	}
	c.mu.err, c.mu.alone = err, alone
	after, unlink, instead := c.mu.after, c.mu.unlink, c.mu.instead
	c.mu.after = nil
	close(c.done)
	c.mu.Unlock()
	c.timeout.Cancel()
	if unlink != nil {
		unlink()
	}
	if instead != nil {
		instead.Stop()
	}
	for f := range after {
		(*f)()
	}
}

// A contextTask is the task of a wheelContext's timeout.
type contextTask wheelContext

func (k *contextTask) Run(*Timeout) { (*wheelContext)(k).endAlone(context.DeadlineExceeded) }

// Cancelled hands the deadline to the time package when the timer stops. When the context has ended
// already, it does nothing.
func (k *contextTask) Cancelled(t *Timeout) {
	c := (*wheelContext)(k)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.err == nil {
		c.mu.instead = time.AfterFunc(time.Until(c.deadline), func() { k.Run(t) })
	}
}

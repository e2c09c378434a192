package time

import (
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

// A Timer is a single event. When it expires, the current time is sent on C, unless it was made by
// AfterFunc. It must be made by NewTimer or AfterFunc, here or of a Clock, and must not be copied.
// Its methods may be called from any goroutine.
type Timer struct {
	C <-chan Time // on which the time is sent; nil after AfterFunc

	deadline
	c chan Time // C, to send on
	f func()    // of AfterFunc
}

// bubbleTimer returns a Timer that is std under another type.
func bubbleTimer(std *time.Timer) *Timer {
	t := &Timer{C: std.C}
	t.kind = standard
	t.spare = &spare{timer: std}
	return t
}

// Stop prevents t from firing. It returns true if it did, and false if t had expired or been
// stopped.
//
// For a timer of NewTimer, nothing is received from C after Stop has returned, and Stop returns
// true if t had expired but its time had not been received. For one of AfterFunc, false means that
// the function has been started or that t was stopped; Stop does not wait for it.
//
// Stop and Reset panic on a Timer that was not made by NewTimer or AfterFunc.
func (t *Timer) Stop() bool {
	switch t.kind {
	case standard:
		return t.spare.timer.Stop()
	case calls:
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.disarm()
	case sends:
		t.mu.Lock()
		defer t.mu.Unlock()
		active := drain(t.c) || t.owed()
		t.waiting = false
		t.disarm()
		return active
	}
	panic("time: Stop called on uninitialized Timer")
}

// Reset makes t expire after d, whether it is pending, has expired or was stopped. It returns what
// Stop would have returned.
//
// For a timer of NewTimer, no time of an earlier setting is received from C after Reset has
// returned. For one of AfterFunc, Reset does not wait for a running call of the function, and the
// next may run beside it.
func (t *Timer) Reset(d Duration) bool {
	switch t.kind {
	case standard:
		return t.spare.timer.Reset(d)
	case calls:
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.arm(d, t)
	case sends:
		t.mu.Lock()
		defer t.mu.Unlock()
		active := drain(t.c) || t.owed()
		t.waiting = true
		t.arm(d, t)
		return active
	}
	panic("time: Reset called on uninitialized Timer")
}

// send sends the time if it is due. It runs whenever a deadline of t ends, even one that Stop or
// Reset has replaced.
func (t *Timer) send() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reached() {
		t.waiting = false
		offer(t.c, time.Now())
	}
}

// end runs on a goroutine of its own, if package time keeps the deadline.
func (t *Timer) end() {
	if t.kind == sends {
		t.send()
	} else {
		t.f()
	}
}

// The tasks of timeouts.
type (
	sendTask Timer // sends the time
	goTask   Timer // calls the function on a goroutine of its own, for which nobody waits
	callTask Timer // calls the function
)

func (t *sendTask) Run(*hashedwheel.Timeout) { (*Timer)(t).send() }
func (t *goTask) Run(*hashedwheel.Timeout)   { go t.f() } // nobody waits, as in package time
func (t *callTask) Run(*hashedwheel.Timeout) { t.f() }

// offer puts a time into c, unless there is one already.
func offer(c chan<- Time, at Time) {
	select {
	case c <- at:
	default:
	}
}

// drain takes a time that was not received out of c, and reports whether there was one.
func drain(c <-chan Time) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

package time

import (
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

// A Ticker sends the current time on its channel at intervals. It drops ticks for a receiver that
// is slow; the other ticks keep their phase, whole periods after the first. It must be made by
// NewTicker or [Clock.NewTicker], and must not be copied. Its methods may be called from any
// goroutine.
type Ticker struct {
	C <-chan Time // delivers the ticks

	deadline
	c      chan Time // C, to send on
	period Duration
	next   int64 // when the next tick is due, as the function now counts

	std *time.Ticker // set in a synctest bubble; of the other fields only C is then used
}

// Stop turns t off. Nothing is received from C after Stop has returned, until a Reset. It does not
// close C. On a Ticker that was not made by NewTicker it does nothing.
func (t *Ticker) Stop() {
	if t.std != nil {
		t.std.Stop()
		return
	}
	if t.kind == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = false
	drain(t.c)
	t.disarm()
}

// Reset turns t on with the period d. The next tick comes after d, and no earlier tick is received
// from C after Reset has returned. It panics if d is not positive, and on a Ticker that was not
// made by NewTicker.
func (t *Ticker) Reset(d Duration) {
	if d <= 0 {
		panic("non-positive interval for Ticker.Reset")
	}
	if t.std != nil {
		t.std.Reset(d)
		return
	}
	if t.kind == 0 {
		panic("time: Reset called on uninitialized Ticker")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	drain(t.c)
	t.start(d)
}

// start starts the ticks anew with the period d.
//
// REQUIRES: t.mu is held.
func (t *Ticker) start(d Duration) {
	t.period, t.next, t.waiting = d, after(now(), d), true
	t.arm(d, t)
}

// end sends the time, unless an earlier one has not been received, and arms t for the next tick
// that has not passed. Like Timer.send it may run for a deadline that was replaced.
//
// If the wheel kept the deadline and has stopped since, t ends as the pending tickers have.
func (t *Ticker) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reached() {
		return
	}
	wheels := t.timeout.IsExpired() // package time keeps what the wheel has refused and cancelled
	offer(t.c, time.Now())
	at := now()
	skipped := max(at-t.next, 0) / int64(t.period)
	t.next = after(t.next+skipped*int64(t.period), t.period)
	t.arm(Duration(t.next-at), t)
	if wheels && t.timeout.IsCancelled() && t.wheelStopped() {
		t.waiting = false
		t.disarm()
	}
}

// tickTask is the task of a Ticker's timeout.
type tickTask Ticker

func (t *tickTask) Run(*hashedwheel.Timeout) { (*Ticker)(t).end() }

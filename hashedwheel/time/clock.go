package time

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

// A Clock makes the timers of this package on one wheel. The package-level functions use the zero
// Clock. A Clock is a small value and is meant to be copied.
type Clock struct {
	wheel  *hashedwheel.HashedWheelTimer // nil means the shared wheel
	inline bool
}

// On returns a Clock whose timers, tickers and sleeps are timeouts of w, with the precision of w's
// tick. It panics if w is nil. The other features of w act as follows:
//
//   - Options.MaxPendingTimeouts: package time keeps the timers for which w has no place. A timer
//     goes back to w at its next Reset, a ticker at its next tick. So the limit bounds the wheel
//     and not the number of timers, and no timer is lost.
//   - Stop: the pending timers and tickers of w end as though Stop had been called for each of
//     them; w.Stop returns their timeouts. A ticker whose tick is in progress ends with that tick.
//     A Sleep continues to its end. Package time keeps the timers that are made or reset on w
//     afterwards.
//   - Options.Executor: it runs what a timer does at its end, which is to send the time or to start
//     the goroutine of an AfterFunc. With Inline it runs the function itself. So a function may
//     begin after Stop has returned false.
//
// In a testing/synctest bubble, make w inside the bubble and stop it before the bubble ends. The
// timers are then on the bubble's clock and on the wheel.
func On(w *hashedwheel.HashedWheelTimer) Clock {
	if w == nil {
		panic("hashedwheel/time: On: w is nil, must not be nil")
	}
	return Clock{wheel: w}
}

// Inline returns a Clock like c whose AfterFunc starts no goroutine for the function. The wheel's
// worker calls the function, or its Executor if the wheel has one. The function should not block:
// if it blocks a worker, it delays every other timer by up to 20 ms or two ticks, whichever is
// longer, before another worker takes over. A panic in the function is recovered, counted in the
// wheel's Stats and logged. Without Inline, as with package time, it ends the program.
//
// If package time keeps the timer, the function runs on a goroutine of its own.
func (c Clock) Inline() Clock {
	c.inline = true
	return c
}

// shared is the wheel of the zero Clock. It is made at the first use outside a synctest bubble and
// never stopped. It has no limit, so it never refuses.
var shared = sync.OnceValue(func() *hashedwheel.HashedWheelTimer {
	w, err := hashedwheel.New(hashedwheel.Options{TickDuration: sharedTick, TicksPerWheel: sharedBuckets})
	if err != nil {
		panic(err) // the options are constants
	}
	return w
})

const (
	sharedTick = time.Millisecond

	// sharedBuckets makes a revolution of the shared wheel four seconds, so that short timers are
	// found without scanning long ones.
	sharedBuckets = 4096
)

// on returns the wheel to use. It returns nil where package time has to keep the timer because the
// caller is in a synctest bubble: the shared wheel is outside, and knows neither the bubble's time
// nor when the bubble is idle.
func (c Clock) on() *hashedwheel.HashedWheelTimer {
	if c.wheel != nil {
		return c.wheel
	}
	if bubbled() {
		return nil
	}
	return shared()
}

// bubbled reports whether the caller is in a synctest bubble. There, and nowhere else, time.Now
// returns no monotonic reading. The wall clock alone would not show it, because a test may sleep
// until the present.
func bubbled() bool {
	now := time.Now()
	return now == now.Round(0) //nolint:staticcheck // Equal would ignore the monotonic reading
}

// NewTimer creates a Timer as the package-level NewTimer does, on c's wheel.
func (c Clock) NewTimer(d Duration) *Timer {
	w := c.on()
	if w == nil {
		return bubbleTimer(time.NewTimer(d))
	}
	t := &Timer{c: make(chan Time, 1)}
	t.C = t.c
	t.kind, t.waiting = sends, true
	w.Init(&t.timeout, (*sendTask)(t))
	t.mu.Lock()
	t.arm(d, t)
	t.mu.Unlock()
	return t
}

// AfterFunc calls f as the package-level AfterFunc does, by c's wheel. See Inline.
func (c Clock) AfterFunc(d Duration, f func()) *Timer {
	w := c.on()
	if w == nil {
		return bubbleTimer(time.AfterFunc(d, f))
	}
	t := &Timer{f: f}
	t.kind = calls
	if c.inline {
		w.Init(&t.timeout, (*callTask)(t))
	} else {
		w.Init(&t.timeout, (*goTask)(t))
	}
	t.mu.Lock()
	t.arm(d, t)
	t.mu.Unlock()
	return t
}

// After returns a channel as the package-level After does, on c's wheel.
func (c Clock) After(d Duration) <-chan Time { return c.NewTimer(d).C }

// NewTicker returns a Ticker as the package-level NewTicker does, on c's wheel.
func (c Clock) NewTicker(d Duration) *Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	w := c.on()
	if w == nil {
		std := time.NewTicker(d)
		return &Ticker{C: std.C, std: std}
	}
	t := &Ticker{c: make(chan Time, 1)}
	t.C = t.c
	t.kind = ticks
	w.Init(&t.timeout, (*tickTask)(t))
	t.mu.Lock()
	t.start(d)
	t.mu.Unlock()
	return t
}

// Tick returns a channel as the package-level Tick does, on c's wheel.
func (c Clock) Tick(d Duration) <-chan Time {
	if d <= 0 {
		return nil
	}
	return c.NewTicker(d).C
}

// Sleep pauses the calling goroutine as the package-level Sleep does, by c's wheel.
func (c Clock) Sleep(d Duration) {
	if d <= 0 {
		return
	}
	begin := time.Now()
	if w := c.on(); w == nil || w.Sleep(context.Background(), d) != nil {
		time.Sleep(d - time.Since(begin))
	}
}

// NewTimer creates a Timer that sends the current time on its channel after at least d.
func NewTimer(d Duration) *Timer { return Clock{}.NewTimer(d) }

// AfterFunc calls f in a goroutine of its own after at least d. The Timer that it returns can
// prevent the call by Stop and repeat it by Reset. Its C is nil.
//
// The call takes 0.8 µs of processor time with its goroutine, 2.6 µs where ten thousand block at
// once, and 0.3 µs by Clock.Inline, which starts none; package time takes 0.7 and 1.9 µs. The
// package comment says where this was measured.
func AfterFunc(d Duration, f func()) *Timer { return Clock{}.AfterFunc(d, f) }

// After returns a channel on which the current time is sent after at least d. It is NewTimer(d).C.
func After(d Duration) <-chan Time { return Clock{}.After(d) }

// NewTicker returns a Ticker that sends the current time on its channel every d, and panics if d is
// not positive.
func NewTicker(d Duration) *Ticker { return Clock{}.NewTicker(d) }

// Tick returns NewTicker(d).C, or nil if d is not positive.
func Tick(d Duration) <-chan Time { return Clock{}.Tick(d) }

// Sleep pauses the calling goroutine for at least d. It returns at once if d is not positive.
func Sleep(d Duration) { Clock{}.Sleep(d) }

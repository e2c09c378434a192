package hashedwheel

import (
	"log/slog"
	"runtime"
	"sync/atomic"
	"weak"
)

// maxInstances is Netty's: more timers than this in one process are nearly always
// a mistake, such as one for each connection.
const maxInstances = 64

var (
	instances       atomic.Int64 // timers made and not stopped
	warnedInstances atomic.Bool
)

// countInstance counts a new timer.
func countInstance(e *engine) {
	if instances.Add(1) > maxInstances && warnedInstances.CompareAndSwap(false, true) {
		e.logger.Warn("hashedwheel: many timers in one process; a timer is meant to be shared",
			slog.Int64("timers", instances.Load()), slog.Int("limit", maxInstances))
	}
}

func forgetInstance() { instances.Add(-1) }

// public returns the HashedWheelTimer of an engine: the one that New has returned, or
// one that takes its place if nobody holds that any more.
func (e *engine) public() *HashedWheelTimer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.mu.public.Value(); w != nil {
		return w
	}
	w := &HashedWheelTimer{e}
	e.mu.public = weak.Make(w)
	runtime.AddCleanup(w, (*engine).dropped, e)
	return w
}

// dropped is called when the collector has found that nobody holds the timer. It ends the
// timer, unless somebody can still hear of it: there is a timeout that is pending, or
// whose task is running and may arm it again, or the timer has been
// given handles of the caller's own, which are armed again and again.
func (e *engine) dropped() {
	e.mu.Lock()
	again := e.mu.public.Value() != nil
	e.mu.Unlock()
	switch {
	case again: // by way of a handle
	case e.bound.Load():
	case e.life.CompareAndSwap(created, stopped):
		forgetInstance()
		engines.remove(e.number)
	case e.life.Load() == stopped:
		engines.remove(e.number)
	case e.busy():
		e.public() // the next collection looks again
	default:
		e.logger.Warn("hashedwheel: a timer was dropped without Stop; its worker ends now")
		// A cleanup must not block.
		go func() {
			_, _ = e.stop()
			engines.remove(e.number)
		}()
	}
}

// busy reports whether a timeout is pending or a task is running on a worker.
func (e *engine) busy() bool {
	if e.parked.Load() == 0 || e.pending() > 0 || !e.intake.empty() {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.mu.workers) != 1 // one that lost the wheel is inside a task
}

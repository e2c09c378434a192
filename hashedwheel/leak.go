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

// forget is the end of a timer that was stopped, or that nobody could ever use.
func (e *engine) forget() {
	instances.Add(-1)
	engines.remove(e.number)
}

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

// dropped is called when the collector has found that nobody holds the timer. Handles hold it
// without that the collector knows, and arm again however long nobody did. So a timer that may
// have handles continues, and is reported once: most such timers were forgotten, and nothing but Stop
// ends their goroutine. One that has none and never started ends silently.
func (e *engine) dropped() {
	e.mu.Lock()
	stage := e.life.Load()
	again := e.mu.public.Value() != nil // by way of a handle
	unused := stage == created && !e.bound.Load() && !again
	report := stage != stopped && !unused && !again && !e.mu.reported
	if unused {
		e.life.Store(stopped)
	}
	e.mu.reported = e.mu.reported || report
	e.mu.Unlock()
	switch {
	case unused:
		e.forget()
	case report:
		e.logger.Warn("hashedwheel: a timer was dropped without Stop; it continues for its handles, and its memory stays")
	}
}

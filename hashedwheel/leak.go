package hashedwheel

import (
	"log/slog"
	"runtime"

	"go.uber.org/atomic"
)

// maxInstances is Netty's: more timers than this in one process are nearly always
// a mistake, such as one for each connection.
const maxInstances = 64

var (
	instances       atomic.Int64 // timers made and not stopped
	warnedInstances atomic.Bool
)

// watchLeak counts a new timer, and has it end when nobody holds it any more. A
// timeout holds its timer, so that cannot happen while one is pending.
func watchLeak(w *HashedWheelTimer) {
	if instances.Inc() > maxInstances && warnedInstances.CompareAndSwap(false, true) {
		w.logger.Warn("hashedwheel: many timers in one process; a timer is meant to be shared",
			slog.Int64("timers", instances.Load()), slog.Int("limit", maxInstances))
	}
	runtime.AddCleanup(w, func(e *engine) {
		if e.life.CompareAndSwap(created, stopped) {
			forgetInstance()
			return
		}
		if e.life.Load() == stopped {
			return
		}
		e.logger.Warn("hashedwheel: a timer was dropped without Stop; its worker ends now")
		// A cleanup must not block, and the worker may be inside a task.
		go func() { _, _ = e.stop() }()
	}, w.engine)
}

func forgetInstance() { instances.Dec() }

package hashedwheel

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// logPause is the least time between two lines of a sparseLog.
const logPause = 10 * time.Second

// A sparseLog writes one line in a while about something that may happen very often. Its
// methods may be called from any goroutine.
type sparseLog struct {
	logger *slog.Logger
	last   atomic.Int64 // when the last line was written, in nanoseconds since 1970; 0: never
	held   atomic.Int64 // how many lines were left out since
}

// warn writes a line with how many were left out before it, or leaves it out.
func (l *sparseLog) warn(message string, args ...any) {
	last, now := l.last.Load(), time.Now().UnixNano()
	if last != 0 && now-last < int64(logPause) || !l.last.CompareAndSwap(last, now) {
		l.held.Add(1)
		return
	}
	l.logger.Warn(message, append(args, "left_out", l.held.Swap(0))...)
}

// An unarmedLog tells of timeouts that were refused to callers who get no error.
type unarmedLog struct {
	n   atomic.Int64
	log sparseLog
}

// reportUnarmed counts and logs that name could not arm a timeout, if err is not nil.
func (e *engine) reportUnarmed(name string, err error) {
	if err == nil {
		return
	}
	e.unarmed.n.Add(1)
	e.unarmed.log.warn("hashedwheel: a timeout will not fire, since the timer refused it", "by", name, "err", err)
}

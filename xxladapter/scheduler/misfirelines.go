package scheduler

import (
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// namedMisfires is the number of misfires a second that get a line each.
const namedMisfires = 10

// misfireLines logs the first misfires of each second by name and counts the others, since an
// overload has thousands a second. The store records each of them. A misfireLines is used by one
// goroutine.
type misfireLines struct {
	logger *slog.Logger
	second time.Time // the whole second to which the counts belong
	named  int
	others int
}

// note logs or counts one misfire.
//
// REQUIRES: beginScan was called.
func (l *misfireLines) note(m xxladapter.Misfire) {
	if l.named == namedMisfires {
		l.others++
		return
	}
	l.named++
	l.logger.Warn("misfire", "job", m.JobID, "due", m.Due, "until", m.Until, "strategy", m.Strategy)
}

// beginScan logs, once a second is over, how many of its misfires were counted without a line.
func (l *misfireLines) beginScan(now time.Time) {
	second := now.Truncate(time.Second)
	if second.Equal(l.second) {
		return
	}
	if l.others > 0 {
		l.logger.Warn("more misfires", "misfires", l.others, "second", l.second)
	}
	l.second, l.named, l.others = second, 0, 0
}

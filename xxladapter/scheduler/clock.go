package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A storeClock tells the store's time without asking the store, from what was seen of its clock. It
// may be used from any goroutine.
type storeClock struct {
	last atomic.Pointer[xxladapter.ClockEstimate] // nil means nothing was seen
}

// seen notes that the store's clock showed t at some moment since asked. A claim waits for locks
// and reads rows after it has looked at the clock, so t alone may be far behind; what was known
// before stays while it agrees.
func (c *storeClock) seen(t, asked time.Time) {
	here := time.Now()
	for {
		var before xxladapter.ClockEstimate
		last := c.last.Load()
		if last != nil {
			before = *last
		}
		after := before.Seen(t, asked, here)
		if after == before || c.last.CompareAndSwap(last, &after) {
			return
		}
	}
}

// Early reports to the scheduler that the store refused a fire, or would have, because its clock
// showed now at some moment since asked.
func (s *Scheduler) Early(now, asked time.Time) { s.clock.seen(now, asked) }

// now returns the store's time, or that of this machine's wall clock before anything was seen.
func (c *storeClock) now() time.Time {
	known := c.last.Load()
	if known == nil {
		return time.Now()
	}
	return known.At(time.Now())
}

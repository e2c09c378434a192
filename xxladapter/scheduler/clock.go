package scheduler

import (
	"sync/atomic"
	"time"
)

// A storeClock tells the store's time without asking the store: the time seen
// last, and what has passed since by the monotonic clock. So this machine's
// wall clock may be moved without moving it. It may be used from any goroutine.
type storeClock struct{ last atomic.Pointer[reading] }

// A reading is what the store's clock showed, and when that was here.
type reading struct{ store, here time.Time }

// seen notes that the store's clock showed t just now. The asking takes time,
// so the store's clock is further by up to the call's duration: the estimate runs
// behind the store's clock and not ahead, and nothing fires early by it.
func (c *storeClock) seen(t time.Time) { c.last.Store(&reading{store: t.Round(0), here: time.Now()}) }

// now is this machine's wall clock before anything was seen.
func (c *storeClock) now() time.Time {
	r := c.last.Load()
	if r == nil {
		return time.Now()
	}
	return r.store.Add(time.Since(r.here))
}

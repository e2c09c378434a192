package scheduler

import (
	"sync/atomic"
	"time"
)

// A storeClock tells the store's time without asking the store: the local
// clock plus the offset seen last. It may be used from any goroutine.
type storeClock struct {
	offset atomic.Int64 // nanoseconds to add to the local clock
}

// seen notes that the store's clock showed t just now. The asking takes time,
// so the true offset lies up to the call's duration higher: the estimate runs
// behind the store's clock and never ahead, and nothing fires early by it.
func (c *storeClock) seen(t time.Time) { c.offset.Store(int64(time.Until(t))) }

func (c *storeClock) now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

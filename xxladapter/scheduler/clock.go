package scheduler

import (
	"sync/atomic"
	"time"
)

// A storeClock tells the store's time without asking the store: a time that was
// seen, and what has passed since by the monotonic clock. So this machine's
// wall clock may be moved without moving it. It may be used from any goroutine.
type storeClock struct{ last atomic.Pointer[reading] }

// A reading is what the store's clock showed, and when that was here.
type reading struct{ store, here time.Time }

// seen notes that the store's clock showed t at some moment since asked. Taken by
// itself t is behind that clock by up to the time since then, and all that is
// armed by it late by as much: a claim waits for locks and reads rows after it
// has looked at the clock. So what was known before stays while it agrees. Of a
// store's clock that goes slower than this machine's the estimate may run ahead,
// and fires be early, by no more than the quickest of the calls takes.
func (c *storeClock) seen(t, asked time.Time) {
	here := time.Now()
	for {
		before := c.last.Load()
		if before != nil && agrees(before.at(here), t, here.Sub(asked)) {
			return
		}
		if c.last.CompareAndSwap(before, &reading{store: t.Round(0), here: here}) {
			return
		}
	}
}

// Early tells the scheduler that the store refused a fire, or would have, because its
// clock showed now at some moment since asked.
func (s *Scheduler) Early(now, asked time.Time) { s.clock.seen(now, asked) }

// agrees reports whether a clock can show known now that showed t at some moment of
// a call which took so long and ends now. It is a pure function.
func agrees(known, t time.Time, took time.Duration) bool {
	return !known.Before(t) && !known.After(t.Add(took))
}

// at is the store's time at the local time here.
func (r *reading) at(here time.Time) time.Time { return r.store.Add(here.Sub(r.here)) }

// now is this machine's wall clock before anything was seen.
func (c *storeClock) now() time.Time {
	r := c.last.Load()
	if r == nil {
		return time.Now()
	}
	return r.at(time.Now())
}

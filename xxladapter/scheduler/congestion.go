package scheduler

import "time"

const (
	// congestedAfter is how long the first fire of an app waits for a place in the pool before the
	// app counts as congested: it is due more often than its runs can be handed over.
	congestedAfter = 1 * time.Second

	// congestionLasts is the time after the last congestion of an app in which scans plan no
	// further ahead than the next scan. A congested app has no waiting fires for a moment whenever
	// its jobs have missed due times.
	congestionLasts = 10 * time.Second
)

// A reach bounds what one decision plans of a job's schedule.
type reach struct {
	ahead time.Duration // due times up to that far from now
	fires int           // that many due times
}

// A congestion knows the apps whose fires wait. A planned fire is sent however late it is, so a
// scan that plans all that is due adds to the wait of an app that is due more often than its runs
// can be handed over. So a job of a congested app gets one fire at a time, and no job gets fires
// for more than a second ahead. What is found too late meanwhile is left to the misfire strategy.
// DESIGN.md has the figures. It is used by the scan loop alone.
type congestion struct {
	waits map[int64]time.Duration // [Pool].Waits at the beginning of the scan
	last  time.Time               // when an app was congested last; zero if none has been
}

// look notes what waits at the beginning of a scan, and returns how far ahead it claims jobs.
func (c *congestion) look(waits map[int64]time.Duration, now time.Time, window time.Duration) (ahead time.Duration) {
	c.waits = waits
	for _, wait := range waits {
		if wait > congestedAfter {
			c.last = now
		}
	}
	if !c.last.IsZero() && now.Sub(c.last) < congestionLasts {
		return min(window, busyPace)
	}
	return window
}

// reach returns the reach of decisions about jobs of an app.
func (c *congestion) reach(app int64, ahead time.Duration) reach {
	if c.waits[app] > congestedAfter {
		return reach{ahead: ahead, fires: 1}
	}
	return reach{ahead: ahead, fires: maxFires}
}

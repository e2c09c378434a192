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

	// defaultStock is how many fires beyond the first of each job are held before scans plan no
	// further ahead than the next scan. More than 6,000 fires a second reach that number in the
	// window of five seconds. A fire takes some 500 bytes.
	defaultStock = 25_000
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
//
// Nothing waits yet when an overload begins, so what is planned then is bounded by the stock: the
// fires that the ring holds beyond the first of each job. Jobs that are due once at the same
// instant have none.
//
// A congestion is used by the scan loop alone. DESIGN.md has the figures.
type congestion struct {
	stock int                     // with so many, no fires are planned for more than a second ahead
	waits map[int64]time.Duration // [Pool].Waits at the beginning of the scan
	last  time.Time               // when an app was congested last; zero if none has been
}

// look notes what waits at the beginning of a scan, and returns how far ahead the scan claims jobs
// with that many fires stocked.
func (c *congestion) look(
	waits map[int64]time.Duration, stocked int, now time.Time, window time.Duration,
) (ahead time.Duration) {
	c.waits = waits
	for _, wait := range waits {
		if wait > congestedAfter {
			c.last = now
		}
	}
	if stocked >= c.stock || !c.last.IsZero() && now.Sub(c.last) < congestionLasts {
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

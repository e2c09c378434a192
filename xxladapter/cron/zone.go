package cron

import "time"

// reach is more than any zone's offset from UTC, in seconds: an instant and its wall-clock time are
// never further apart. Zones made by time.FixedZone may exceed it, but their clocks never change.
const reach = 26 * 3600

// A period is a stretch of instants, in seconds, in which a zone's offset does not change; end is
// the first instant after it.
type period struct {
	offset     int64
	start, end int64
}

// Bounds of the first and the last period of a zone.
const (
	always      = -1 << 62
	everlasting = 1 << 62
)

// periodAt returns the period of loc that contains the instant at.
func periodAt(loc *time.Location, at int64) period {
	if loc == time.UTC {
		return period{0, always, everlasting}
	}
	t := time.Unix(at, 0).In(loc)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	p := period{int64(offset), always, everlasting}
	if !start.IsZero() {
		p.start = start.Unix()
	}
	if !end.IsZero() {
		p.end = end.Unix()
		if p.end <= at {
			// When package time computes the end of a period from a zone's rule, it assumes that
			// every year has 365 days. On 31 December of a leap year the end then lies before at.
			// No rule changes a clock on that day.
			day, _ := splitDay(at)
			p.end = (day + 1) * secondsPerDay
		}
	}
	return p
}

// A place is where a wall-clock time lies in a zone: at an instant, or in a gap.
type place struct {
	at int64

	// in is the period that contains at.
	in period

	// If gap is set, at is the instant at which the clock is put forward, and the times from
	// gapStart up to but not including gapEnd are skipped.
	gap              bool
	gapStart, gapEnd int64
}

// firstWall and lastWall return what the clock shows at the two ends of the period.
func (p period) firstWall() int64 { return p.start + p.offset }
func (p period) lastWall() int64  { return p.end + p.offset - 1 }

// locate returns the instant at which loc's clock shows wall, the later one if there are two.
func locate(loc *time.Location, wall int64) place {
	p := periodAt(loc, wall+reach)
	for {
		at := wall - p.offset
		if at >= p.start {
			return place{at: at, in: p}
		}
		earlier := periodAt(loc, p.start-1)
		if wall-earlier.offset >= p.start {
			return place{at: p.start, in: p, gap: true, gapStart: p.start + earlier.offset, gapEnd: p.start + p.offset}
		}
		p = earlier
	}
}

// locateFirst returns what locate does, but the earlier one of two instants.
func locateFirst(loc *time.Location, wall int64) place {
	p := periodAt(loc, wall-reach)
	for {
		at := wall - p.offset
		if at < p.end {
			return place{at: at, in: p}
		}
		later := periodAt(loc, p.end)
		if wall-later.offset < p.end {
			return place{at: p.end, in: later, gap: true, gapStart: p.end + p.offset, gapEnd: p.end + later.offset}
		}
		p = later
	}
}

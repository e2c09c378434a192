package cron

import "time"

// This file combines the search in wall-clock time with Quartz's rule for clock changes: times in a
// gap are skipped, and a repeated time counts only the second time.

// nextQuartz returns the first time after the instant t.
func (s *Schedule) nextQuartz(loc *time.Location, t int64) (int64, bool) {
	p := periodAt(loc, t)
	wall := t + p.offset + 1
	until := s.until(wall)
	for {
		var ok bool
		if s.profile == XXL34 && s.special {
			wall, ok = s.ceilXXL(wall, until)
		} else {
			wall, ok = s.ceil(wall, until)
		}
		if !ok {
			return 0, false
		}
		// Well before its end, no time of a period is repeated.
		if at := wall - p.offset; at < p.end-reach {
			return at, true
		}
		found := locate(loc, wall)
		switch {
		case found.gap:
			wall = found.gapEnd
		case found.at > t:
			return found.at, true
		default:
			// Two changes within hours: wall last occurred before t, and the change at the end of
			// t's own period skips it.
			wall = max(wall+1, periodAt(loc, p.end).firstWall())
		}
	}
}

// prevQuartz returns the last time before the instant t.
func (s *Schedule) prevQuartz(loc *time.Location, t int64) (int64, bool) {
	t--
	p := periodAt(loc, t)
	wall := t + p.offset
	from := s.since(wall)
	for {
		var ok bool
		if wall, ok = s.floor(wall, from); !ok {
			return 0, false
		}
		if at := wall - p.offset; at >= p.start && at < p.end-reach {
			return at, true
		}
		found := locate(loc, wall)
		switch {
		case found.gap:
			wall = found.gapStart - 1
		case found.at <= t:
			return found.at, true
		default:
			// t is in the first pass of a repeated stretch, in which nothing fires.
			wall = found.in.firstWall() - 1
		}
	}
}

package cron

import "time"

// This file combines the search in wall-clock time with the Sane profile's rules for clock changes.

func (s *Schedule) nextSane(loc *time.Location, t int64) (int64, bool) {
	if s.hourSteps {
		return s.nextElapsed(loc, t)
	}
	p := periodAt(loc, t)
	wall := t + p.offset + 1
	until := s.until(wall)
	for {
		var ok bool
		if wall, ok = s.ceil(wall, until); !ok {
			return 0, false
		}
		// Only times within reach of a period's start can repeat times of the period before.
		if at := wall - p.offset; at < p.end && at >= p.start+reach {
			return at, true
		}
		found := locateFirst(loc, wall)
		switch {
		case found.at > t:
			return found.at, true
		case found.gap:
			wall = found.gapEnd
		default:
			// t is in the second pass of a repeated stretch: continue after it.
			wall = found.in.lastWall() + 1
		}
	}
}

func (s *Schedule) prevSane(loc *time.Location, t int64) (int64, bool) {
	if s.hourSteps {
		return s.prevElapsed(loc, t)
	}
	t--
	p := periodAt(loc, t)
	wall := t + p.offset
	from := s.since(wall)
	if t < p.start+reach && p.start != always {
		// If t is in the second pass, every time of the first pass is before it.
		wall = max(wall, periodAt(loc, p.start-1).lastWall())
	}
	for {
		var ok bool
		if wall, ok = s.floor(wall, from); !ok {
			return 0, false
		}
		if at := wall - p.offset; at < p.end && at >= p.start+reach {
			return at, true
		}
		found := locateFirst(loc, wall)
		switch {
		case found.at <= t:
			return found.at, true
		case found.gap:
			wall = found.gapStart - 1
		default:
			wall = found.in.firstWall() - 1
		}
	}
}

// nextElapsed returns the first instant after t whose wall-clock time matches. It searches period
// by period, because a later period may repeat an earlier time.
func (s *Schedule) nextElapsed(loc *time.Location, t int64) (int64, bool) {
	t++
	p := periodAt(loc, t)
	until := s.until(t + p.offset)
	for {
		wall, ok := s.ceil(t+p.offset, until)
		if !ok {
			return 0, false
		}
		if at := wall - p.offset; at < p.end {
			return at, true
		}
		// Until shortly before wall there is no match, except that a nearby change may repeat times
		// that came before t.
		from := t
		if t = p.end; t > from+reach {
			t = max(t, wall-reach)
		}
		p = periodAt(loc, t)
	}
}

// prevElapsed returns the last such instant before t.
func (s *Schedule) prevElapsed(loc *time.Location, t int64) (int64, bool) {
	t--
	p := periodAt(loc, t)
	from := s.since(t + p.offset)
	for {
		wall, ok := s.floor(t+p.offset, from)
		if !ok {
			return 0, false
		}
		if at := wall - p.offset; at >= p.start {
			return at, true
		}
		upTo := t
		if t = p.start - 1; t < upTo-reach {
			t = min(t, wall+reach)
		}
		p = periodAt(loc, t)
	}
}

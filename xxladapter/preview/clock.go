package preview

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// markOf returns the mark of a due time; even is nil for schedules that follow no clock.
func markOf(at time.Time, even cron.Plan) Mark {
	if even == nil {
		return ""
	}
	start, end := boundsOf(at)
	offset := offsetOf(at)
	switch {
	case !end.IsZero() && at.Add(offset-offsetOf(end)).Compare(end) >= 0:
		return FirstPass
	case !start.IsZero() && at.Before(start.Add(offsetOf(start.Add(-1))-offset)):
		return SecondPass
	}
	if shown := wallOf(at); !even.Next(shown.Add(-time.Second)).Equal(shown) {
		return Shifted
	}
	return ""
}

// changes lists clock changes after from, up to until.
func changes(from, until time.Time, even cron.Plan) (found []Change) {
	for at := from; len(found) < maxChanges; {
		_, end := boundsOf(at)
		if end.IsZero() || end.After(until) {
			break
		}
		at = end
		c := Change{At: end, Before: offsetOf(end.Add(-1)), After: offsetOf(end)}
		if c.Before == c.After {
			continue // only the name of the offset changes
		}
		if even != nil && c.After > c.Before {
			c.Skipped = skipped(even, end.Add(-1), c.After-c.Before)
		}
		found = append(found, c)
	}
	return found
}

// skipped lists the due times that the clock passed over when it was put forward by gap right after
// last.
func skipped(even cron.Plan, last time.Time, gap time.Duration) (found []time.Time) {
	shown := wallOf(last)
	until := shown.Add(gap)
	for at := even.Next(shown); !at.IsZero() && !at.After(until); at = even.Next(at) {
		if len(found) == maxSkipped {
			break
		}
		found = append(found, at)
	}
	return found
}

// boundsOf returns the instants at which the offset of t begins and ends, as [time.Time.ZoneBounds]
// does.
func boundsOf(t time.Time) (start, end time.Time) {
	start, end = t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		// Package time assumes years of 365 days here. No clock changes on 31 December.
		_, end = t.AddDate(0, 0, 1).ZoneBounds()
	}
	return start, end
}

func offsetOf(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// wallOf returns the instant at which a clock in UTC shows what the clock of t shows at t.
func wallOf(t time.Time) time.Time { return t.Add(offsetOf(t)).UTC() }

// Package preview shows what a schedule will do before anybody switches it on: its due times, how
// many there are on each day, and what clock changes do to it. It is a pure function of the
// schedule and the instant from which to look, and says which requests are refused.
package preview

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

const (
	// MaxTimes is the largest number of due times of a preview.
	MaxTimes = 1000
	// MaxMonths is the largest number of months whose days a preview counts.
	MaxMonths = 12
	// MaxPerDay is the largest exact number of due times of a day.
	MaxPerDay = 100
	// maxChanges is the largest number of clock changes of a preview.
	maxChanges = 24
	// maxSkipped is the largest number of skipped times that a clock change lists.
	maxSkipped = 10
)

// A Schedule holds the fields of a job that determine its due times.
type Schedule struct {
	Type    string // one of the kinds of [cron.ParsePlan]
	Conf    string
	Zone    *time.Location // nil means time.Local
	Profile cron.Profile   // of the type CRON
}

// A Preview shows what a schedule does.
type Preview struct {
	// Times are the next due times, in the schedule's zone. There are fewer than requested if the
	// schedule ends.
	Times []Time
	// Assumed is set if each due time depends on the end of a run. Times and Days then assume runs
	// that take no time.
	Assumed bool
	// Changes are the first 24 clock changes of the zone between the start and the last of Times or
	// the end of the requested months, whichever is later.
	Changes []Change
	// Days are the days that have due times. It is empty unless months were requested.
	Days []Day
}

// A Time is a due time.
type Time struct {
	At   time.Time
	Mark Mark // empty if no clock change concerns it
}

// A Mark says how a clock change concerns a due time.
type Mark string

const (
	Shifted    Mark = "SHIFTED"     // the clock skips the time that was meant; this is the instant right after the gap
	FirstPass  Mark = "FIRST_PASS"  // the clock shows this time twice; this is the earlier one
	SecondPass Mark = "SECOND_PASS" // the later one
)

// Values lists all marks.
func (Mark) Values() []Mark { return []Mark{Shifted, FirstPass, SecondPass} }

// A Change is an instant at which the clock of the zone is put forward or back.
type Change struct {
	At            time.Time
	Before, After time.Duration // offsets from UTC, east positive
	// Skipped are times of day that the schedule matches and the clock skips, the first ten of
	// them, as instants in UTC that show that time. A Shifted due time may stand in for them.
	Skipped []time.Time
}

// A Day counts the due times of a day in the schedule's zone.
type Day struct {
	Date  string // in the format time.DateOnly
	Times int    // exact up to MaxPerDay
	More  bool   // there are more than MaxPerDay
}

// lastYear is the last year that RFC 3339, and so an answer in JSON, has a form for.
const lastYear = 9999

// Of returns the preview of s after an instant: up to count due times, none after the year 9999,
// and the days of some months. The error is that of [cron.ParsePlan].
//
// REQUIRES: count is 0 to MaxTimes, months 0 to MaxMonths.
func Of(s Schedule, from time.Time, count, months int) (Preview, error) {
	if s.Zone == nil {
		s.Zone = time.Local
	}
	plan, err := cron.ParsePlan(s.Type, s.Conf, s.Zone, s.Profile)
	if err != nil {
		return Preview{}, err
	}
	// The same expression on a clock that never changes.
	var even cron.Plan
	if s.Type == cron.Cron {
		if even, err = cron.ParsePlan(s.Type, s.Conf, time.UTC, s.Profile); err != nil {
			return Preview{}, err
		}
	}
	p := Preview{Assumed: s.Type == cron.FixDelay}
	until := from
	for at := from; len(p.Times) < count; {
		if at = plan.Next(at); at.IsZero() || at.Year() > lastYear {
			break
		}
		p.Times = append(p.Times, Time{at, markOf(at, even)})
		until = at
	}
	if months > 0 {
		end := from.In(s.Zone).AddDate(0, months, 0)
		if over := time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, s.Zone); end.After(over) {
			end = over
		}
		p.Days = days(plan, from, end)
		if end.After(until) {
			until = end
		}
	}
	p.Changes = changes(from.In(s.Zone), until, even)
	return p, nil
}

// days counts the due times after from and before until, day by day.
func days(plan cron.Plan, from, until time.Time) (found []Day) {
	for at := plan.Next(from); !at.IsZero() && at.Before(until); {
		day := Day{Date: at.Format(time.DateOnly)}
		for !at.IsZero() && at.Before(until) && at.Format(time.DateOnly) == day.Date {
			if day.Times == MaxPerDay {
				day.More = true
				at = plan.Next(cron.Last(plan, at, lateOn(at))) // a rate keeps its phase
				continue
			}
			day.Times++
			at = plan.Next(at)
		}
		found = append(found, day)
	}
	return found
}

// lateOn returns t or a later instant of its day: usually the last one, or one an hour earlier if
// the clock skips or repeats midnight.
func lateOn(t time.Time) time.Time {
	year, month, day := t.Date()
	last := time.Date(year, month, day+1, 0, 0, 0, 0, t.Location()).Add(-1)
	for last.Format(time.DateOnly) > t.Format(time.DateOnly) { // it precedes the second midnight
		last = last.Add(-time.Hour)
	}
	if last.After(t) {
		return last
	}
	return t
}

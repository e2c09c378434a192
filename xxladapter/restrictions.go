package xxladapter

import (
	"slices"
	"time"
)

// Restrictions are the pauses and the stored calendars that a decision about due times has to
// respect. Nil has none; built-in calendars count in any case. They are never changed once they are
// in use.
type Restrictions struct {
	Pauses    []Pause     // that have not ended, or ended within [PauseMemory]; by id
	Calendars []*Calendar // the stored ones
}

// PauseMemory is how long after its end a pause is among the restrictions: a scheduler that comes
// back after an outage learns from it which of the due times since then were paused.
const PauseMemory = 31 * 24 * time.Hour

// A Suppression says why a due time gives no fire.
type Suppression struct {
	Pause    *Pause    // nil if it is not paused
	Calendar *Calendar // nil if it is paused, or on a day with work
	// Until is the first instant after the pause, or the beginning of the next day; zero for a
	// pause without an end.
	Until time.Time
}

// Calendar returns the calendar with a name, or nil if there is none.
func (r *Restrictions) Calendar(name string) *Calendar {
	if r != nil {
		for _, c := range r.Calendars {
			if c.Name == name {
				return c
			}
		}
	}
	return builtInCalendar(name)
}

// PauseOf returns the first pause that holds up the jobs of a group at an instant, if there is one.
func (r *Restrictions) PauseOf(group int64, at time.Time) (p *Pause, paused bool) {
	if r != nil {
		for i := range r.Pauses {
			if p := &r.Pauses[i]; p.Covers(group, at) {
				return p, true
			}
		}
	}
	return nil, false
}

// Suppression returns why a due time of a job gives no fire, if so. Pauses come before calendars.
// zone is that of the job's schedule.
func (r *Restrictions) Suppression(j *Job, due time.Time, zone *time.Location) (Suppression, bool) {
	if p, paused := r.PauseOf(j.GroupID, due); paused {
		return Suppression{Pause: p, Until: p.Until}, true
	}
	if j.Settings.Calendar == "" {
		return Suppression{}, false
	}
	c := r.Calendar(j.Settings.Calendar)
	if local := due.In(zone); c != nil && c.Excludes(local) {
		return Suppression{Calendar: c, Until: nextDay(local)}, true
	}
	return Suppression{}, false
}

// NextSuppressed returns the first instant in (from, until] from which on due times of the job may
// be suppressed; zero if there is none.
//
// REQUIRES: a due time at from is not suppressed.
func (r *Restrictions) NextSuppressed(j *Job, from, until time.Time, zone *time.Location) time.Time {
	var first time.Time
	if r != nil {
		for i := range r.Pauses {
			p := &r.Pauses[i]
			if (p.GroupID == 0 || p.GroupID == j.GroupID) && p.From.After(from) && !p.From.After(until) &&
				(first.IsZero() || p.From.Before(first)) {
				first = p.From
			}
		}
	}
	c := r.Calendar(j.Settings.Calendar)
	if c == nil {
		return first
	}
	if !first.IsZero() {
		until = first
	}
	for day := nextDay(from.In(zone)); !day.After(until); day = nextDay(day) {
		if c.Excludes(day) {
			return day
		}
	}
	return first
}

// nextDay returns the first instant after at whose date is later than that of at, in its location.
// Clock changes may skip midnight or a whole day, or repeat midnight.
func nextDay(at time.Time) time.Time {
	today := at.Format(time.DateOnly)
	for {
		// Until end the clock does not change. Package time assumes years of 365 days here, so on
		// 31 December of a leap year end may have passed. No clock changes on that day.
		_, end := at.ZoneBounds()
		_, offset := at.Zone()
		year, month, day := at.Date()
		next := time.Date(year, month, day+1, 0, 0, -offset, 0, time.UTC).In(at.Location())
		if end.After(at) && end.Before(next) {
			next = end
		}
		at = next
		if at.Format(time.DateOnly) > today {
			return at
		}
	}
}

// AllCalendars returns the stored calendars and those that are built in and not replaced, by name.
func (r *Restrictions) AllCalendars() []*Calendar {
	all := BuiltInCalendars()
	if r != nil {
		all = slices.DeleteFunc(all, func(c *Calendar) bool {
			return slices.ContainsFunc(r.Calendars, func(stored *Calendar) bool { return stored.Name == c.Name })
		})
		all = append(all, r.Calendars...)
	}
	slices.SortFunc(all, func(a, b *Calendar) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}

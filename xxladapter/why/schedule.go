package why

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// A Schedule is the schedule of a job as it stood at some instant.
type Schedule struct {
	Running bool
	Type    xxladapter.ScheduleType
	Conf    string
	Zone    string // empty means the scheduler's
	// Present is true if the job was changed since and nothing tells how it was before: this is the
	// schedule that it has now.
	Present bool
	// Since is the last change before that instant, as far as it is known.
	Since time.Time
	// Switch is the audit row that switched the schedule on or off last before that instant; nil
	// if there is none.
	Switch *xxladapter.AuditRow
}

// ScheduleAt returns the schedule of a job as it stood at an instant: the present one, with the
// changes undone that the audit has of later times. rows are audit rows of the job, by id.
func ScheduleAt(j *xxladapter.Job, rows []xxladapter.AuditRow, at time.Time) Schedule {
	s := Schedule{Running: j.Running, Type: j.ScheduleType, Conf: j.ScheduleConf, Zone: j.Settings.Zone}
	undone := false
	for i := len(rows) - 1; i >= 0; i-- {
		row := &rows[i]
		if !row.At.After(at) {
			if s.Since.IsZero() && changes(row, "running", "scheduleType", "scheduleConf", "settings") {
				s.Since = row.At
			}
			if s.Switch == nil && switches(row) {
				s.Switch = row
			}
			continue
		}
		undone = true
		for _, c := range row.Changes {
			s.undo(c)
		}
	}
	if s.Since.IsZero() && !j.Updated.After(at) {
		s.Since = j.Updated
	}
	// Updated counts whole seconds and may be a little ahead of the clock.
	s.Present = !undone && j.Updated.After(at.Add(time.Second))
	return s
}

// switches reports whether a row switches a schedule on or off. A job is created with it off.
func switches(row *xxladapter.AuditRow) bool {
	return slices.ContainsFunc(row.Changes, func(c xxladapter.FieldChange) bool { return c.Field == "running" && len(c.Before) > 0 })
}

// changes reports whether a row changes one of the fields.
func changes(row *xxladapter.AuditRow, fields ...string) bool {
	return slices.ContainsFunc(row.Changes, func(c xxladapter.FieldChange) bool { return slices.Contains(fields, c.Field) })
}

// undo restores what a field was before a change.
func (s *Schedule) undo(c xxladapter.FieldChange) {
	switch c.Field {
	case "running":
		s.Running = false // a job begins so
		restore(c.Before, &s.Running)
	case "scheduleType":
		restore(c.Before, &s.Type)
	case "scheduleConf":
		restore(c.Before, &s.Conf)
	case "settings":
		var before xxladapter.Settings
		restore(c.Before, &before)
		s.Zone = before.Zone
	}
}

func restore[T any](text json.RawMessage, to *T) {
	var value T
	if len(text) > 0 && json.Unmarshal(text, &value) == nil {
		*to = value
	}
}

// Ticks returns up to limit due times of a schedule from an instant on, before another one. anchor
// is a due time of the job, and since when it has had this schedule: a FIX_RATE counts from the
// one, back to the other. It has no due times without an anchor. more is true if there are more.
func Ticks(s Schedule, plan cron.Plan, anchor, from, to time.Time, limit int) (ticks []time.Time, more bool) {
	switch {
	case plan == nil || s.Type == xxladapter.ScheduleFixDelay || s.Type == xxladapter.ScheduleNone:
		return nil, false
	case s.Type == xxladapter.ScheduleFixRate:
		if anchor.IsZero() {
			return nil, false
		}
		if s.Since.After(from) {
			from = s.Since
		}
		return rateTicks(plan, anchor, from, to, limit)
	}
	for at := plan.Next(from.Add(-time.Nanosecond)); !at.IsZero() && at.Before(to); at = plan.Next(at) {
		if len(ticks) == limit {
			return ticks, true
		}
		ticks = append(ticks, at)
	}
	return ticks, false
}

// rateTicks counts whole periods from the anchor, which may lie on either side.
func rateTicks(plan cron.Plan, anchor, from, to time.Time, limit int) (ticks []time.Time, more bool) {
	period := plan.Next(plan.Next(anchor)).Sub(plan.Next(anchor))
	if period <= 0 {
		return nil, false
	}
	steps := from.Sub(anchor) / period
	at := anchor.Add(steps * period)
	for at.Before(from) {
		at = at.Add(period)
	}
	for ; at.Before(to); at = at.Add(period) {
		if len(ticks) == limit {
			return ticks, true
		}
		ticks = append(ticks, at)
	}
	return ticks, false
}

// nearest returns the last due time before an instant and the first one from then on; zero if there
// is none within five years.
func nearest(s Schedule, plan cron.Plan, anchor, at time.Time) (before, after time.Time) {
	if plan == nil {
		return before, after
	}
	if s.Type == xxladapter.ScheduleFixRate {
		if anchor.IsZero() {
			return before, after
		}
		period := plan.Next(plan.Next(anchor)).Sub(plan.Next(anchor))
		around, _ := rateTicks(plan, anchor, at.Add(-period), at.Add(period), 3)
		for _, t := range around {
			if t.Before(at) {
				before = t
			} else if after.IsZero() {
				after = t
			}
		}
		return before, after
	}
	after = plan.Next(at.Add(-time.Nanosecond))
	for _, back := range []time.Duration{time.Hour, 25 * time.Hour, 32 * 24 * time.Hour, 366 * 24 * time.Hour, 5 * 366 * 24 * time.Hour} {
		if first := plan.Next(at.Add(-back)); !first.IsZero() && first.Before(at) {
			return cron.Last(plan, first, at.Add(-time.Nanosecond)), after
		}
	}
	return time.Time{}, after
}

package why

import (
	"encoding/json"
	"slices"
	"sort"
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
	// Present is true if the job was changed since and nothing shows its former schedule. Then this
	// is the schedule that it has now.
	Present bool
	// Switch is the audit row that switched the schedule on or off last before that instant; nil if
	// there is none, or if another program has switched it since.
	Switch *xxladapter.AuditRow
}

// A Span is a time in which a job had one schedule.
type Span struct {
	Schedule
	From, To time.Time // From is included and To is not
	// Stands is true if the job still has this schedule, as far as is known.
	Stands bool
	// Plan is what the schedule means; nil if it cannot be read.
	Plan cron.Plan
	// Anchor is a due time of the schedule, on either side of the span: a FIX_RATE counts from it.
	// Zero if none is known.
	Anchor time.Time
}

// Spans returns the schedules of a job in a time: in ascending order, without gaps, and at least
// one. They are the present schedule with later changes undone: the changes in the audit, and those
// that only the versions show, because another program made them. rows are audit rows of the job,
// by id, and versions are all that it has, newest first. If nothing shows what the schedule was
// before a change, Spans assumes the present one. Plan and Anchor stay empty.
func Spans(
	j *xxladapter.Job, rows []xxladapter.AuditRow, versions []*xxladapter.JobVersion, from, to time.Time,
) []Span {
	s := Schedule{Running: j.Running, Type: j.ScheduleType, Conf: j.ScheduleConf, Zone: j.Settings.Zone}
	var spans []Span // the last one first
	stands := true
	add := func(s Schedule, at time.Time) {
		if at.Before(to) {
			spans = append(spans, Span{Schedule: s, From: at, To: to, Stands: stands})
			to = at
		}
		stands = false
	}
	undone, present := false, s
	unknown := func(at time.Time) { // nothing shows what the schedule was before
		add(s, at)
		s, stands = present, true
		s.Present = true
	}
	for _, c := range changesOf(j, rows, versions) {
		if !c.at.After(from) {
			continue
		}
		undone = true
		if c.unknown {
			unknown(c.at)
			break
		}
		before := s
		for _, f := range c.fields {
			before.undo(f)
		}
		if before != s {
			add(s, c.at.Add(time.Millisecond)) // its due times are later than the change
		}
		s = before
	}
	// Updated counts whole seconds and may be a little ahead of the clock.
	if !undone && j.Updated.After(from.Add(time.Second)) {
		unknown(j.Updated)
	}
	add(s, from)
	slices.Reverse(spans)
	var last *xxladapter.AuditRow
	for i := range spans {
		for ; len(rows) > 0 && !rows[0].At.After(spans[i].From); rows = rows[1:] {
			if switches(&rows[0]) {
				last = &rows[0]
			}
		}
		if last != nil && switchesTo(last, spans[i].Running) {
			spans[i].Switch = last
		}
	}
	return spans
}

// SetAnchors sets the anchors of spans: a due time of the schedule that has a run or an open fire
// in the span, and otherwise, if the schedule stands, the next due time of the job.
func SetAnchors(spans []Span, j *xxladapter.Job, runs []xxladapter.DueRun, open []xxladapter.Fire) {
	for i := range spans {
		if spans[i].Stands {
			spans[i].Anchor = j.TriggerNext
		}
	}
	anchor := func(t xxladapter.TriggerType, due time.Time) {
		i := sort.Search(len(spans), func(i int) bool { return spans[i].To.After(due) })
		if t == xxladapter.TriggerCron && i < len(spans) && !due.Before(spans[i].From) {
			spans[i].Anchor = due
		}
	}
	for i := range open {
		anchor(open[i].Type, open[i].Due)
	}
	for i := range runs {
		anchor(runs[i].Type, runs[i].Due)
	}
}

// switches reports whether a row switches a schedule on or off. The row that creates a job does
// not: the schedule of a new job is off.
func switches(row *xxladapter.AuditRow) bool {
	return slices.ContainsFunc(row.Changes, func(c xxladapter.FieldChange) bool {
		return c.Field == "running" &&
			len(c.Before) > 0
	})
}

// switchesTo reports whether a row that switches a schedule switches it on, or, if on is false,
// off.
func switchesTo(row *xxladapter.AuditRow, on bool) bool {
	var after Schedule
	for _, c := range row.Changes {
		if c.Field == "running" {
			restore(c.After, &after.Running)
		}
	}
	return after.Running == on
}

// undo restores what a field was before a change.
func (s *Schedule) undo(c xxladapter.FieldChange) {
	switch c.Field {
	case "running":
		s.Running = false // as in a new job
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

// Planned returns up to limit due times that were planned in spans, or will be: a schedule that is
// off has none, unless it is not known whether it was off then. more is true if there are more.
func Planned(spans []Span, limit int) (ticks []time.Time, more bool) {
	for i := range spans {
		if !spans[i].Running && !spans[i].Present {
			continue
		}
		of, more := spans[i].ticks(limit - len(ticks))
		if ticks = append(ticks, of...); more {
			return ticks, true
		}
	}
	return ticks, false
}

// ticks returns up to limit due times of a span, whether the schedule is on or off. more is true if
// there are more.
func (s *Span) ticks(limit int) (ticks []time.Time, more bool) {
	switch {
	case s.Plan == nil || s.Type == xxladapter.ScheduleFixDelay || s.Type == xxladapter.ScheduleNone:
		return nil, false
	case s.Type == xxladapter.ScheduleFixRate:
		if s.Anchor.IsZero() {
			return nil, false
		}
		return rateTicks(s.Plan, s.Anchor, s.From, s.To, limit)
	}
	for at := s.Plan.Next(s.From.Add(-time.Nanosecond)); !at.IsZero() && at.Before(s.To); at = s.Plan.Next(at) {
		if len(ticks) == limit {
			return ticks, true
		}
		ticks = append(ticks, at)
	}
	return ticks, false
}

// rateTicks returns up to limit due times in [from, to), whole periods away from the anchor, which
// may lie on either side. more is true if there are more.
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

// nearest returns the last due time before an instant and the first one from then on, as if the job
// had the schedule at all times; zero if there is none. nearest searches five years back, and for a
// rate one period to either side.
func (s *Span) nearest(at time.Time) (before, after time.Time) {
	plan := s.Plan
	if plan == nil {
		return before, after
	}
	if s.Type == xxladapter.ScheduleFixRate {
		if s.Anchor.IsZero() {
			return before, after
		}
		period := plan.Next(plan.Next(s.Anchor)).Sub(plan.Next(s.Anchor))
		around, _ := rateTicks(plan, s.Anchor, at.Add(-period), at.Add(period), 3)
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
	for _, back := range []time.Duration{
		time.Hour, 25 * time.Hour, 32 * 24 * time.Hour, 366 * 24 * time.Hour, 5 * 366 * 24 * time.Hour,
	} {
		if first := plan.Next(at.Add(-back)); !first.IsZero() && first.Before(at) {
			return cron.Last(plan, first, at.Add(-time.Nanosecond)), after
		}
	}
	return time.Time{}, after
}

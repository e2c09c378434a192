package why

import (
	"slices"
	"strconv"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Facts are the records about one job at one time.
type Facts struct {
	Job *xxladapter.Job // as it is now
	// From and To bound the time in question: From is included and To is not.
	From, To time.Time
	// Spans are the job's schedules in that time, at least one, see [Spans].
	Spans []Span
	// Now is the store's clock, and Local this machine's at the same moment.
	Now, Local time.Time
	// SkewLimit is how far this machine's clock may be off the store's before its scheduler gives
	// its lease back. At 0 or below the clocks are not compared.
	SkewLimit time.Duration

	Runs     []Run                // due in that time, or triggered in it by another program
	Open     []xxladapter.Fire    // the job's open fires that are due in that time
	Misfires []xxladapter.Misfire // the job's misfires in that time
	Leases   []xxladapter.Lease   // that hold now
	Group    *xxladapter.Group    // nil if it is gone
	// Restrictions are the pauses and calendars as they are now; nil means none. They explain due
	// times without a record. Pauses are the pauses that the misfires name, by id.
	Restrictions *xxladapter.Restrictions
	Pauses       map[int64]xxladapter.Pause
}

// A Run is one run with its history. History is nil if another program handed the run over.
type Run struct {
	Log     *xxladapter.Log
	History *xxladapter.RunHistory
}

// lateLimit is how long after its due time a fire may be claimed without being called late.
const lateLimit = time.Second

// Decide returns the reasons why a job did or did not run at a time, in the order in which they
// matter.
func Decide(f Facts) (found []Finding) {
	seen := map[int64]bool{}
	for _, r := range f.Runs {
		seen[r.Log.ID] = true
		found = append(found, f.ofRun(r)...)
	}
	for i := range f.Open {
		if !seen[f.Open[i].LogID] || f.Open[i].LogID == 0 {
			found = append(found, f.ofFire(&f.Open[i])...)
		}
	}
	for i := range f.Misfires {
		found = append(found, f.ofMisfire(&f.Misfires[i])...)
	}
	if len(found) == 0 {
		found = f.ofNothing()
	}
	return found
}

// ofMisfire explains a due time with a misfire: it was found too late, lost by the store, or
// suppressed by a pause or a calendar. A misfire may concern due times before and after the time in
// question and none in it: then it explains nothing.
func (f *Facts) ofMisfire(m *xxladapter.Misfire) []Finding {
	due := m.Due
	if _, tick := f.firstDue(m.Due, m.Until.Add(1)); !tick.IsZero() {
		due = tick
	} else if due.Before(f.From) && !m.Until.Before(f.To) && f.namesTimes() {
		return nil
	}
	switch m.Kind() {
	case xxladapter.MisfirePaused:
		pause, known := f.Pauses[m.PauseID]
		if !known {
			pause = xxladapter.Pause{ID: m.PauseID}
		}
		return []Finding{f.paused(due, &pause, misfireRecord(m))}
	case xxladapter.MisfireExcluded:
		return []Finding{f.excluded(due, m.Calendar, f.Restrictions.Calendar(m.Calendar), misfireRecord(m))}
	}
	values := params(
		"due", f.local(due), "noticed", f.local(m.At), "late", short(m.At.Sub(due)), "strategy", string(m.Strategy),
	)
	if m.Kind() == xxladapter.MisfireLost {
		delete(values, "strategy") // no strategy decided about it
	}
	return []Finding{{Misfire, values, []Record{misfireRecord(m)}}}
}

// ofFire explains a fire that is still open.
func (f *Facts) ofFire(fire *xxladapter.Fire) []Finding {
	late := f.Now.Sub(fire.Due)
	values := params(
		"due", f.local(fire.Due), "late", short(late), "node", fire.Owner.Node, "fire", strconv.FormatInt(fire.ID, 10),
	)
	one := func(code Code, more ...Record) []Finding {
		return []Finding{{code, values, append([]Record{fireRecord(fire)}, more...)}}
	}
	leases := leaseRecord(f.Leases, f.Now)
	switch fire.State {
	case xxladapter.FirePlanned:
		switch {
		case late < 0:
			return one(NotYet)
		case len(f.Leases) == 0:
			return append(one(NoScheduler, leases), f.clocks()...)
		case late <= lateLimit:
			return one(BeingSent)
		}
		if f.Group != nil {
			values["app"] = f.Group.AppName
		}
		return one(NoPlace, leases)
	case xxladapter.FireAmbiguous:
		return one(Ambiguous)
	}
	for _, l := range f.Leases {
		if l.Term == fire.Owner {
			return one(BeingSent, leases)
		}
	}
	return one(NodeFroze, leases)
}

// clocks reports that this machine's clock is so far off the store's that its scheduler gives its
// lease back; nil if it is not.
func (f *Facts) clocks() []Finding {
	off := f.Local.Sub(f.Now)
	if f.SkewLimit <= 0 || off.Abs() <= f.SkewLimit {
		return nil
	}
	return []Finding{{ClocksApart, params(
		"off", short(off.Abs()), "limit", short(f.SkewLimit), "store", f.local(f.Now), "scheduler", f.local(f.Local),
	),
		[]Record{{"clock", 0, params("store", utc(f.Now), "scheduler", utc(f.Local))}}}}
}

// ofNothing explains why there is neither a run nor a fire.
func (f *Facts) ofNothing() (found []Finding) {
	j := Record{"job", f.Job.ID, params("running", strconv.FormatBool(f.Job.Running), "scheduleType",
		string(f.Job.ScheduleType), "scheduleConf", f.Job.ScheduleConf,
		"triggerNextTime", utc(f.Job.TriggerNext), "added", utc(f.Job.Added), "updated", utc(f.Job.Updated))}
	if !f.Job.Added.Before(f.To) {
		return []Finding{{NotCreated, params("added", f.local(f.Job.Added)), []Record{j}}}
	}
	then, due := f.then()
	if !then.Running {
		stopped := Finding{Stopped, params(), []Record{j}}
		if row := then.Switch; row != nil {
			stopped.Params = params("by", actorText(row.Actor), "since", f.local(row.At))
			stopped.Evidence = append([]Record{auditRecord(row)}, j)
		}
		found = append(found, stopped)
	}
	switch {
	case due.IsZero():
		return append(found, f.ofNoDue(then, j))
	case len(found) > 0:
		return found
	}
	return f.ofDue(due, j)
}

// then returns the schedule that the answer is about, and its first due time; zero if it has none.
// A schedule with a due time comes before one without, and among these, one that was on before one
// that was off.
func (f *Facts) then() (about *Span, due time.Time) {
	if about, due = f.firstDue(f.From, f.To); about != nil {
		return about, due
	}
	if i := slices.IndexFunc(f.Spans, func(s Span) bool { return s.Running }); i > 0 {
		return &f.Spans[i], due
	}
	return &f.Spans[0], due
}

// firstDue returns the first due time in question that is not before from and is before to, and its
// schedule: one that was on before one that was off. It returns nil if there is none.
func (f *Facts) firstDue(from, to time.Time) (about *Span, due time.Time) {
	for _, running := range []bool{true, false} {
		for i := range f.Spans {
			s := f.Spans[i]
			if s.From.Before(from) {
				s.From = from
			}
			if s.To.After(to) {
				s.To = to
			}
			if s.Running != running {
				continue
			}
			if ticks, _ := s.ticks(1); len(ticks) > 0 {
				return &f.Spans[i], ticks[0]
			}
		}
	}
	return nil, due
}

// namesTimes reports whether all schedules in question are cron expressions that are known and can
// be read.
func (f *Facts) namesTimes() bool {
	return !slices.ContainsFunc(f.Spans, func(s Span) bool {
		return s.Present || s.Plan == nil || s.Type != xxladapter.ScheduleCron
	})
}

// ofNoDue explains why a schedule has no due time in the time in question.
func (f *Facts) ofNoDue(then *Span, j Record) Finding {
	values := params("type", string(then.Type), "conf", then.Conf)
	switch {
	case then.Type == xxladapter.ScheduleNone:
		return Finding{NoSchedule, values, []Record{j}}
	case then.Plan == nil:
		return Finding{BadSchedule, values, []Record{j}}
	case then.Type == xxladapter.ScheduleFixDelay:
		return Finding{AfterRun, values, []Record{j}}
	}
	before, after := then.nearest(f.From)
	values = params("type", string(then.Type), "conf", then.Conf, "before", f.local(before), "after", f.local(after))
	return Finding{NoMatch, values, []Record{j}}
}

// ofDue explains a due time that has neither a run nor a fire, though the schedule was on.
func (f *Facts) ofDue(due time.Time, j Record) (found []Finding) {
	values := params("due", f.local(due), "late", short(f.Now.Sub(due)))
	leases := leaseRecord(f.Leases, f.Now)
	switch {
	case due.After(f.Now):
		if suppressed := f.suppressed(due); suppressed != nil {
			return []Finding{*suppressed}
		}
		return []Finding{{NotYet, values, []Record{j}}}
	case f.Job.Running && !f.Job.TriggerNext.IsZero() && !f.Job.TriggerNext.After(due):
		if len(f.Leases) == 0 {
			return append([]Finding{{NoScheduler, values, []Record{leases, j}}}, f.clocks()...)
		}
		return []Finding{{Overdue, values, []Record{j, leases}}}
	}
	if suppressed := f.suppressed(due); suppressed != nil {
		return []Finding{*suppressed}
	}
	return []Finding{{NoRecord, values, []Record{j}}}
}

// local formats an instant in the zone of From; empty for the zero time.
func (f *Facts) local(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(f.From.Location()).Format("2006-01-02T15:04:05.999Z07:00")
}

// short formats a duration, rounded to milliseconds, or to seconds from a minute on.
func short(d time.Duration) string {
	if d.Abs() >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

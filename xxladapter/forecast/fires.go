package forecast

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// A table counts the fires of one job after another.
type table struct {
	begin, now, end time.Time
	cells           int
	opts            Options
	restrictions    map[int64]*xxladapter.Restrictions // see restrictionsFrom
	zones           map[string]*time.Location
	fires           []int64 // of the current job, by cell
}

func newTable(now time.Time, span time.Duration, opts Options) *table {
	begin := now.Truncate(Step)
	cells := int((now.Add(span).Sub(begin) + Step - 1) / Step)
	if opts.Zone == nil {
		opts.Zone = time.Local
	}
	end := begin.Add(time.Duration(cells) * Step)
	return &table{
		begin: begin, now: now, end: end, cells: cells, opts: opts,
		restrictions: restrictionsFrom(opts.Restrictions, now, end),
		zones:        map[string]*time.Location{}, fires: make([]int64, cells),
	}
}

// zone returns the zone of a name, or nil if there is none.
func (t *table) zone(name string) *time.Location {
	zone, known := t.zones[name]
	if !known {
		zone, _ = xxladapter.ZoneOf(name, t.opts.Zone)
		t.zones[name] = zone
	}
	return zone
}

// overdue reports whether a job of type CRON fires once right now because it is overdue. That fire
// comes in addition to those of its schedule.
func (t *table) overdue(j Job) bool {
	return j.Type == xxladapter.ScheduleCron && !j.Next.IsZero() && j.Next.Before(t.now) && !t.heldUp(j)
}

// heldUp reports whether an overdue job has no fire because of a pause, or of a day without work
// that has not ended.
func (t *table) heldUp(j Job) bool {
	r := t.restrictions[t.pausesOf(j)]
	if _, paused := r.PauseOf(j.GroupID, t.now); paused {
		return true
	}
	zone := t.zone(j.Zone)
	if zone == nil {
		return false // firesOf reports the unknown zone
	}
	why, off := r.Suppression(jobOf(j), j.Next, zone)
	return off && why.Until.After(t.now)
}

// jobOf returns what restrictions need of a job.
func jobOf(j Job) *xxladapter.Job {
	return &xxladapter.Job{GroupID: j.GroupID, Settings: xxladapter.Settings{Calendar: j.Calendar}}
}

// firesOf counts the fires of a job, by cell, without the additional one that overdue reports. The
// result is valid until the next call. ok is false if the schedule cannot be read.
func (t *table) firesOf(j Job) (fires []int64, ok bool) {
	clear(t.fires)
	zone := t.zone(j.Zone)
	if zone == nil {
		return nil, false
	}
	plan, err := cron.ParsePlan(string(j.Type), j.Conf, zone, t.opts.Profile)
	if err != nil {
		return nil, false
	}
	suppressed := t.suppresses(j, zone)
	switch j.Type {
	case xxladapter.ScheduleFixRate:
		t.repeat(t.firstOf(j), t.period(plan))
	case xxladapter.ScheduleFixDelay:
		first := t.firstOf(j)
		if j.Next.Equal(xxladapter.AfterRun) {
			first = first.Add(t.period(plan))
		}
		t.repeat(first, t.period(plan)+j.Run)
	case xxladapter.ScheduleOnce:
		if at := t.firstOf(j); !j.Next.IsZero() && (suppressed == nil || !suppressed(at)) {
			t.add(at, 1)
		}
		return t.fires, true
	default:
		for at := plan.Next(t.now.Add(-1)); !at.IsZero() && at.Before(t.end); at = plan.Next(at) {
			if suppressed == nil || !suppressed(at) {
				t.add(at, 1)
			}
		}
		return t.fires, true
	}
	for i := range t.fires {
		if t.fires[i] > 0 && suppressed != nil && suppressed(t.begin.Add(time.Duration(i)*Step)) {
			t.fires[i] = 0
		}
	}
	return t.fires, true
}

// suppresses returns a function that reports whether a due time of the job is suppressed, or nil
// if none can be.
//
// REQUIRES: the function is called with ascending due times.
func (t *table) suppresses(j Job, zone *time.Location) func(time.Time) bool {
	r := t.restrictions[t.pausesOf(j)]
	if j.Calendar == "" && len(r.Pauses) == 0 {
		return nil
	}
	job := jobOf(j)
	suppressed, until := false, time.Time{} // the answer for all due times before until
	return func(at time.Time) bool {
		if at.Before(until) {
			return suppressed
		}
		var why xxladapter.Suppression
		if why, suppressed = r.Suppression(job, at, zone); suppressed {
			until = why.Until
		} else {
			until = r.NextSuppressed(job, at, t.end, zone)
		}
		if until.IsZero() {
			until = t.end
		}
		return suppressed
	}
}

// firstOf returns the next fire of a job, not before now, or the end of the forecast if the job has
// none. For a job that waits for the end of a run, firstOf returns the expected end of that run;
// the delay is not added.
func (t *table) firstOf(j Job) time.Time {
	switch {
	case j.Next.IsZero():
		return t.end
	case j.Next.Equal(xxladapter.AfterRun):
		return t.now.Add(j.Run)
	case j.Next.Before(t.now):
		return t.now
	}
	return j.Next
}

// period returns the period of a plan that is due at equal distances. It is measured from the
// beginning of a cell, which is a whole second, so that the plan's rounding changes nothing.
func (t *table) period(plan cron.Plan) time.Duration { return plan.Next(t.begin).Sub(t.begin) }

// repeat adds the fires from first on, each a period after the one before.
func (t *table) repeat(first time.Time, period time.Duration) {
	for at := first; at.Before(t.end); {
		next := t.begin.Add((at.Sub(t.begin)/Step + 1) * Step) // the next cell
		n := int64((next.Sub(at) + period - 1) / period)
		t.add(at, n)
		at = at.Add(time.Duration(n) * period)
	}
}

// add counts n fires in the cell of an instant.
func (t *table) add(at time.Time, n int64) {
	if cell := int(at.Sub(t.begin) / Step); at.Compare(t.begin) >= 0 && cell < t.cells {
		t.fires[cell] += n
	}
}

package scheduler

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// suppress consumes the next due time if a pause or a calendar suppresses it, and records it as a
// misfire of kind MisfirePaused or MisfireExcluded. It reports whether it did so.
//
// It also consumes the due times that follow: those of a pause up to horizon, since the pause may
// be ended early, and those of a day without work up to the end of the day. So no burst follows a
// pause or such a day.
//
// A due time that has passed is also consumed by a pause that began after it and holds now: its
// fire would come during the pause, however late it is.
func suppress(d *xxladapter.Decision, j *xxladapter.Job, plan zonedPlan, now, horizon time.Time) bool {
	if d.Stop || d.Next.After(horizon) {
		return false
	}
	suppressed, ok := j.Restrictions.Suppression(j, d.Next, plan.zone)
	var other time.Time // the next pause or day without work, which has a record of its own
	if !ok && !d.Next.After(now) {
		if suppressed.Pause, ok = j.Restrictions.PauseOf(j.GroupID, now); ok {
			other = j.Restrictions.NextSuppressed(j, d.Next, now, plan.zone)
		}
	}
	if !ok {
		return false
	}
	m := xxladapter.Misfire{JobID: j.ID, Due: d.Next, Until: d.Next, Strategy: xxladapter.MisfireDoNothing, At: now}
	until := horizon
	if suppressed.Pause != nil {
		m.PauseID = suppressed.Pause.ID
		if !other.IsZero() {
			until = other.Add(-time.Millisecond)
		} else if !suppressed.Until.IsZero() && !suppressed.Until.After(horizon) {
			until = suppressed.Until.Add(-time.Millisecond)
		}
	} else {
		m.Calendar = suppressed.Calendar.Name
		until = suppressed.Until.Add(-time.Millisecond)
	}
	from := d.Next
	if j.ScheduleType == xxladapter.ScheduleFixDelay && now.After(from) {
		from = now // as after a due time that fires nothing
	}
	if !from.After(until) {
		if last := cron.Last(plan.Plan, from, until); last.After(from) {
			m.Until, from = last, last
		}
	}
	record(d, m)
	advance(d, plan, from)
	return true
}

// record adds a misfire to the decision. If there is one of the same pause, it extends that
// instead.
func record(d *xxladapter.Decision, m xxladapter.Misfire) {
	for i := range d.Misfires {
		if known := &d.Misfires[i]; m.PauseID != 0 && known.PauseID == m.PauseID {
			known.Until = m.Until
			return
		}
	}
	d.Misfires = append(d.Misfires, m)
}

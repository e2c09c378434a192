package scheduler

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// A span is a sequence of due times that were found too late, from the first to the last one.
type span struct{ due, until time.Time }

// miss consumes the due times that were found too late, up to now or to the first one that a pause
// or a calendar suppresses, and records them.
//
// Upstream continues from now, which is the same for a cron expression. For a fixed rate it shifts
// all later due times by how late the scan was; here they keep the phase of the first one, so that
// anyone can compute them and find what is missing.
func miss(d *xxladapter.Decision, j *xxladapter.Job, plan zonedPlan, now time.Time) span {
	to := now
	if suppressed := j.Restrictions.NextSuppressed(j, d.Next, now, plan.zone); !suppressed.IsZero() {
		to = suppressed.Add(-time.Millisecond)
	}
	missed := span{d.Next, cron.Last(plan.Plan, d.Next, to)}
	m := xxladapter.Misfire{JobID: j.ID, Due: missed.due, Until: missed.until, Strategy: j.Misfire, At: now}
	if !slices.Contains(m.Strategy.Values(), m.Strategy) {
		// Upstream treats a strategy that it does not know as DO_NOTHING.
		m.Strategy = xxladapter.MisfireDoNothing
	}
	d.Misfires = append(d.Misfires, m)
	advance(d, plan, missed.until)
	return missed
}

// misfire plans what the job's strategy fires for the due times that were found too late. A pause
// or a day without work divides them into several spans, which the strategy counts as one.
// DO_NOTHING and FIRE_ONCE_NOW are XXL-JOB's; the other two fire the missed due times themselves.
func misfire(d *xxladapter.Decision, j *xxladapter.Job, plan zonedPlan, now time.Time, missed []span) {
	if len(missed) == 0 {
		return
	}
	var dues []time.Time
	switch j.Misfire {
	case xxladapter.MisfireFireOnceNow:
		dues = []time.Time{missed[0].due}
	case xxladapter.MisfireLatest:
		dues = []time.Time{missed[len(missed)-1].until}
	case xxladapter.MisfireAll:
		limit := j.Settings.MisfireLimit
		if limit <= 0 {
			limit = xxladapter.DefaultMisfireLimit
		}
		for _, m := range slices.Backward(missed) {
			if len(dues) < limit {
				dues = append(latest(plan.Plan, m.due, m.until, limit-len(dues)), dues...)
			}
		}
		dues = spaced(dues, now, j.Settings.MisfireSpacing.Duration())
	}
	for _, due := range dues {
		d.Fires = append(d.Fires, scheduledFire(j.ID, due, xxladapter.TriggerMisfire))
	}
}

// latest returns up to limit due times from first to last: the latest ones, in ascending order.
//
// REQUIRES: limit is above 0.
func latest(plan cron.Plan, first, last time.Time, limit int) []time.Time {
	dues := []time.Time{last}
	for len(dues) < limit && last.After(first) {
		last = cron.Last(plan, first, last.Add(-1))
		dues = append(dues, last)
	}
	slices.Reverse(dues)
	return dues
}

// spaced moves the first due time to now, and lets the others follow at intervals of pause. Without
// a pause all stay unchanged, so they fire at once.
func spaced(dues []time.Time, now time.Time, pause time.Duration) []time.Time {
	if pause <= 0 {
		return dues
	}
	for i := range dues {
		dues[i] = now.Truncate(time.Millisecond).Add(time.Duration(i) * pause)
	}
	return dues
}

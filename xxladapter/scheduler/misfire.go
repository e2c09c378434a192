package scheduler

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// misfire consumes the due times up to now, by the job's strategy. DO_NOTHING and FIRE_ONCE_NOW are
// XXL-JOB's; the other two fire due times as themselves.
//
// Upstream continues from now, which is the same for a cron expression. For a fixed rate it shifts
// all later due times by how late the scan was; here they keep the phase of the first one, so that
// anyone can compute them and find what is missing.
func misfire(d *xxladapter.Decision, j *xxladapter.Job, plan cron.Plan, now time.Time) {
	m := xxladapter.Misfire{JobID: j.ID, Due: d.Next, Until: cron.Last(plan, d.Next, now), Policy: j.Misfire, At: now}
	var dues []time.Time
	switch j.Misfire {
	case xxladapter.MisfireFireOnceNow:
		dues = []time.Time{m.Due}
	case xxladapter.MisfireLatest:
		dues = []time.Time{m.Until}
	case xxladapter.MisfireAll:
		dues = spaced(latest(plan, m.Due, m.Until, j.Settings.MisfireLimit), now, j.Settings.MisfireSpacing.Duration())
	default:
		// Upstream treats a strategy that it does not know as DO_NOTHING.
		m.Policy = xxladapter.MisfireDoNothing
	}
	for _, due := range dues {
		d.Fires = append(d.Fires, scheduledFire(j.ID, due, xxladapter.TriggerMisfire))
	}
	d.Misfires = append(d.Misfires, m)
	advance(d, plan, m.Until)
}

// latest returns up to limit due times from first to last: the latest ones, in ascending order.
func latest(plan cron.Plan, first, last time.Time, limit int) []time.Time {
	if limit <= 0 {
		limit = xxladapter.DefaultMisfireLimit
	}
	dues := []time.Time{last}
	for len(dues) < limit && last.After(first) {
		last = cron.Last(plan, first, last.Add(-1))
		dues = append(dues, last)
	}
	slices.Reverse(dues)
	return dues
}

// spaced moves due times from now on so that pause lies between two of them.
// Without a pause they stay as they are, which is at once.
func spaced(dues []time.Time, now time.Time, pause time.Duration) []time.Time {
	if pause <= 0 {
		return dues
	}
	for i := range dues {
		dues[i] = now.Truncate(time.Millisecond).Add(time.Duration(i) * pause)
	}
	return dues
}

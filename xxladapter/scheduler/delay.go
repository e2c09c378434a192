package scheduler

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// decideDelay decides on a job whose next due time follows from the end of its run: there is one
// due time, and after it the schedule waits. The call that stores the end of the run continues the
// schedule, see [xxladapter.Resume]. A due time that fires nothing is followed by the next one
// right away, because no run will end.
func decideDelay(d *xxladapter.Decision, j *xxladapter.Job, plan zonedPlan, now time.Time, missed bool) {
	due, trigger := d.Next, xxladapter.TriggerCron
	if missed {
		m := xxladapter.Misfire{JobID: j.ID, Due: due, Until: due, Strategy: j.Misfire, At: now}
		switch j.Misfire {
		case xxladapter.MisfireFireOnceNow, xxladapter.MisfireLatest, xxladapter.MisfireAll:
			trigger = xxladapter.TriggerMisfire
			d.Misfires = append(d.Misfires, m)
		default:
			m.Strategy = xxladapter.MisfireDoNothing
			d.Misfires = append(d.Misfires, m)
			advance(d, plan, now)
			return
		}
	}
	d.Fires = append(d.Fires, scheduledFire(j.ID, due, trigger))
	d.Last, d.Next = due, xxladapter.AfterRun
}

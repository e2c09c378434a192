package scheduler

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// maxFires bounds how many fires of one job a single decision plans, so that a
// short period cannot crowd out other jobs. What is left over is due at the
// next scan. A period of 100 ms needs 50 for a window of 5 s.
const maxFires = 100

// decide says what becomes of a job whose next trigger time is at most window
// ahead of now. It is a pure function.
//
// The branches and their edges are those of XXL-JOB 3.4.2
// (JobScheduleHelper.start):
//
//	now > next + window   misfire: the strategy decides, the schedule goes on from now
//	now >= next           late: fires at once
//	otherwise             ahead: fires when it is due
//
// Upstream's late branch fires once and goes on from now, which loses the
// further due times of a job that has several within the window. Here every
// due time up to now + window gets a fire of its own, and the schedule goes on
// from the due time, so that a fixed rate keeps its phase.
func decide(j *xxladapter.Job, plan cron.Plan, now time.Time, window time.Duration) xxladapter.Decision {
	d := xxladapter.Decision{JobID: j.ID, Last: j.TriggerLast, Next: j.TriggerNext}
	if now.After(d.Next.Add(window)) {
		misfire(&d, j, plan, now)
	}
	for !d.Stop && !d.Next.After(now.Add(window)) && len(d.Fires) < maxFires {
		d.Fires = append(d.Fires, scheduledFire(j.ID, d.Next, xxladapter.TriggerCron))
		advance(&d, plan, d.Next)
	}
	return d
}

// misfire consumes the due times up to now.
func misfire(d *xxladapter.Decision, j *xxladapter.Job, plan cron.Plan, now time.Time) {
	m := xxladapter.Misfire{JobID: j.ID, Due: d.Next, Until: lastDue(plan, d.Next, now), Policy: j.Misfire, At: now}
	if j.Misfire == xxladapter.MisfireFireOnceNow {
		d.Fires = append(d.Fires, scheduledFire(j.ID, d.Next, xxladapter.TriggerMisfire))
	} else {
		// Upstream treats a strategy that it does not know as DO_NOTHING.
		m.Policy = xxladapter.MisfireDoNothing
	}
	d.Misfires = append(d.Misfires, m)
	advance(d, plan, now)
}

// advance moves the trigger times to the first due time after from. A schedule
// without one stops the job, with both times zero as upstream has them.
func advance(d *xxladapter.Decision, plan cron.Plan, from time.Time) {
	next := plan.Next(from)
	switch {
	case next.IsZero():
		d.Last, d.Next, d.Stop, d.Reason = time.Time{}, time.Time{}, true, "the schedule has ended"
	case !next.After(d.Next):
		// A plan that stands still would be decided again and again.
		d.Last, d.Next, d.Stop = time.Time{}, time.Time{}, true
		d.Reason = fmt.Sprintf("the schedule does not move on from %v", from)
	default:
		d.Last, d.Next = d.Next, next
	}
}

// maxSkipped bounds the search for the last due time of a misfire. A job that
// fires every second and slept for longer than this many seconds gets a record
// that ends at now.
const maxSkipped = 1000

// lastDue is the last due time from first up to now.
func lastDue(plan cron.Plan, first, now time.Time) time.Time {
	last := first
	for range maxSkipped {
		next := plan.Next(last)
		if next.IsZero() || !next.After(last) || next.After(now) {
			return last
		}
		last = next
	}
	return now
}

func scheduledFire(jobID int64, due time.Time, t xxladapter.TriggerType) xxladapter.Fire {
	return xxladapter.Fire{JobID: jobID, Due: due, Type: t, State: xxladapter.FirePlanned, RetryCount: -1}
}

// stop is the decision for a job whose schedule cannot be read.
func stop(j *xxladapter.Job, reason string) xxladapter.Decision {
	return xxladapter.Decision{JobID: j.ID, Stop: true, Reason: reason}
}

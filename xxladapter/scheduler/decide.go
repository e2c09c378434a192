package scheduler

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// maxFires limits how many due times of one job a single decision reads, so that a short period
// cannot crowd out other jobs. The rest is due at the next scan. A period of 100 ms needs 50 for a
// window of 5 s.
const maxFires = 100

// decide returns the decision about a job whose next trigger time is at most window ahead of now.
// It is a pure function.
//
// The branches and their edges are those of XXL-JOB 3.4.2 (JobScheduleHelper.start):
//
//	now > next + window   misfire: the strategy decides, the schedule continues after now;
//	                      the window is the job's own if it has one
//	now >= next           late: fires at once
//	otherwise             ahead: fires when it is due
//
// Upstream's late branch fires once and continues from now, which loses the further due times of a
// job that has several within the window. Here every due time up to now + window gets a fire of its
// own, and the schedule continues from the due time, so that a fixed rate keeps its phase. What
// exceeds reach is left to the next scan.
//
// A due time that is held back by a pause or a calendar never gets a fire; see [suppress].
func decide(j *xxladapter.Job, plan zonedPlan, now time.Time, window time.Duration, reach reach) xxladapter.Decision {
	d := xxladapter.Decision{JobID: j.ID, Last: j.TriggerLast, Next: j.TriggerNext}
	grace := window
	if own := j.Settings.MisfireWindow; own > 0 {
		grace = own.Duration()
	}
	unknown := correct(&d, j, plan, now)
	if j.ScheduleType == xxladapter.ScheduleFixDelay {
		if !suppress(&d, j, plan, now, now.Add(window)) {
			decideDelay(&d, j, plan, now, unknown || now.Sub(d.Next) > grace)
		}
		return d
	}
	var missed []span
	for range maxFires {
		if suppress(&d, j, plan, now, now) {
			unknown = false
			continue
		}
		if d.Stop || !unknown && now.Sub(d.Next) <= grace {
			break
		}
		missed, unknown = append(missed, miss(&d, j, plan, now)), false
	}
	misfire(&d, j, plan, now, missed)
	for range reach.fires {
		switch {
		case d.Stop || d.Next.After(now.Add(reach.ahead)), now.Sub(d.Next) > grace:
			return d // too late only after an outage over very many days without work
		case suppress(&d, j, plan, now, now.Add(reach.ahead)):
		default:
			d.Fires = append(d.Fires, scheduledFire(j.ID, d.Next, xxladapter.TriggerCron))
			advance(&d, plan, d.Next)
		}
	}
	return d
}

// correct replaces an invalid next time (0 or earlier), such as a tool's INSERT leaves. The job is
// then due once, at now, as with XXL-JOB; a ONCE has its due time in its configuration. unknown is
// true if earlier due times cannot be computed.
func correct(d *xxladapter.Decision, j *xxladapter.Job, plan cron.Plan, now time.Time) (unknown bool) {
	if d.Next.UnixMilli() > 0 {
		return false
	}
	if j.ScheduleType == xxladapter.ScheduleOnce {
		if at := plan.Next(time.Time{}); !at.IsZero() {
			d.Last, d.Next = time.Time{}, at
			return false
		}
	}
	d.Last, d.Next = time.Time{}, now.Truncate(time.Millisecond)
	return true
}

// scheduleEnded is the reason for stopping a job that has fired for the last time.
const scheduleEnded = "the schedule has ended"

// advance moves the trigger times to the first due time after from. A schedule without one stops
// the job, with both times zero as upstream has them.
func advance(d *xxladapter.Decision, plan cron.Plan, from time.Time) {
	next := plan.Next(from)
	switch {
	case next.IsZero():
		d.Last, d.Next, d.Stop, d.Reason = time.Time{}, time.Time{}, true, scheduleEnded
	case !next.After(d.Next):
		// A plan that stands still would be decided again and again.
		d.Last, d.Next, d.Stop = time.Time{}, time.Time{}, true
		d.Reason = fmt.Sprintf("the schedule does not move on from %v", from)
	default:
		d.Last, d.Next = d.Next, next
	}
}

func scheduledFire(jobID int64, due time.Time, t xxladapter.TriggerType) xxladapter.Fire {
	return xxladapter.Fire{JobID: jobID, Due: due, Type: t, State: xxladapter.FirePlanned, RetryCount: -1}
}

// stop returns the decision for a job whose schedule cannot be read.
func stop(j *xxladapter.Job, reason string) xxladapter.Decision {
	return xxladapter.Decision{JobID: j.ID, Stop: true, Reason: reason}
}

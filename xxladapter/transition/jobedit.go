package transition

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// JobRows holds the rows on which an edit of a job depends.
//
// REQUIRES: nobody else changes the job, its group, or the claims of its fires.
type JobRows struct {
	Job   *xxladapter.Job // as it is stored; nil if there is none
	Group bool            // whether the group of the edit's job exists
	// LastDue is the latest due time of an open fire of type CRON, and Claimed the latest due time
	// of a fire of the schedule that is claimed or ambiguous. Zero means none. [EditJob] needs
	// LastDue for ActStart alone, and Claimed for ActReschedule alone.
	LastDue, Claimed time.Time
}

// A JobChange is the effect of an edit.
type JobChange struct {
	Was *xxladapter.Job // nil for a new job
	Is  *xxladapter.Job // nil for a removed job; a new one has no ID yet
	// Next is what StartJob returns.
	Next time.Time
	// Unchanged says that nothing is to be written, not even an audit row.
	Unchanged bool
	// Glue says that Is has a new version of the source.
	Glue bool
	// Drop says that the planned fires of the old schedule are deleted.
	Drop bool
}

// EditJob decides an edit of one job. now is the time of the store's clock.
func EditJob(e *xxladapter.JobEdit, rows JobRows, now time.Time) (JobChange, error) {
	was := rows.Job
	if e.Act != xxladapter.ActCreate && was == nil {
		return JobChange{}, xxladapter.Absent("job", e.Job.ID)
	}
	switch e.Act {
	case xxladapter.ActCreate:
		return createJob(e.Job, rows, now)
	case xxladapter.ActUpdate, xxladapter.ActReschedule:
		return updateJob(e, rows, now)
	case xxladapter.ActStart:
		return startJob(e, rows, now)
	case xxladapter.ActStop:
		return stopJob(e, was, now)
	}
	return JobChange{Was: was}, nil // ActRemove
}

func createJob(j *xxladapter.Job, rows JobRows, now time.Time) (JobChange, error) {
	if !rows.Group {
		return JobChange{}, noGroup(j.GroupID)
	}
	is, at := copyOf(j), now.Truncate(time.Second)
	is.ID, is.Running = 0, false
	is.TriggerLast, is.TriggerNext = time.Time{}, time.Time{}
	is.Added, is.Updated, is.GlueUpdated = at, at, at
	return JobChange{Is: is}, nil
}

func updateJob(e *xxladapter.JobEdit, rows JobRows, now time.Time) (JobChange, error) {
	was, j := rows.Job, e.Job
	if err := checkSeen(was, j.Updated); err != nil {
		return JobChange{}, err
	}
	if !rows.Group {
		return JobChange{}, noGroup(j.GroupID)
	}
	is := copyOf(j)
	is.Running, is.TriggerLast, is.TriggerNext, is.Added = was.Running, was.TriggerLast, was.TriggerNext, was.Added
	is.Updated = xxladapter.TouchedAt(now, was.Updated)
	c := JobChange{Was: was, Is: is, Glue: j.GlueUpdated.IsZero()}
	if c.Glue {
		is.GlueUpdated = xxladapter.TouchedAt(now, was.GlueUpdated) // executors tell versions apart only by this
	} else {
		is.GlueType, is.GlueSource, is.GlueRemark, is.GlueUpdated = was.GlueType, was.GlueSource, was.GlueRemark,
			was.GlueUpdated
	}
	if e.Act == xxladapter.ActReschedule {
		is.TriggerNext = wholeMilli(j.TriggerNext)
		if !is.TriggerNext.After(wholeMilli(now)) || !rows.Claimed.IsZero() && !rows.Claimed.Before(is.TriggerNext) {
			return JobChange{}, xxladapter.Conflictf(errorrule.MayHaveFired,
				"job %d cannot continue from %s, which may have fired",
				j.ID, j.TriggerNext.Format(time.RFC3339Nano))
		}
		c.Drop = true
	}
	return c, nil
}

func startJob(e *xxladapter.JobEdit, rows JobRows, now time.Time) (JobChange, error) {
	was := rows.Job
	if was.Running {
		return JobChange{Was: was, Is: was, Next: was.TriggerNext, Unchanged: true}, nil
	}
	if err := checkSeen(was, e.Job.Updated); err != nil {
		return JobChange{}, err
	}
	after := now
	if rows.LastDue.After(after) {
		after = rows.LastDue
	}
	next := wholeMilli(e.First(after))
	if next.IsZero() {
		return JobChange{Was: was, Is: was, Unchanged: true}, nil
	}
	is := copyOf(was)
	is.Running, is.TriggerLast, is.TriggerNext = true, time.Time{}, next
	is.Updated = xxladapter.TouchedAt(now, was.Updated)
	return JobChange{Was: was, Is: is, Next: next}, nil
}

func stopJob(e *xxladapter.JobEdit, was *xxladapter.Job, now time.Time) (JobChange, error) {
	is := copyOf(was)
	if was.Running {
		if err := checkSeen(was, e.Job.Updated); err != nil {
			return JobChange{}, err
		}
		is.Updated = xxladapter.TouchedAt(now, was.Updated)
	}
	is.Running, is.TriggerLast, is.TriggerNext = false, time.Time{}, time.Time{}
	return JobChange{Was: was, Is: is, Drop: true}, nil
}

// checkSeen returns an error if the job was changed since the caller saw it.
func checkSeen(j *xxladapter.Job, seen time.Time) error {
	if seen.IsZero() || seen.Equal(j.Updated) {
		return nil
	}
	return xxladapter.Conflictf(errorrule.Changed, "job %d was changed meanwhile", j.ID)
}

func noGroup(id int64) error {
	return xxladapter.Absent("group", id)
}

func copyOf(j *xxladapter.Job) *xxladapter.Job {
	c := *j
	c.ChildIDs = nil
	if len(j.ChildIDs) > 0 {
		c.ChildIDs = slices.Clone(j.ChildIDs)
	}
	c.SetTags(j.Tags)
	return &c
}

// wholeMilli truncates t to milliseconds, as stores keep due times.
func wholeMilli(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

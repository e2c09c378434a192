package transition

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// DeclareJob decides what a declared job changes. rows.Claimed is needed for each job that exists,
// and rows.LastDue is not. now is the time of the store's clock.
func DeclareJob(d *xxladapter.DeclaredJob, rows JobRows, now time.Time) (JobChange, error) {
	c, err := declareFields(d, rows, now)
	if err != nil {
		return JobChange{}, err
	}
	switches := d.Switch && d.Running != c.Is.Running
	continues := d.Reschedule && c.Is.Running && !switches
	if !switches && !continues {
		return c, nil
	}
	if switches {
		c.Is.Running, c.Is.TriggerLast, c.Is.TriggerNext = d.Running, time.Time{}, time.Time{}
		if c.Unchanged {
			c.Is.Updated = xxladapter.TouchedAt(now, c.Is.Updated)
		}
	}
	c.Unchanged, c.Drop = false, c.Was != nil
	if !c.Is.Running {
		return c, nil
	}
	after := now
	if rows.Claimed.After(after) {
		after = rows.Claimed // by a node whose clock is ahead
	}
	next, err := d.First(after)
	c.Is.TriggerNext, c.Next = wholeMilli(next), wholeMilli(next)
	return c, err
}

// declareFields decides about all but the schedule.
func declareFields(d *xxladapter.DeclaredJob, rows JobRows, now time.Time) (JobChange, error) {
	switch {
	case d.ID == 0:
		return createJob(&d.Job, rows, now)
	case rows.Job == nil:
		return JobChange{}, xxladapter.Absent("job", d.ID)
	case d.Edit:
		return updateJob(&xxladapter.JobEdit{Act: xxladapter.ActUpdate, Job: &d.Job}, rows, now)
	}
	err := checkSeen(rows.Job, d.Updated)
	return JobChange{Was: rows.Job, Is: copyOf(rows.Job), Unchanged: true}, err
}

// RemoveSeen decides the removal of a job. The error is a conflict if the job was changed since the
// caller read it.
func RemoveSeen(gone xxladapter.SeenJob, was *xxladapter.Job) (JobChange, error) {
	if was == nil {
		return JobChange{}, xxladapter.Absent("job", gone.ID)
	}
	return JobChange{Was: was}, checkSeen(was, gone.Updated)
}

package xxladapter

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A JobAct is what a [JobEdit] does: the same as the function of that name.
type JobAct string

// The acts. ActReschedule is [UpdateJob] with reschedule.
const (
	ActCreate     JobAct = "create"
	ActUpdate     JobAct = "update"
	ActReschedule JobAct = "reschedule"
	ActStart      JobAct = "start"
	ActStop       JobAct = "stop"
	ActRemove     JobAct = "remove"
)

// Values lists all acts.
func (JobAct) Values() []JobAct {
	return []JobAct{ActCreate, ActUpdate, ActReschedule, ActStart, ActStop, ActRemove}
}

// ActOfUpdate returns the act of [UpdateJob].
func ActOfUpdate(reschedule bool) JobAct {
	if reschedule {
		return ActReschedule
	}
	return ActUpdate
}

// A JobEdit is one of many edits that are made together.
type JobEdit struct {
	Act JobAct
	// Job is the job to create or to update. For a start, a stop or a removal only its ID counts
	// and, for a start or a stop, Updated: the value that the caller has read, or zero to skip the
	// check.
	//
	// In edits that are made as a whole, ChildIDs of a job to create or to update may contain -n,
	// which stands for the job that the n-th edit creates; 1 is the first edit.
	Job *Job
	// First returns the first due time of a start, see [StartJob]. Other acts ignore it.
	First func(after time.Time) time.Time
}

// A JobEdited is the result of a [JobEdit].
type JobEdited struct {
	ID   int64     // id of the job, even of a created one; 0 if Err says that none was created
	Next time.Time // for a start, the due time that [StartJob] returns
	Err  error     // why the edit was refused, as the function of its act says; nil if it was made
}

// A JobEditStore is the part of [Store] that creates, changes and removes jobs and switches their
// schedules on and off. Many edits in one call cost a fraction of single ones.
type JobEditStore interface {
	// EditJobs makes the edits in one transaction, each as the function of its act says, with its
	// version and its audit row, and returns the result of each, in their order. An edit that is
	// refused changes nothing, and the others are made. With whole, no edit is made if any is
	// refused, and EditJobs returns the error of the first refused one.
	//
	// The error has [CodeInvalid] if two edits are about the same job, or if ChildIDs contains -n
	// where that has no meaning.
	//
	// REQUIRES: Job is set, and First for a start.
	EditJobs(ctx context.Context, edits []JobEdit, whole bool) ([]JobEdited, error)
}

// ID returns the id of the job that the edit is about; 0 if it creates one.
func (e *JobEdit) ID() int64 {
	if e.Act == ActCreate {
		return 0
	}
	return e.Job.ID
}

// Stores reports whether the edit stores the fields of Job.
func (e *JobEdit) Stores() bool {
	return e.Act == ActCreate || e.Act == ActUpdate || e.Act == ActReschedule
}

// CheckJobEdits refuses edits that cannot be made together, as [JobEditStore] says.
func CheckJobEdits(edits []JobEdit, whole bool) error {
	about := make(map[int64]bool, len(edits))
	for i := range edits {
		e := &edits[i]
		if err := CheckOneOf("act", e.Act); err != nil {
			return Invalidf(errorrule.Nested, "edits[%[2]d].%[3]v", "act", i, err)
		}
		if id := e.ID(); id != 0 {
			if about[id] {
				return Invalidf(errorrule.EditedTwice, "edits[%d] is about job %d, must be the only edit of that job", i, id)
			}
			about[id] = true
		}
		if !e.Stores() {
			continue
		}
		for _, child := range e.Job.ChildIDs {
			if child < 0 && (!whole || child < -int64(len(edits)) || edits[-child-1].Act != ActCreate ||
				-child == int64(i)+1) {
				return Invalidf(errorrule.Child,
					"edits[%[3]d].%[1]s contains %[2]d, must be the id of a job, or -n where edit n "+
						"creates another job, if edits are made as a whole",
					"childJobIds", child, i)
			}
		}
	}
	return nil
}

// NamesCreated reports whether ChildIDs contains jobs that other edits create.
func (e *JobEdit) NamesCreated() bool {
	if e.Stores() {
		for _, child := range e.Job.ChildIDs {
			if child < 0 {
				return true
			}
		}
	}
	return false
}

// ChildrenOf returns ChildIDs with the ids of the jobs that the edits have created.
func ChildrenOf(children []int64, made []JobEdited) []int64 {
	named := make([]int64, len(children))
	for i, id := range children {
		if id < 0 {
			id = made[-id-1].ID
		}
		named[i] = id
	}
	return named
}

// The functions below make one edit each. Those that take the id of a job return [ErrNotFound] if
// there is none.

// CreateJob stores a new job and returns its id. The job is stopped, whatever Running says; ID, the
// trigger times, Added, Updated and GlueUpdated are ignored and set by the store. The error is
// [ErrNotFound] if the group does not exist.
func CreateJob(ctx context.Context, s JobEditStore, j *Job) (int64, error) {
	made, err := editJob(ctx, s, JobEdit{Act: ActCreate, Job: j})
	return made.ID, err
}

// UpdateJob stores what an operator edits, which is everything but Running, the trigger times,
// Added and the glue fields. With a zero GlueUpdated the other glue fields are stored too, as a new
// version, whose GlueUpdated is later than the one before; see [GlueStore]. With reschedule it also
// sets TriggerNext, and drops the planned fires of the old schedule. The open fires that remain
// move to the job's group.
//
// The error is [ErrNotFound] if the job or its group does not exist. It is [ErrConflict] if the job
// was changed since the caller read it, as its Updated shows unless that is zero; with reschedule
// also if TriggerNext is not after the store's clock, or a fire of the schedule with that due time
// or a later one was claimed: the old schedule may have sent it already.
func UpdateJob(ctx context.Context, s JobEditStore, j *Job, reschedule bool) error {
	_, err := editJob(ctx, s, JobEdit{Act: ActOfUpdate(reschedule), Job: j})
	return err
}

// StartJob switches the schedule on and returns the first due time. first returns that time, as
// Next of a cron.Plan does: the first one after the store's clock, or after the last due time that
// an open fire has, if that is later. It is called again if the transaction has to be repeated, and
// not at all if the job runs: the job is left as it is, and next is its TriggerNext. If first
// returns the zero time, so does StartJob, and the job stays off.
//
// seen is the job's Updated when the caller read it; the zero time skips the check. The error is
// [ErrConflict] if the job was changed since: a delayed call must not undo a later one.
func StartJob(
	ctx context.Context, s JobEditStore, id int64, seen time.Time, first func(after time.Time) time.Time,
) (next time.Time, err error) {
	made, err := editJob(ctx, s, JobEdit{Act: ActStart, Job: &Job{ID: id, Updated: seen}, First: first})
	return made.Next, err
}

// StopJob switches the schedule off, sets both trigger times to zero and drops the planned fires
// that came from the schedule. Once it has returned, none of them can be claimed. A stopped job is
// left as it is. seen is as for [StartJob].
func StopJob(ctx context.Context, s JobEditStore, id int64, seen time.Time) error {
	_, err := editJob(ctx, s, JobEdit{Act: ActStop, Job: &Job{ID: id, Updated: seen}})
	return err
}

// RemoveJob deletes the job with its planned fires, misfires, orders, glue versions and alarms. Its
// log rows, of which there may be millions, are deleted afterwards: see [LogPurge.Removed]. Until
// then they are listed, and results for them are stored.
func RemoveJob(ctx context.Context, s JobEditStore, id int64) error {
	_, err := editJob(ctx, s, JobEdit{Act: ActRemove, Job: &Job{ID: id}})
	return err
}

// editJob makes one edit.
func editJob(ctx context.Context, s JobEditStore, e JobEdit) (JobEdited, error) {
	made, err := s.EditJobs(ctx, []JobEdit{e}, true)
	if err != nil {
		return JobEdited{}, err
	}
	return made[0], nil
}

package xxladapter

import (
	"context"
	"time"
)

// A JobAct is what a [JobEdit] does: the same as the method of [JobStore] with that name.
type JobAct string

// The acts. ActReschedule is UpdateJob with reschedule.
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

// ActOfUpdate returns the act of UpdateJob.
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
	// First returns the first due time of a start, see [JobStore]. Other acts ignore it.
	First func(after time.Time) time.Time
}

// A JobEdited is the result of a [JobEdit].
type JobEdited struct {
	ID   int64     // id of the job, even of a created one; 0 if Err says that none was created
	Next time.Time // for a start, the due time that StartJob returns
	Err  error     // why the edit was refused, as the method of its act says; nil if it was made
}

// A JobEditStore is the part of [Store] that edits many jobs at once, for a fraction of the cost of
// single calls.
type JobEditStore interface {
	// EditJobs makes the edits in one transaction, each as the method of its act does, with its
	// version and its audit row, and returns the result of each, in their order. An edit that is
	// refused changes nothing, and the others are made. With whole, no edit is made if any is
	// refused, and EditJobs returns the error of the first refused one.
	//
	// The error has [CodeInvalid] if two edits are about the same job, or if ChildIDs contains -n
	// where that has no meaning.
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
		if err := checkOneOf("act", e.Act); err != nil {
			return Invalidf("edits[%d].%v", i, err)
		}
		if id := e.ID(); id != 0 {
			if about[id] {
				return Invalidf("edits[%d] is about job %d, must be the only edit of that job", i, id)
			}
			about[id] = true
		}
		if !e.Stores() {
			continue
		}
		for _, child := range e.Job.ChildIDs {
			if child < 0 && (!whole || -child > int64(len(edits)) || edits[-child-1].Act != ActCreate || -child == int64(i)+1) {
				return Invalidf("edits[%d].childJobIds contains %d, must be the id of a job, or -n where edit n of a whole creates another job", i, child)
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

// SingleEdits are the methods of [JobStore] that make one edit, for stores that embed it. Each is
// an edit of Store, so that one rule decides single edits and many.
type SingleEdits struct {
	Store JobEditStore
}

// CreateJob implements [JobStore].
func (s SingleEdits) CreateJob(ctx context.Context, j *Job) (int64, error) {
	made, err := s.edit(ctx, JobEdit{Act: ActCreate, Job: j})
	return made.ID, err
}

// UpdateJob implements [JobStore].
func (s SingleEdits) UpdateJob(ctx context.Context, j *Job, reschedule bool) error {
	_, err := s.edit(ctx, JobEdit{Act: ActOfUpdate(reschedule), Job: j})
	return err
}

// StartJob implements [JobStore].
func (s SingleEdits) StartJob(ctx context.Context, id int64, seen time.Time, first func(time.Time) time.Time) (time.Time, error) {
	made, err := s.edit(ctx, JobEdit{Act: ActStart, Job: &Job{ID: id, Updated: seen}, First: first})
	return made.Next, err
}

// StopJob implements [JobStore].
func (s SingleEdits) StopJob(ctx context.Context, id int64, seen time.Time) error {
	_, err := s.edit(ctx, JobEdit{Act: ActStop, Job: &Job{ID: id, Updated: seen}})
	return err
}

// RemoveJob implements [JobStore].
func (s SingleEdits) RemoveJob(ctx context.Context, id int64) error {
	_, err := s.edit(ctx, JobEdit{Act: ActRemove, Job: &Job{ID: id}})
	return err
}

// edit makes one edit.
func (s SingleEdits) edit(ctx context.Context, e JobEdit) (JobEdited, error) {
	made, err := s.Store.EditJobs(ctx, []JobEdit{e}, true)
	if err != nil {
		return JobEdited{}, err
	}
	return made[0], nil
}

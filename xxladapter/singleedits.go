package xxladapter

import (
	"context"
	"time"
)

// SingleEdits are the methods of [JobStore] that make one edit, for stores that embed it. Each is an
// edit of Store, so that one rule decides single edits and many.
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

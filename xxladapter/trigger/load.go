package trigger

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// load reads a job and its group, at the same time where the group is known
// from an earlier hand-over. A group that is gone comes without addresses: what is
// to be sent there fails, and says so. The error is [xxladapter.ErrNotFound] if
// the job is gone.
func (h *HandOver) load(ctx context.Context, jobID int64) (*xxladapter.Job, *xxladapter.Group, error) {
	expected := h.groupOf(jobID)
	var early chan groupRead
	if expected > 0 {
		early = make(chan groupRead, 1) // nobody may be there to take it
		go func() { early <- h.readGroup(ctx, expected) }()
	}
	job, err := h.store.Job(ctx, jobID)
	if err != nil {
		return nil, nil, fmt.Errorf("load job %d: %w", jobID, err)
	}
	var read groupRead
	if job.GroupID == expected && early != nil {
		read = <-early
	} else { // not known, or the job has moved
		read = h.readGroup(ctx, job.GroupID)
	}
	return job, read.group, read.err
}

// A groupRead is what came of reading a group.
type groupRead struct {
	group *xxladapter.Group
	err   error
}

func (h *HandOver) readGroup(ctx context.Context, id int64) groupRead {
	group, err := h.store.Group(ctx, id)
	switch {
	case errors.Is(err, xxladapter.ErrNotFound):
		return groupRead{group: &xxladapter.Group{ID: id}}
	case err != nil:
		return groupRead{err: fmt.Errorf("load group %d: %w", id, err)}
	}
	return groupRead{group: group}
}

package trigger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// load reads the job of a fire and the job's group, in parallel if the fire was planned with that
// group. A group that is gone is returned without addresses: the send fails and says so. The run
// has no log row yet. The error is [xxladapter.ErrNotFound] if the job is gone.
func (h *HandOver) load(ctx context.Context, f xxladapter.Fire) (*run, error) {
	var expected groupRead
	var early sync.WaitGroup
	if f.GroupID > 0 {
		early.Go(func() {
			if err := recovered(func() error { expected = h.readGroup(ctx, f.GroupID); return nil }); err != nil {
				expected = groupRead{err: err}
			}
		})
	}
	job, err := h.opts.Store.Job(ctx, f.JobID)
	early.Wait()
	if err != nil {
		return nil, fmt.Errorf("load job %d: %w", f.JobID, err)
	}
	read := expected
	if f.GroupID <= 0 || job.GroupID != f.GroupID {
		read = h.readGroup(ctx, job.GroupID)
	}
	if read.err != nil {
		return nil, read.err
	}
	return &run{HandOver: h, fire: f, job: job, group: read.group}, nil
}

// A groupRead holds the result of reading a group.
type groupRead struct {
	group *xxladapter.Group
	err   error
}

func (h *HandOver) readGroup(ctx context.Context, id int64) groupRead {
	group, err := h.opts.Store.Group(ctx, id)
	switch {
	case errors.Is(err, xxladapter.ErrNotFound):
		return groupRead{group: &xxladapter.Group{ID: id}}
	case err != nil:
		return groupRead{err: fmt.Errorf("load group %d: %w", id, err)}
	}
	return groupRead{group: group}
}

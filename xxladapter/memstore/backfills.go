package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// CreateBackfill implements [xxladapter.Store].
func (s *Store) CreateBackfill(ctx context.Context, b *xxladapter.Backfill) (int64, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	if err := xxladapter.CheckOverride(b.Param); err != nil {
		return 0, err
	}
	if s.jobs[b.JobID] == nil {
		return 0, noJob(b.JobID)
	}
	if s.backfilling(b.JobID) {
		return 0, xxladapter.Conflictf(errorrule.BackfillRunning,
			"a backfill of job %d is running, must end or be cancelled first",
			b.JobID)
	}
	s.lastBackfill++
	is := xxladapter.NewBackfill(copyBackfill(b), s.lastBackfill, s.clock())
	s.backfills[is.ID] = is
	s.record(ctx, s.auditedJob(is.JobID), nil, is.Fields())
	return is.ID, nil
}

// backfilling reports whether a backfill of the job is running.
func (s *Store) backfilling(jobID int64) bool {
	for _, b := range s.backfills {
		if b.JobID == jobID && b.State == xxladapter.BackfillRunning {
			return true
		}
	}
	return false
}

// AdvanceBackfill implements [xxladapter.Store].
func (s *Store) AdvanceBackfill(ctx context.Context, b *xxladapter.Backfill) (planned []xxladapter.Fire, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	is := s.backfills[b.ID]
	if is == nil {
		return nil, noBackfill(b.ID)
	}
	if err := is.Advance(b); err != nil {
		return nil, err
	}
	for range is.Wants() {
		due := is.Dues[is.Planned]
		f := is.Fire(due)
		if len(s.firesAt[keyOf(&f)]) > 0 {
			break
		}
		f = s.plan(f)
		s.lastOrder++
		s.orders[s.lastOrder] = &xxladapter.Order{
			ID: s.lastOrder, JobID: is.JobID, FireID: f.ID, Created: toMilli(s.clock()),
		}
		is.HasPlanned(due, s.lastOrder)
		planned = append(planned, f)
	}
	is.Settle(s.clock())
	return planned, nil
}

// CancelBackfill implements [xxladapter.Store].
func (s *Store) CancelBackfill(ctx context.Context, id int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	is := s.backfills[id]
	if is == nil {
		return noBackfill(id)
	}
	if err := is.Cancel(s.clock()); err != nil {
		return err
	}
	s.dropPlanned(is.JobID, func(t xxladapter.TriggerType) bool { return t == xxladapter.TriggerBackfill })
	s.record(
		ctx, s.auditedJob(is.JobID), nil,
		xxladapter.Fields{{Name: "backfill", Value: is.ID}, {Name: "cancelled", Value: true}},
	)
	return nil
}

// Backfill implements [xxladapter.Store].
func (s *Store) Backfill(ctx context.Context, id int64) (*xxladapter.Backfill, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if b := s.backfills[id]; b != nil {
		return copyBackfill(b), nil
	}
	return nil, noBackfill(id)
}

// Backfills implements [xxladapter.Store].
func (s *Store) Backfills(ctx context.Context, f xxladapter.BackfillFilter) (found []*xxladapter.Backfill, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(s.backfills))) {
		b := s.backfills[id]
		switch {
		case f.JobID != 0 && b.JobID != f.JobID,
			f.Groups != nil && !s.jobIn(b.JobID, f.Groups),
			f.State != "" && b.State != f.State,
			f.Before != 0 && b.ID >= f.Before:
			continue
		}
		c := copyBackfill(b)
		c.Dues = nil
		if found = append(found, c); len(found) == f.Limit {
			break
		}
	}
	return found, nil
}

func copyBackfill(b *xxladapter.Backfill) *xxladapter.Backfill {
	c := *b
	c.Dues, c.Open = list(b.Dues), list(b.Open)
	if b.Param != nil {
		c.Param = new(*b.Param)
	}
	for i, due := range c.Dues {
		c.Dues[i] = toMilli(due)
	}
	return &c
}

func noBackfill(id int64) error {
	return xxladapter.Absent("backfill", id)
}

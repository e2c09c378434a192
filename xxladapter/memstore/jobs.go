package memstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// EditJobs implements [xxladapter.Store]. No edit depends on another one of the same call, so all
// are decided before the first is made.
func (s *Store) EditJobs(ctx context.Context, edits []xxladapter.JobEdit, whole bool) ([]xxladapter.JobEdited, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if err := xxladapter.CheckJobEdits(edits, whole); err != nil {
		return nil, err
	}

	made, changes := make([]xxladapter.JobEdited, len(edits)), make([]transition.JobChange, len(edits))
	for i := range edits {
		e, m := &edits[i], &made[i]
		m.ID = e.ID()
		changes[i], m.Err = transition.EditJob(e, s.rowsOf(e), s.clock())
		m.Next = changes[i].Next
		switch {
		case m.Err != nil && whole:
			return nil, m.Err
		case m.Err == nil && e.Act == xxladapter.ActCreate:
			s.lastJob++ // an id may stay unused
			m.ID = s.lastJob
			changes[i].Is.ID = m.ID
		}
	}
	for i := range edits {
		if made[i].Err == nil {
			if edits[i].NamesCreated() {
				changes[i].Is.ChildIDs = xxladapter.ChildrenOf(changes[i].Is.ChildIDs, made)
			}
			s.carryOut(ctx, changes[i])
		}
	}
	return made, nil
}

// rowsOf returns the rows on which the edit depends.
func (s *Store) rowsOf(e *xxladapter.JobEdit) transition.JobRows {
	rows := transition.JobRows{Group: s.groups[e.Job.GroupID] != nil}
	if id := e.ID(); id != 0 && s.jobs[id] != nil {
		rows.Job = copyJob(s.jobs[id])
	}
	for _, f := range s.fires {
		if rows.Job == nil || f.JobID != rows.Job.ID {
			continue
		}
		if f.Type == xxladapter.TriggerCron {
			rows.LastDue = later(rows.LastDue, f.Due)
		}
		if f.State != xxladapter.FirePlanned && f.Type.Scheduled() {
			rows.Claimed = later(rows.Claimed, f.Due)
		}
	}
	return rows
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (s *Store) carryOut(ctx context.Context, c transition.JobChange) {
	switch {
	case c.Unchanged:
		return
	case c.Is == nil:
		s.remove(ctx, c.Was)
		return
	}
	s.write(c)
	s.recordJob(ctx, c.Was, c.Is)
}

// write stores the job of a change.
func (s *Store) write(c transition.JobChange) {
	if c.Glue {
		s.keepGlue(c.Was, c.Is)
	}
	if c.Drop {
		s.dropPlanned(c.Is.ID, xxladapter.TriggerType.Scheduled)
	}
	s.jobs[c.Is.ID] = c.Is
	for _, f := range s.fires {
		if f.JobID == c.Is.ID {
			f.GroupID = c.Is.GroupID
		}
	}
	s.moveKey(c.Is)
}

func (s *Store) remove(ctx context.Context, j *xxladapter.Job) {
	id := j.ID
	delete(s.jobs, id)
	delete(s.glue, id)
	delete(s.versions, id)
	delete(s.keys, id)
	maps.DeleteFunc(s.orders, func(_ int64, o *xxladapter.Order) bool { return o.JobID == id })
	maps.DeleteFunc(s.backfills, func(_ int64, b *xxladapter.Backfill) bool { return b.JobID == id })
	s.dropPlanned(id, func(xxladapter.TriggerType) bool { return true })
	s.misfires = slices.DeleteFunc(s.misfires, func(m xxladapter.Misfire) bool { return m.JobID == id })
	s.removed[id] = -s.clock().UnixMilli()
	if len(s.logs) > 0 {
		s.removed[id] = slices.Max(slices.Collect(maps.Keys(s.logs)))
	}
	s.forgetAlarms(id)
	s.record(ctx, j.Audited(), j.Fields(), nil)
}

func (s *Store) forgetAlarms(jobID int64) {
	delete(s.alarms, jobID)
	maps.DeleteFunc(s.claims, func(_ claimKey, c *xxladapter.AlarmClaim) bool { return c.JobID == jobID })
}

// Job implements [xxladapter.Store].
func (s *Store) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	if j := s.jobs[id]; j != nil {
		return copyJob(j), nil
	}
	return nil, noJob(id)
}

func noJob(id int64) error {
	return xxladapter.Absent("job", id)
}

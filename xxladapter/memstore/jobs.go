package memstore

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// CreateJob implements [xxladapter.Store].
func (s *Store) CreateJob(ctx context.Context, j *xxladapter.Job) (int64, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()

	if s.groups[j.GroupID] == nil {
		return 0, noGroup(j.GroupID)
	}
	now := toSecond(s.clock())
	s.lastJob++
	c := copyJob(j)
	c.ID = s.lastJob
	c.Running = false
	c.TriggerLast, c.TriggerNext = time.Time{}, time.Time{}
	c.Added, c.Updated, c.GlueUpdated = now, now, now
	s.jobs[c.ID] = c
	return c.ID, nil
}

// UpdateJob implements [xxladapter.Store].
func (s *Store) UpdateJob(ctx context.Context, j *xxladapter.Job, reschedule bool) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	old := s.jobs[j.ID]
	if old == nil {
		return noJob(j.ID)
	}
	if !j.Updated.IsZero() && !j.Updated.Equal(old.Updated) {
		return changedSince(j.ID)
	}
	if s.groups[j.GroupID] == nil {
		return noGroup(j.GroupID)
	}
	if reschedule && s.mayHaveFired(j.ID, toMilli(j.TriggerNext)) {
		return xxladapter.Conflictf("job %d cannot continue from %s, which may have fired", j.ID, j.TriggerNext.Format(time.RFC3339Nano))
	}
	c := copyJob(j)
	c.Running = old.Running
	c.TriggerLast, c.TriggerNext = old.TriggerLast, old.TriggerNext
	c.Added = old.Added
	if j.GlueUpdated.IsZero() {
		s.saveGlue(old, c)
	} else {
		c.GlueType, c.GlueSource = old.GlueType, old.GlueSource
		c.GlueRemark, c.GlueUpdated = old.GlueRemark, old.GlueUpdated
	}
	c.Updated = xxladapter.TouchedAt(s.clock(), old.Updated)
	if reschedule {
		c.TriggerNext = toMilli(j.TriggerNext)
		s.dropPlanned(j.ID, xxladapter.TriggerType.Scheduled)
	}
	s.jobs[j.ID] = c
	for _, f := range s.fires {
		if f.JobID == j.ID {
			f.GroupID = j.GroupID
		}
	}
	return nil
}

// StartJob implements [xxladapter.Store].
func (s *Store) StartJob(ctx context.Context, id int64, seen time.Time, first func(time.Time) time.Time) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.mu.Unlock()

	j := s.jobs[id]
	switch {
	case j == nil:
		return time.Time{}, noJob(id)
	case j.Running:
		return j.TriggerNext, nil
	case !seen.IsZero() && !seen.Equal(j.Updated):
		return time.Time{}, changedSince(id)
	}
	after := s.clock()
	for _, f := range s.fires {
		if f.JobID == id && f.Type == xxladapter.TriggerCron && f.Due.After(after) {
			after = f.Due
		}
	}
	next := toMilli(first(after))
	if next.IsZero() {
		return next, nil
	}
	j.Running = true
	j.TriggerLast, j.TriggerNext = time.Time{}, next
	j.Updated = xxladapter.TouchedAt(s.clock(), j.Updated)
	return next, nil
}

// StopJob implements [xxladapter.Store].
func (s *Store) StopJob(ctx context.Context, id int64, seen time.Time) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	j := s.jobs[id]
	if j == nil {
		return noJob(id)
	}
	if j.Running {
		if !seen.IsZero() && !seen.Equal(j.Updated) {
			return changedSince(id)
		}
		j.Updated = xxladapter.TouchedAt(s.clock(), j.Updated)
	}
	j.Running = false
	j.TriggerLast, j.TriggerNext = time.Time{}, time.Time{}
	s.dropPlanned(id, xxladapter.TriggerType.Scheduled)
	return nil
}

// RemoveJob implements [xxladapter.Store].
func (s *Store) RemoveJob(ctx context.Context, id int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	if s.jobs[id] == nil {
		return noJob(id)
	}
	delete(s.jobs, id)
	delete(s.glue, id)
	maps.DeleteFunc(s.orders, func(_ int64, o *xxladapter.Order) bool { return o.JobID == id })
	s.dropPlanned(id, func(xxladapter.TriggerType) bool { return true })
	s.misfires = slices.DeleteFunc(s.misfires, func(m xxladapter.Misfire) bool { return m.JobID == id })
	if len(s.logs) > 0 {
		s.removed[id] = slices.Max(slices.Collect(maps.Keys(s.logs)))
	}
	s.forgetAlarms(id)
	return nil
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

// Jobs implements [xxladapter.Store].
func (s *Store) Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []*xxladapter.Job
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		j := s.jobs[id]
		switch {
		case f.GroupID != 0 && j.GroupID != f.GroupID,
			!strings.Contains(j.Name, f.Name),
			f.Running != nil && j.Running != *f.Running,
			f.Waiting && !j.Waits(),
			f.KeepLogs != "" && j.Settings.KeepLogs != f.KeepLogs,
			id <= f.AfterID:
			continue
		}
		found = append(found, copyJob(j))
		if f.Limit > 0 && len(found) == f.Limit {
			break
		}
	}
	return found, nil
}

func noJob(id int64) error { return xxladapter.NotFoundf("job %d does not exist", id) }

func changedSince(id int64) error { return xxladapter.Conflictf("job %d was changed meanwhile", id) }

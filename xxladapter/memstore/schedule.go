package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ClaimDue implements [xxladapter.Store]. decide runs with the store locked, so it must not call
// the store.
func (s *Store) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {

	if err := s.enter(ctx); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()

	if err := s.fence(by); err != nil {
		return nil, 0, err
	}
	now := s.clock()
	due := s.due(s.partitionsOf(by.Node), now.Add(ahead), now.Add(ahead/5), limit)
	if len(due) == 0 {
		return nil, 0, nil
	}
	restrictions := s.restrictions(now)
	claimed := make(map[int64]*xxladapter.Job, len(due))
	shown := make([]*xxladapter.Job, len(due)) // decide may modify what it gets
	for i, j := range due {
		claimed[j.ID] = j
		shown[i] = copyJob(j)
		shown[i].Restrictions = restrictions
	}

	var planned []xxladapter.Fire
	for _, d := range decide(now, shown) {
		j := claimed[d.JobID]
		if j == nil {
			continue
		}
		delete(claimed, d.JobID)
		j.TriggerLast, j.TriggerNext = toMilli(d.Last), toMilli(d.Next)
		j.Running = !d.Stop
		if d.Stop {
			s.audit = append(s.audit, xxladapter.NewStopRow(s.auditLast(), now, by.Node, d.Reason, j.Audited()))
		}
		for _, f := range d.Fires {
			f.JobID = d.JobID
			if f, ok := s.planDue(f); ok {
				planned = append(planned, f)
			}
		}
		for _, m := range d.Misfires {
			m.JobID = d.JobID
			s.addMisfire(m)
		}
	}
	return planned, len(due), nil
}

// addMisfire stores a misfire. All misfires of a job in one pause are stored as one.
func (s *Store) addMisfire(m xxladapter.Misfire) {
	m.Due, m.Until, m.At = toMilli(m.Due), toMilli(m.Until), toMilli(m.At)
	for i := range s.misfires {
		if known := &s.misfires[i]; m.PauseID != 0 && known.PauseID == m.PauseID && known.JobID == m.JobID {
			known.At = m.At
			if m.Until.After(known.Until) {
				known.Until = m.Until
			}
			return
		}
	}
	s.lastMisfire++
	m.ID = s.lastMisfire
	s.misfires = append(s.misfires, m)
}

// due returns up to limit running jobs that are not behind, earliest first: jobs of the partitions
// whose next trigger time is at most until. A node with partitions also gets jobs of other
// partitions whose next trigger time is before orphaned, because their owner is gone or late.
func (s *Store) due(partitions xxladapter.PartitionSet, until, orphaned time.Time, limit int) []*xxladapter.Job {
	behind := s.behind(s.clock())
	orphaned = toMilli(orphaned)
	var due []*xxladapter.Job
	for _, j := range s.jobs {
		ours := partitions.HasJob(j.ID) || partitions != 0 && j.TriggerNext.Before(orphaned)
		if j.Running && !behind[j.ID] && !j.TriggerNext.After(until) && ours {
			due = append(due, j)
		}
	}
	slices.SortFunc(due, func(a, b *xxladapter.Job) int {
		return cmp.Or(a.TriggerNext.Compare(b.TriggerNext), cmp.Compare(a.ID, b.ID))
	})
	return due[:min(max(limit, 0), len(due))]
}

// behind returns the jobs with a planned fire of their schedule that has been due for too long at
// now.
func (s *Store) behind(now time.Time) map[int64]bool {
	before := toMilli(now.Add(-xxladapter.BehindAfter))
	behind := map[int64]bool{}
	for _, f := range s.fires {
		if f.State == xxladapter.FirePlanned && f.Type.Scheduled() && f.Due.Before(before) {
			behind[f.JobID] = true
		}
	}
	return behind
}

// planDue plans a fire that a scan decided on, unless the schedule's fire of that due time was
// planned before. A fire of another type at the due time does not replace it.
func (s *Store) planDue(f xxladapter.Fire) (xxladapter.Fire, bool) {
	f.Due = toMilli(f.Due)
	for _, other := range s.firesAt[keyOf(&f)] {
		if f.Type == xxladapter.TriggerCron && other.Type == xxladapter.TriggerCron {
			return xxladapter.Fire{}, false
		}
	}
	return s.plan(f), true
}

// PurgeMisfires implements [xxladapter.Store].
func (s *Store) PurgeMisfires(ctx context.Context, before time.Time, limit int) (deleted int, err error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	s.misfires = slices.DeleteFunc(s.misfires, func(m xxladapter.Misfire) bool {
		old := deleted < limit && m.At.Before(before)
		if old {
			deleted++
		}
		return old
	})
	return deleted, nil
}

// Misfires implements [xxladapter.Store].
func (s *Store) Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.Misfire
	for _, m := range s.misfires {
		behind := m.ID > f.AfterID
		if f.Newest {
			behind = f.AfterID == 0 || m.ID < f.AfterID
		}
		in := !m.Until.Before(f.From) && (f.To.IsZero() || m.Due.Before(f.To))
		if behind && in && (f.JobID == 0 || m.JobID == f.JobID) {
			found = append(found, m)
		}
	}
	if f.Newest {
		slices.Reverse(found)
	}
	if f.Limit > 0 {
		found = found[:min(f.Limit, len(found))]
	}
	return found, nil
}

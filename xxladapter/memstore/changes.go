package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Marks implements [xxladapter.Store].
func (s *Store) Marks(ctx context.Context) (xxladapter.Marks, error) {
	if err := s.enter(ctx); err != nil {
		return xxladapter.Marks{}, err
	}
	defer s.mu.Unlock()

	var m xxladapter.Marks
	for id, l := range s.logs {
		m.Run = max(m.Run, id)
		if l.Status() != xxladapter.LogRunning {
			m.Ended++
		}
	}
	m.Ended += int64(len(s.gone))
	if n := len(s.misfires); n > 0 {
		m.Misfire = s.misfires[n-1].ID
	}
	for id := range s.removed {
		m.Removed += 1 + id
	}
	for _, g := range s.groups {
		m.Groups.Count++
		for _, addr := range g.Addresses {
			m.Groups.Sum += int64(len(addr))
		}
		for _, d := range g.Drains {
			m.Groups.Sum += int64(len(d.Address) + len(d.Note))
		}
		if g.Updated.After(m.Groups.Updated) {
			m.Groups.Updated = g.Updated
		}
	}
	now := toMilli(s.clock())
	for _, l := range s.leases {
		if now.Before(l.until) {
			m.Nodes.Count++
			m.Nodes.Sum += l.number
		}
	}
	for _, p := range s.pauses {
		if p.HoldsAt(now) {
			m.Pauses.Count++
			m.Pauses.Sum += p.ID
		}
	}
	return m, nil
}

// ChangedJobs implements [xxladapter.Store].
func (s *Store) ChangedJobs(ctx context.Context, since time.Time, limit int) ([]xxladapter.JobMark, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.JobMark
	for id, j := range s.jobs {
		if !j.Updated.Before(since.Truncate(time.Second)) {
			found = append(found, xxladapter.JobMark{ID: id, GroupID: j.GroupID, Updated: j.Updated})
		}
	}
	slices.SortFunc(found, func(a, b xxladapter.JobMark) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return found[:min(len(found), limit)], nil
}

// NewRuns implements [xxladapter.Store].
func (s *Store) NewRuns(ctx context.Context, after int64, limit int) ([]xxladapter.RunMark, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.RunMark
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		if id > after && len(found) < limit {
			found = append(found, markOf(s.logs[id]))
		}
	}
	return found, nil
}

// RunMarks implements [xxladapter.Store].
func (s *Store) RunMarks(ctx context.Context, ids []int64) ([]xxladapter.RunMark, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.RunMark
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		if slices.Contains(ids, id) {
			found = append(found, markOf(s.logs[id]))
		}
	}
	return found, nil
}

func markOf(l *xxladapter.Log) xxladapter.RunMark {
	return xxladapter.RunMark{
		ID: l.ID, JobID: l.JobID, GroupID: l.GroupID, TriggerCode: l.TriggerCode, HandleCode: l.HandleCode,
	}
}

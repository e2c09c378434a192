package memstore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Runs implements [xxladapter.Store]. Every page but the last is full.
func (s *Store) Runs(ctx context.Context, f xxladapter.RunFilter) (logs []*xxladapter.Log, next int64, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()

	for _, l := range s.runsOf(f) {
		if len(logs) == f.Limit {
			return logs, logs[len(logs)-1].ID, nil
		}
		logs = append(logs, copyLog(l))
	}
	return logs, 0, nil
}

// runsOf returns the log rows that f selects, in its order.
func (s *Store) runsOf(f xxladapter.RunFilter) (found []*xxladapter.Log) {
	ids := slices.Sorted(maps.Keys(s.logs))
	if f.Newest {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		if l := s.logs[id]; selectsLog(f.LogFilter, l) && s.selectsRun(f, l) {
			found = append(found, l)
		}
	}
	return found
}

// selectsRun reports whether the row meets the conditions that f adds to a LogFilter.
func (s *Store) selectsRun(f xxladapter.RunFilter, l *xxladapter.Log) bool {
	h, known := s.historyOf(l.ID)
	switch {
	case f.Lost && !l.Lost(),
		!strings.Contains(l.Address, f.Address),
		f.Type != "" && (!known || h.Type != f.Type),
		f.Text != "" && !strings.Contains(l.TriggerMsg, f.Text) && !strings.Contains(l.HandleMsg, f.Text):
		return false
	}
	if f.AtLeast > 0 {
		history := &h
		if !known {
			history = nil
		}
		took, ok := l.Took(history, s.clock())
		return ok && took >= f.AtLeast
	}
	return true
}

// CountRuns implements [xxladapter.Store].
func (s *Store) CountRuns(ctx context.Context, f xxladapter.RunFilter, limit int) (n int, more bool, err error) {
	if err := s.enter(ctx); err != nil {
		return 0, false, err
	}
	defer s.mu.Unlock()

	f.AfterID = 0
	n = len(s.runsOf(f))
	return min(n, limit), n > limit, nil
}

// JobNames implements [xxladapter.Store].
func (s *Store) JobNames(ctx context.Context, ids, groups []int64) (map[int64]string, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	names := map[int64]string{}
	for _, id := range ids {
		if j := s.jobs[id]; j != nil && ofGroups(groups, j.GroupID) {
			names[id] = j.Name
		}
	}
	return names, nil
}

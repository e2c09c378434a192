package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// addHistory applies a change to the history of a run.
func (s *Store) addHistory(c transition.RunChange) {
	if c.Kind == transition.KeepRun {
		return
	}
	if after := c.Add(s.runs[c.History.LogID]); after != nil {
		s.runs[c.History.LogID] = after
	}
}

// RunHistories implements [xxladapter.Store].
func (s *Store) RunHistories(ctx context.Context, logIDs []int64) (map[int64]xxladapter.RunHistory, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	found := map[int64]xxladapter.RunHistory{}
	for _, id := range logIDs {
		if h, ok := s.historyOf(id); ok {
			found[id] = h
		}
	}
	return found, nil
}

// historyOf returns the recorded history of a run, or that of its open fire. ok is false if neither
// exists, or the log row is gone.
func (s *Store) historyOf(logID int64) (h xxladapter.RunHistory, ok bool) {
	recorded, fire := s.runs[logID], s.firesOf[logID]
	switch {
	case s.logs[logID] == nil:
		return h, false
	case recorded != nil:
		return *recorded, true
	case fire != nil:
		return xxladapter.HistoryOf(*fire), true
	}
	return h, false
}

// RunsDue implements [xxladapter.Store].
func (s *Store) RunsDue(ctx context.Context, f xxladapter.RunsDueFilter) ([]xxladapter.DueRun, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.DueRun
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		l := s.logs[id]
		if l.JobID != f.JobID || l.TriggerTime.After(f.To.Add(f.Late)) || f.Beyond > 0 &&
			!l.TriggerTime.After(f.To.Add(f.Beyond)) {
			continue
		}
		h, ok := s.historyOf(id)
		if !ok || h.Due.Before(f.From) || !h.Due.Before(f.To) {
			continue
		}
		found = append(found, xxladapter.DueRun{RunHistory: h, TriggerCode: l.TriggerCode, HandleCode: l.HandleCode})
		if f.Limit > 0 && len(found) == f.Limit {
			break
		}
	}
	slices.SortFunc(found, func(a, b xxladapter.DueRun) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.LogID, b.LogID))
	})
	return found, nil
}

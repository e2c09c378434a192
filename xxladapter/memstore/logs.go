package memstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// addLog stores a copy of l under a new id.
func (s *Store) addLog(l *xxladapter.Log) int64 {
	s.lastLog++
	c := copyLog(l)
	c.ID = s.lastLog
	c.TriggerTime, c.HandleTime = toSecond(l.TriggerTime), toSecond(l.HandleTime)
	s.logs[c.ID] = c
	return c.ID
}

// FinishRun implements [xxladapter.Store].
func (s *Store) FinishRun(ctx context.Context, r xxladapter.RunResult) (bool, []xxladapter.Fire, error) {
	if err := s.enter(ctx); err != nil {
		return false, nil, err
	}
	defer s.mu.Unlock()

	fireID := int64(0)
	if f := s.firesOf[r.LogID]; f != nil {
		fireID = f.ID
	}
	change, err := transition.Finish(s.rows(xxladapter.Term{}, fireID, r.LogID), r, s.clock())
	if err != nil {
		return false, nil, err
	}
	planned := s.applyChange(change, fireID, r.LogID)
	return change.Log.Columns == transition.HandleColumns, planned, nil
}

// AcceptRuns implements [xxladapter.Store].
func (s *Store) AcceptRuns(ctx context.Context, list []xxladapter.Accept) ([]bool, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	may := make([]bool, len(list))
	for i, a := range list {
		fireID := int64(0)
		if f := s.firesOf[a.LogID]; f != nil {
			fireID = f.ID
		}
		var change transition.Change
		change, may[i] = transition.Accept(s.rows(xxladapter.Term{}, fireID, a.LogID), a, s.clock())
		s.applyChange(change, fireID, a.LogID)
	}
	return may, nil
}

// LostRuns implements [xxladapter.Store].
func (s *Store) LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*xxladapter.Log, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	registered := map[string]bool{}
	for key := range s.beats {
		registered[key.address] = true
	}
	until := s.clock().Add(-age)
	var lost []*xxladapter.Log
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		l := s.logs[id]
		if id > after && l.TriggerCode == xxladapter.ResultOK && l.HandleCode == xxladapter.ResultNone &&
			!l.TriggerTime.After(until) && !registered[l.Address] && len(lost) < limit {
			lost = append(lost, copyLog(l))
		}
	}
	return lost, nil
}

// Log implements [xxladapter.Store].
func (s *Store) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	if l := s.logs[id]; l != nil {
		return copyLog(l), nil
	}
	return nil, noLog(id)
}

// Logs implements [xxladapter.Store]. AfterID is a position in the listed order: with Newest, older
// rows follow it.
func (s *Store) Logs(ctx context.Context, f xxladapter.LogFilter) ([]*xxladapter.Log, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	ids := slices.Sorted(maps.Keys(s.logs))
	if f.Newest {
		slices.Reverse(ids)
	}
	var found []*xxladapter.Log
	for _, id := range ids {
		l := s.logs[id]
		if !selectsLog(f, l) {
			continue
		}
		found = append(found, copyLog(l))
		if f.Limit > 0 && len(found) == f.Limit {
			break
		}
	}
	return found, nil
}

// selectsLog reports whether the row comes after the position of f and meets its conditions.
func selectsLog(f xxladapter.LogFilter, l *xxladapter.Log) bool {
	switch {
	case f.JobID != 0 && l.JobID != f.JobID,
		f.GroupID != 0 && l.GroupID != f.GroupID,
		!ofGroups(f.Groups, l.GroupID),
		f.Status != "" && l.Status() != f.Status,
		f.Taken && l.TriggerCode != xxladapter.ResultOK,
		!f.Since.IsZero() && l.TriggerTime.Before(f.Since),
		!f.Before.IsZero() && !l.TriggerTime.Before(f.Before),
		f.AfterID != 0 && !f.Newest && l.ID <= f.AfterID,
		f.AfterID != 0 && f.Newest && l.ID >= f.AfterID:
		return false
	}
	return true
}

func noLog(id int64) error {
	return xxladapter.Absent("run", id)
}

package memstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A countedRun records how the statistics have counted a log row.
type countedRun struct {
	result xxladapter.StatResult // the row is counted under this; empty if it is not counted
	final  bool
}

// A statKey names the hour, group and job of figures.
type statKey struct {
	hour       int64 // Unix seconds
	group, job int64
}

// count counts a row under its current result, unless its count is final.
func (s *Store) count(l *xxladapter.Log) {
	before := s.counted[l.ID]
	if before.final {
		return
	}
	var h *xxladapter.RunHistory
	if known, ok := s.historyOf(l.ID); ok {
		h = &known
	}
	key := statKey{l.TriggerTime.Truncate(xxladapter.StatHour).Unix(), l.GroupID, l.JobID}
	f := s.figures[key]
	if f == nil {
		f = new(xxladapter.Figures)
	}
	var now countedRun
	now.result, now.final = f.CountRun(l, h, s.firesOf[l.ID] != nil, before.result)
	s.counted[l.ID] = now
	if now.result == "" && before.result == "" {
		return
	}
	if !l.TriggerTime.IsZero() {
		s.figures[key] = f
	}
	if now.result != "" && l.ID >= s.results[l.JobID].logID {
		s.results[l.JobID] = lastResult{l.ID, now.result}
	}
}

// A lastResult is the result of a job's newest run that has one.
type lastResult struct {
	logID  int64
	result xxladapter.StatResult
}

// FoldStats implements [xxladapter.Store]. It counts whatever has a result.
func (s *Store) FoldStats(ctx context.Context, _ int) (left xxladapter.StatWork, err error) {
	if err := s.enter(ctx); err != nil {
		return left, err
	}
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		s.count(s.logs[id])
		if !s.counted[id].final {
			left = xxladapter.LaterStatWork
		}
	}
	return left, nil
}

// Stats implements [xxladapter.Store].
func (s *Store) Stats(ctx context.Context, f xxladapter.StatFilter) ([]xxladapter.Stat, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	sums := xxladapter.StatSums{By: f.By}
	from, to := f.From.Truncate(xxladapter.StatHour), f.To.Add(xxladapter.StatHour-1).Truncate(xxladapter.StatHour)
	for key, figures := range s.figures {
		if key.hour < from.Unix() || key.hour >= to.Unix() || f.JobID != 0 && key.job != f.JobID || f.GroupID != 0 &&
			key.group != f.GroupID ||
			f.Groups != nil && !slices.Contains(f.Groups, key.group) {
			continue
		}
		sums.Add(time.Unix(key.hour, 0).UTC(), key.group, key.job, figures)
	}
	return sums.List(f.Limit), nil
}

// PurgeStats implements [xxladapter.Store].
func (s *Store) PurgeStats(ctx context.Context, before time.Time, limit int) (deleted int, err error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	end := before.Truncate(xxladapter.StatHour).Unix()
	for key := range s.figures {
		if key.hour < end && deleted < limit {
			delete(s.figures, key)
			deleted++
		}
	}
	return deleted, nil
}

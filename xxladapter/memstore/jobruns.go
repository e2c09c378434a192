package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// LastRuns implements [xxladapter.Store].
func (s *Store) LastRuns(ctx context.Context, jobIDs []int64) (map[int64]xxladapter.LastRun, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	found := map[int64]xxladapter.LastRun{}
	for id, l := range s.logs {
		if s.jobs[l.JobID] != nil && slices.Contains(jobIDs, l.JobID) && id > found[l.JobID].LogID {
			found[l.JobID] = xxladapter.LastRun{LogID: id, Status: l.Status(), Triggered: l.TriggerTime}
		}
	}
	return found, nil
}

// RecentRuns implements [xxladapter.Store].
func (s *Store) RecentRuns(ctx context.Context, jobIDs []int64, limit int) (map[int64][]xxladapter.LastRun, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	found := map[int64][]xxladapter.LastRun{}
	for id, l := range s.logs {
		if slices.Contains(jobIDs, l.JobID) {
			found[l.JobID] = append(
				found[l.JobID], xxladapter.LastRun{LogID: id, Status: l.Status(), Triggered: l.TriggerTime},
			)
		}
	}
	for job, runs := range found {
		slices.SortFunc(runs, func(a, b xxladapter.LastRun) int { return cmp.Compare(b.LogID, a.LogID) })
		found[job] = runs[:min(len(runs), limit)]
	}
	return found, nil
}

// MeanDurations implements [xxladapter.Store].
func (s *Store) MeanDurations(ctx context.Context, rows int) (map[int64]time.Duration, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	highest := int64(0)
	for id := range s.runs {
		highest = max(highest, id)
	}
	sums, counts := map[int64]int64{}, map[int64]int64{}
	for id, h := range s.runs {
		l := s.logs[id]
		if d, ok := h.Duration(); ok && l != nil && id > highest-int64(rows) {
			sums[l.JobID] += d.Milliseconds()
			counts[l.JobID]++
		}
	}
	means := map[int64]time.Duration{}
	for job, n := range counts {
		means[job] = time.Duration(sums[job]/n) * time.Millisecond
	}
	return means, nil
}

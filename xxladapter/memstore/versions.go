package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// recordJob appends the audit row and the versions of an edit, if ctx has a call. was is nil for a
// new job.
func (s *Store) recordJob(ctx context.Context, was, is *xxladapter.Job) {
	if xxladapter.CallOf(ctx) == "" {
		return
	}
	var before xxladapter.Fields
	if was != nil {
		before = was.Fields()
	}
	s.record(ctx, is.Audited(), before, is.Fields())
	s.addVersions(ctx, was, is)
}

// addVersions appends the versions of an edit.
//
// REQUIRES: ctx has a call.
func (s *Store) addVersions(ctx context.Context, was, is *xxladapter.Job) {
	s.versions[is.ID] = append(
		s.versions[is.ID], xxladapter.NextVersions(ctx, s.lastVersion(is.ID), was, is, s.clock())...,
	)
}

func (s *Store) lastVersion(id int64) *xxladapter.JobVersion {
	if list := s.versions[id]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

// JobVersions implements [xxladapter.Store].
func (s *Store) JobVersions(ctx context.Context, f xxladapter.JobVersionFilter) ([]*xxladapter.JobVersion, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []*xxladapter.JobVersion
	for _, v := range slices.Backward(s.versions[f.JobID]) {
		switch {
		case f.Number != 0 && v.Number != f.Number,
			!f.Updated.IsZero() && v.Job.Updated.After(f.Updated),
			!f.Until.IsZero() && v.At.After(f.Until),
			f.Before != 0 && v.Number >= f.Before:
			continue
		}
		c := *v
		c.Job.ChildIDs, c.Job.Tags = list(v.Job.ChildIDs), list(v.Job.Tags)
		if found = append(found, &c); len(found) == f.Limit {
			break
		}
	}
	return found, nil
}

// PurgeJobVersions implements [xxladapter.Store].
func (s *Store) PurgeJobVersions(ctx context.Context, before time.Time, limit int) (int, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()

	var old []*xxladapter.JobVersion
	for _, versions := range s.versions {
		for i := range versions[:max(len(versions)-1, 0)] {
			if versions[i+1].At.Before(before) {
				old = append(old, versions[i])
			}
		}
	}
	slices.SortFunc(old, func(a, b *xxladapter.JobVersion) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.JobID, b.JobID), cmp.Compare(a.Number, b.Number))
	})
	old = old[:min(limit, len(old))]
	for _, v := range old {
		s.versions[v.JobID] = slices.DeleteFunc(
			s.versions[v.JobID], func(other *xxladapter.JobVersion) bool { return other == v },
		)
	}
	return len(old), nil
}

package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// keepGlue adds the source of is, which replaces that of was, to its versions.
func (s *Store) keepGlue(was, is *xxladapter.Job) {
	if len(s.glue[is.ID]) == 0 {
		s.addGlue(was, was.GlueUpdated)
	}
	s.addGlue(is, toSecond(s.clock()))
}

func (s *Store) addGlue(j *xxladapter.Job, added time.Time) {
	s.lastGlue++
	versions := slices.Insert(s.glue[j.ID], 0, xxladapter.GlueVersion{
		ID: s.lastGlue, JobID: j.ID, Type: j.GlueType, Source: j.GlueSource, Remark: j.GlueRemark, Added: added,
	})
	s.glue[j.ID] = versions[:min(len(versions), xxladapter.MaxGlueVersions)]
}

// GlueVersions implements [xxladapter.Store].
func (s *Store) GlueVersions(ctx context.Context, jobID int64) ([]*xxladapter.GlueVersion, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var list []*xxladapter.GlueVersion
	for _, v := range s.glue[jobID] {
		list = append(list, &v)
	}
	return list, nil
}

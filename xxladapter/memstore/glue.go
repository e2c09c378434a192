package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// saveGlue stores the source of c, which replaces old, as a new version.
func (s *Store) saveGlue(old, c *xxladapter.Job) {
	now := toSecond(s.clock())
	if len(s.glue[c.ID]) == 0 {
		s.addGlue(old, old.GlueUpdated)
	}
	s.addGlue(c, now)
	c.GlueUpdated = now
	if !now.After(old.GlueUpdated) { // the only field by which executors distinguish versions
		c.GlueUpdated = old.GlueUpdated.Add(time.Second)
	}
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

package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A glueForm is a version of a job's source, as the management API shows it.
type glueForm struct {
	ID     int64               `json:"id"`
	Type   xxladapter.GlueType `json:"glueType"`
	Remark string              `json:"glueRemark"`
	Added  *time.Time          `json:"addTime,omitempty" doc:"When it was stored."`
	Source *string             `json:"glueSource,omitempty" doc:"Omitted in lists."`
}

type glueList struct {
	Type    xxladapter.GlueType `json:"glueType" doc:"The language of the source in use, or BEAN for a job without one."`
	Source  string              `json:"glueSource" doc:"The source in use."`
	Remark  string              `json:"glueRemark"`
	Updated *time.Time          `json:"glueUpdated,omitempty" doc:"Identifies the source in use; pass it as ifUpdated with a change."`

	Versions []glueForm `json:"versions" doc:"Newest first, at most 30. The first change of a source also stores the original source."`
}

// A gluePath names a version of a job's source.
type gluePath struct {
	ID      int64 `path:"id"`
	Version int64 `path:"version"`
}

func showGlue(v *xxladapter.GlueVersion) glueForm {
	return glueForm{ID: v.ID, Type: v.Type, Remark: v.Remark, Added: api.Given(v.Added), Source: &v.Source}
}

func (s *Server) listGlue(ctx context.Context, path api.IDPath) (no glueList, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	versions, err := s.opts.Store.GlueVersions(ctx, path.ID)
	forms := make([]glueForm, len(versions))
	for i, v := range versions {
		forms[i] = showGlue(v)
		forms[i].Source = nil
	}
	return glueList{
		Type: j.GlueType, Source: j.GlueSource, Remark: j.GlueRemark, Updated: api.Given(j.GlueUpdated),
		Versions: forms,
	}, err
}

func (s *Server) showGlueVersion(ctx context.Context, path gluePath) (no glueForm, err error) {
	v, err := s.glueVersion(ctx, path)
	if err != nil {
		return no, err
	}
	return showGlue(v), nil
}

func (s *Server) glueVersion(ctx context.Context, path gluePath) (*xxladapter.GlueVersion, error) {
	if _, err := s.job(ctx, path.ID); err != nil {
		return nil, err
	}
	versions, err := s.opts.Store.GlueVersions(ctx, path.ID)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.ID == path.Version {
			return v, nil
		}
	}
	return nil, xxladapter.NotFoundf(errorrule.NoVersion, "job %d has no glue version %d", path.ID, path.Version)
}

// restoreGlue gives a job the source of an earlier version, as a new version.
func (s *Server) restoreGlue(ctx context.Context, path gluePath) (no api.None, err error) {
	v, err := s.glueVersion(ctx, path)
	if err != nil {
		return no, err
	}
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return no, s.change(ctx, j, &jobForm{GlueType: &v.Type, GlueSource: &v.Source, GlueRemark: &v.Remark})
}

// changesGlue reports whether a form has changed the source, type or remark of old to those of j. A
// remark belongs to its version: if the source or the type changes without one, changesGlue empties
// that of j.
func (f *jobForm) changesGlue(old, j *xxladapter.Job) bool {
	if f.GlueType == nil && f.GlueSource == nil && f.GlueRemark == nil {
		return false
	}
	same := j.GlueType == old.GlueType && j.GlueSource == old.GlueSource
	if !same && f.GlueRemark == nil {
		j.GlueRemark = ""
	}
	return !same || j.GlueRemark != old.GlueRemark
}

// keepsGlue refuses a job call that would change the source: upstream's updateJob reads the glue
// fields, does not apply them, and reports success.
func keepsGlue(j *xxladapter.Job, f *wire.JobFields) error {
	var field string
	switch {
	case f.GlueType != "" && f.GlueType != string(j.GlueType):
		field = "glueType"
	case f.GlueSource != "" && f.GlueSource != j.GlueSource:
		field = "glueSource"
	default:
		return nil
	}
	return xxladapter.Invalidf(errorrule.GlueKept,
		"%s differs from the job's, must be omitted or the same: updateJob does not change it, PUT "+api.Base+
			"/jobs/%d does",
		field, j.ID)
}

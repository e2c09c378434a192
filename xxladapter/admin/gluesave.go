package admin

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A glueSaveForm is a new version of a job's source.
type glueSaveForm struct {
	Source    *string              `json:"glueSource" doc:"The source."`
	Remark    string               `json:"glueRemark" doc:"What this version changes: 4 to 100 characters, as in XXL-JOB."`
	Type      *xxladapter.GlueType `json:"glueType,omitempty" doc:"The language; defaults to the job's."`
	IfUpdated *time.Time           `json:"ifUpdated,omitempty" doc:"The glueUpdated that the source was read with. If the source was changed since, nothing is stored, and the answer is 409 with the fields that differ."`
}

type glueSaved struct {
	Updated time.Time `json:"glueUpdated" doc:"Identifies the stored source; pass it as ifUpdated with the next change."`
}

// The length of a remark, in characters. XXL-JOB 3.4.2: JobCodeController.save.
const (
	leastRemark = 4
	mostRemark  = 100
)

func (f *glueSaveForm) check(j *xxladapter.Job) error {
	kind := j.GlueType
	if f.Type != nil {
		kind = *f.Type
	}
	switch n := utf8.RuneCountInString(f.Remark); {
	case f.Source == nil:
		return xxladapter.Invalidf(errorrule.Missing, "%s is missing, must be the source", "glueSource")
	case strings.TrimSpace(f.Remark) == "" || n < leastRemark || n > mostRemark:
		return xxladapter.Invalidf(errorrule.Characters, "%s has %d characters, must say in %d to %d what was changed",
			"glueRemark", n, leastRemark, mostRemark)
	case kind == xxladapter.GlueBean:
		return xxladapter.Invalidf(errorrule.GlueType, "%s is %s, must be another type for the job to have a source",
			"glueType", kind)
	}
	return nil
}

// saveGlue stores a new version of a job's source. A change of other fields of the job at the same
// time is no conflict: the source is stored on top of it.
func (s *Server) saveGlue(ctx context.Context, path api.IDPath, form glueSaveForm) (no glueSaved, err error) {
	for tries := 0; ; tries++ {
		j, err := s.job(ctx, path.ID)
		if err != nil {
			return no, err
		}
		if err := form.check(j); err != nil {
			return no, err
		}
		if form.IfUpdated != nil && !form.IfUpdated.Equal(j.GlueUpdated) {
			return no, s.glueConflict(ctx, j, &form)
		}
		err = s.change(ctx, j, &jobForm{GlueType: form.Type, GlueSource: form.Source, GlueRemark: &form.Remark})
		if errors.Is(err, xxladapter.ErrConflict) && tries < 3 {
			continue
		}
		if err != nil {
			return no, err
		}
		is, err := s.job(ctx, path.ID)
		if err != nil {
			return no, err
		}
		if is.GlueType != j.GlueType || is.GlueSource != j.GlueSource || is.GlueRemark != j.GlueRemark {
			// Somebody has replaced the source already. Their time would let the caller's next
			// change overwrite theirs, so the answer is one before it.
			is.GlueUpdated = is.GlueUpdated.Add(-time.Millisecond)
		}
		return glueSaved{is.GlueUpdated}, nil
	}
}

// glueConflict returns the error for a source that was changed since the caller read it.
func (s *Server) glueConflict(ctx context.Context, stored *xxladapter.Job, form *glueSaveForm) error {
	versions, err := s.opts.Store.GlueVersions(ctx, stored.ID)
	if err != nil {
		return err
	}
	kind := stored.GlueType
	if form.Type != nil {
		kind = *form.Type
	}
	var base xxladapter.Fields
	if v := glueAt(versions, *form.IfUpdated); v != nil {
		base = glueFields(v.Type, v.Source, v.Remark)
	}
	fields := xxladapter.FieldConflicts(base,
		glueFields(stored.GlueType, stored.GlueSource, stored.GlueRemark), glueFields(kind, *form.Source, form.Remark))
	return &conflictError{
		xxladapter.Conflictf(errorrule.SourceChanged,
			"source of job %d was changed meanwhile, must have the glueUpdated %s to be changed by this call",
			stored.ID, form.IfUpdated.UTC().Format(time.RFC3339Nano)),
		fields,
	}
}

// glueAt returns the replaced version that was in use at a time, or nil if that is not certain: if
// several versions were stored within a second, the table does not tell when each was in use.
func glueAt(versions []*xxladapter.GlueVersion, at time.Time) *xxladapter.GlueVersion {
	for i := 1; i < len(versions); i++ { // newest first
		v := versions[i]
		if v.Added.After(at) {
			continue
		}
		if i+1 < len(versions) && versions[i+1].Added.Equal(v.Added) || i > 1 && versions[i-1].Added.Equal(v.Added) {
			return nil
		}
		return v
	}
	return nil
}

func glueFields(kind xxladapter.GlueType, source, remark string) xxladapter.Fields {
	return xxladapter.Fields{
		{Name: "glueType", Value: kind}, {Name: "glueSource", Value: source}, {Name: "glueRemark", Value: remark},
	}
}

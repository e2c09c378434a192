package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A versionForm is a version of a job, as the management API shows it.
type versionForm struct {
	Version int64     `json:"version" doc:"Counts from 1 within the job."`
	At      time.Time `json:"time" doc:"When it took effect."`
	// Actor is nil if it is not known.
	Actor *xxladapter.Actor `json:"actor,omitempty" doc:"Who made the edit; omitted for a state that another program left, or an earlier release."`
	Call  string            `json:"call,omitempty" doc:"Method and path of the call."`

	Changes []xxladapter.FieldChange `json:"changes" doc:"The fields that differ from the version before, or from the one that against names. The source is not among them; glueUpdated says when it changed."`
	Job     *jobForm                 `json:"job,omitempty" doc:"The job as it was, without its source; omitted in lists."`
}

type versionList struct {
	Versions []versionForm `json:"versions" doc:"Newest first. A job that was not edited since this release was installed has none."`
	Next     int64         `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

type versionsQuery struct {
	api.IDPath
	api.Page
}

// listVersions also reads the version behind the page, to compare the page's last one with it.
func (s *Server) listVersions(ctx context.Context, q versionsQuery) (no versionList, err error) {
	if _, err := s.job(ctx, q.ID); err != nil {
		return no, err
	}
	versions, err := s.opts.Store.JobVersions(
		ctx, xxladapter.JobVersionFilter{JobID: q.ID, Before: q.After, Limit: q.Size() + 1},
	)
	if err != nil {
		return no, err
	}
	shown, next := api.CutPage(versions, q.Size(), func(v *xxladapter.JobVersion) int64 { return v.Number })
	actors, err := s.audit.ShownActors(ctx)
	if err != nil {
		return no, err
	}
	forms := make([]versionForm, len(shown))
	for i, v := range shown {
		var before *xxladapter.JobVersion
		if i+1 < len(versions) {
			before = versions[i+1]
		}
		forms[i] = showVersion(ctx, v, before, actors)
	}
	return versionList{forms, next}, nil
}

// showVersion compares a version with the one before, if that is not nil. The id of a group that
// does not exist for the caller is shown as 0: the job was moved from there.
func showVersion(
	ctx context.Context, v, before *xxladapter.JobVersion, actors func(xxladapter.Actor) xxladapter.Actor,
) versionForm {
	form := versionForm{Version: v.Number, At: v.At, Call: v.Call, Changes: []xxladapter.FieldChange{}}
	if v.Actor != (xxladapter.Actor{}) {
		actor := actors(v.Actor)
		form.Actor = &actor
	}
	var old xxladapter.Fields
	switch {
	case before != nil:
		old = versionFields(ctx, &before.Job)
	case v.Number > 1:
		return form // the one before was deleted because of its age
	}
	form.Changes = append(form.Changes, xxladapter.DiffFields(old, versionFields(ctx, &v.Job))...)
	return form
}

// versionFields returns the fields of a version: those of the job, with the time of the source in
// place of the source.
func versionFields(ctx context.Context, j *xxladapter.Job) (fields xxladapter.Fields) {
	for _, f := range j.Fields() {
		switch f.Name {
		case "jobGroup":
			f.Value = shownGroup(ctx, j.GroupID)
		case "glueSource":
			f = xxladapter.Field{Name: "glueUpdated", Value: j.GlueUpdated}
		}
		fields = append(fields, f)
	}
	return fields
}

// shownGroup returns the id of a group, or 0 if it does not exist for the caller.
func shownGroup(ctx context.Context, id int64) int64 {
	if access.RightsOf(ctx).Decide(xxladapter.RoleViewer, id) == access.Hidden {
		return 0
	}
	return id
}

// A versionPath names a version of a job.
type versionPath struct {
	ID      int64 `path:"id"`
	Version int64 `path:"version"`
}

type versionQuery struct {
	versionPath
	Against int64 `query:"against" doc:"The version to compare with; defaults to the one before."`
}

func (s *Server) showJobVersion(ctx context.Context, q versionQuery) (no versionForm, err error) {
	v, err := s.version(ctx, q.ID, q.Version)
	if err != nil {
		return no, err
	}
	var before *xxladapter.JobVersion
	if q.Against != 0 {
		if before, err = s.version(ctx, q.ID, q.Against); err != nil {
			return no, err
		}
	} else if list, err := s.opts.Store.JobVersions(
		ctx, xxladapter.JobVersionFilter{JobID: q.ID, Before: v.Number, Limit: 1},
	); err != nil {
		return no, err
	} else if len(list) > 0 {
		before = list[0]
	}
	actors, err := s.audit.ShownActors(ctx)
	if err != nil {
		return no, err
	}
	form := showVersion(ctx, v, before, actors)
	job := showForm(&v.Job)
	job.JobGroup = new(shownGroup(ctx, v.Job.GroupID))
	job.GlueSource = nil
	form.Job = &job
	return form, nil
}

// version returns a version of a job that the caller may touch.
func (s *Server) version(ctx context.Context, id, number int64) (*xxladapter.JobVersion, error) {
	if _, err := s.job(ctx, id); err != nil {
		return nil, err
	}
	list, err := s.opts.Store.JobVersions(ctx, xxladapter.JobVersionFilter{JobID: id, Number: number, Limit: 1})
	if err == nil && len(list) == 0 {
		err = xxladapter.NotFoundf(errorrule.NoVersion, "job %d has no version %d", id, number)
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// restoreVersion gives a job the fields of an earlier version, as a new version. Its schedule stays
// on or off, and its source as it is: sources have versions of their own.
func (s *Server) restoreVersion(ctx context.Context, path versionPath) (no api.None, err error) {
	v, err := s.version(ctx, path.ID, path.Version)
	if err != nil {
		return no, err
	}
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	form := showForm(&v.Job)
	form.GlueType, form.GlueSource, form.GlueRemark = nil, nil, nil
	form.Running, form.TriggerLast, form.TriggerNext, form.Added, form.Updated = nil, nil, nil, nil, nil
	return no, s.change(ctx, j, &form)
}

package admin

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A jobUpdateForm is a change of a job, on the condition that nobody else has changed it.
type jobUpdateForm struct {
	jobForm
	IfUpdated *time.Time `json:"ifUpdated,omitempty" doc:"The updateTime that the job was read with. If the job was changed since, nothing is changed, and the answer is 409 with the fields that differ."`
	IfVersion int64      `json:"ifVersion,omitempty" doc:"As ifUpdated, by the version that was read."`
}

// A groupUpdateForm is a change of a group, on the condition that nobody else has changed it.
type groupUpdateForm struct {
	groupForm
	IfUnchanged *groupForm `json:"ifUnchanged,omitempty" doc:"The group as it was read. If somebody has edited it since, nothing is changed, and the answer is 409 with the fields that differ. Addresses that registered since are no edit. A token that replaced another one is not noticed, since tokens are not shown."`
}

// A conflictError refuses a change of something that was changed since the caller read it.
type conflictError struct {
	error
	fields []xxladapter.FieldConflict
}

func (e *conflictError) Unwrap() error { return e.error }

// Detail adds the fields that differ.
func (e *conflictError) Detail(body *api.Error) { body.Conflicts = e.fields }

// readWith returns the state that the caller has read, or nil if the form has no condition. If that
// state is no longer known, only its Updated is set.
func (s *Server) readWith(ctx context.Context, j *xxladapter.Job, form *jobUpdateForm) (*xxladapter.Job, error) {
	switch {
	case form.IfUpdated != nil && form.IfVersion != 0:
		return nil, xxladapter.Invalidf(errorrule.ExactlyOne, "%s are both given, must be one of them",
			errorrule.And{"ifUpdated", "ifVersion"})
	case form.IfVersion < 0:
		return nil, xxladapter.Invalidf(errorrule.Version, "%s is %d, must be a version of the job",
			"ifVersion", form.IfVersion)
	case form.IfVersion != 0:
		v, err := s.version(ctx, j.ID, form.IfVersion)
		if err != nil {
			return nil, err
		}
		newest, err := s.opts.Store.JobVersions(ctx, xxladapter.JobVersionFilter{JobID: j.ID, Limit: 1})
		if err == nil && len(newest) > 0 && newest[0].Number == v.Number && sameButSource(&v.Job, j) {
			v.Job.Updated = j.Updated // an edit that changed nothing has moved it
		}
		return &v.Job, err
	case form.IfUpdated == nil:
		return nil, nil
	case form.IfUpdated.Equal(j.Updated):
		base := *j
		return &base, nil
	}
	list, err := s.opts.Store.JobVersions(
		ctx, xxladapter.JobVersionFilter{JobID: j.ID, Updated: *form.IfUpdated, Limit: 1},
	)
	if err != nil {
		return nil, err
	}
	base := &xxladapter.Job{}
	if len(list) > 0 {
		base = &list[0].Job
	}
	base.Updated = *form.IfUpdated
	return base, nil
}

func sameButSource(a, b *xxladapter.Job) bool { return a.VersionText() == b.VersionText() }

// conflict returns the error of conflictOf for a form that may name its group by the app name, and
// for a base whose group may not exist for the caller: its id is shown as 0.
func (s *Server) conflict(ctx context.Context, stored, base *xxladapter.Job, form *jobForm) error {
	byID := *form
	if form.AppName != nil && form.JobGroup == nil {
		g, err := s.findGroup(ctx, *form.AppName)
		if err != nil {
			return err
		}
		if g != nil {
			byID.JobGroup = &g.ID
		}
	}
	shown := *base
	shown.GroupID = shownGroup(ctx, base.GroupID)
	return conflictOf(stored, &shown, &byID)
}

// conflictOf returns the error for a form: its caller has read the job as base, and stored is the
// job as it is now. It is a pure function.
//
// A group that the form names by its app name alone is not compared.
func conflictOf(stored, base *xxladapter.Job, form *jobForm) error {
	var from xxladapter.Fields
	if base.ID != 0 {
		from = base.Fields()
	}
	// Versions leave the source out. It is the same if its time is, and not known otherwise.
	if i := slices.IndexFunc(from, func(f xxladapter.Field) bool { return f.Name == "glueSource" }); i >= 0 {
		if base.GlueUpdated.Equal(stored.GlueUpdated) {
			from[i].Value = stored.GlueSource
		} else {
			from = slices.Delete(from, i, i+1)
		}
	}
	wants := *stored
	form.apply(&wants)
	if form.JobGroup != nil {
		wants.GroupID = *form.JobGroup
	}
	given := form.given()
	yours := slices.DeleteFunc(wants.Fields(), func(f xxladapter.Field) bool { return !slices.Contains(given, f.Name) })
	return &conflictError{
		xxladapter.Conflictf(errorrule.Changed,
			"job %d was changed meanwhile, must have the updateTime %s to be changed by this call",
			stored.ID, base.Updated.UTC().Format(time.RFC3339Nano)),
		xxladapter.FieldConflicts(from, stored.Fields(), yours),
	}
}

// unchanged refuses the form if the stored group is not as the caller has read it. Registrations
// and drains are no changes.
func (f *groupUpdateForm) unchanged(stored *xxladapter.Group) error {
	base := f.IfUnchanged
	switch {
	case base == nil:
		return nil
	case base.AppName == "" || base.Title == "" || base.AddressType == nil:
		return xxladapter.Invalidf(errorrule.GroupAsRead,
			"%s lacks appName, title or addressType, must be the whole group as it was read",
			"ifUnchanged")
	case base.AccessToken != nil:
		return xxladapter.Invalidf(errorrule.GroupAsRead, "%s has an accessToken, must be the group as it was read",
			"ifUnchanged")
	case base.ID != 0 && base.ID != stored.ID:
		return xxladapter.Invalidf(errorrule.AsInPath, "%s is %d, must be %d as in the path", "id", base.ID, stored.ID)
	}
	was := xxladapter.Group{
		AppName: base.AppName, Title: base.Title, AddressType: *base.AddressType, Addresses: base.AddressList,
	}
	switch {
	case base.HasAccessToken && stored.AccessToken != "":
		was.AccessToken = stored.AccessToken // it is never shown, so it counts as the same
	case base.HasAccessToken:
		was.AccessToken = xxladapter.Concealed
	}
	if was.SameEdits(stored) {
		return nil
	}
	wants := *stored
	if err := f.apply(&wants); err != nil {
		return err
	}
	yours := slices.DeleteFunc(editsOf(&wants), func(field xxladapter.Field) bool { return !f.gives(field.Name) })
	return &conflictError{
		xxladapter.Conflictf(errorrule.GroupChanged,
			"group %d was changed meanwhile, must be as in ifUnchanged to be changed by this call",
			stored.ID),
		xxladapter.FieldConflicts(editsOf(&was), editsOf(stored), yours),
	}
}

// editsOf returns what people edit of a group, always with an address list. That of an automatic
// group is empty.
func editsOf(g *xxladapter.Group) xxladapter.Fields {
	edits := *g
	edits.Drains = nil
	fields := edits.Fields()
	if g.AddressType != xxladapter.AddressManual {
		fields = append(fields, xxladapter.Field{Name: "addressList", Value: []string{}})
	}
	return fields
}

// gives reports whether the form sets the field.
func (f *groupForm) gives(field string) bool {
	switch field {
	case "appName":
		return f.AppName != ""
	case "title":
		return f.Title != ""
	case "addressType":
		return f.AddressType != nil
	case "accessToken":
		return f.AccessToken != nil
	default:
		return f.AddressList != nil
	}
}

// given returns the names of the fields that the form has.
func (f *jobForm) given() (names []string) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	for name := range fields {
		names = append(names, name)
	}
	return names
}

package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A pauseForm is a pause as the management API shows it.
type pauseForm struct {
	ID       int64      `json:"id"`
	JobGroup int64      `json:"jobGroup,omitempty" doc:"The group whose schedules it holds up; omitted for those of all groups."`
	Note     string     `json:"note"`
	By       string     `json:"by" doc:"Who began it."`
	EndedBy  string     `json:"endedBy,omitempty" doc:"Who ended it before its time."`
	From     time.Time  `json:"from"`
	Until    *time.Time `json:"until,omitempty" doc:"The first instant after it; omitted while it lasts until somebody ends it."`
	Open     bool       `json:"open" doc:"True if it has not ended."`
}

func showPause(p *xxladapter.Pause, now time.Time) pauseForm {
	return pauseForm{
		ID: p.ID, JobGroup: p.GroupID, Note: p.Note, By: p.By, EndedBy: p.EndedBy,
		From: p.From, Until: api.Given(p.Until), Open: p.HoldsAt(now),
	}
}

type pauseList struct {
	Pauses []pauseForm `json:"pauses"`
	Next   int64       `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

type pauseQuery struct {
	api.Page
	Open bool `query:"open" doc:"List only pauses that have not ended."`
}

func (s *Server) listPauses(ctx context.Context, q pauseQuery) (no pauseList, err error) {
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return no, err
	}
	pauses, err := s.opts.Store.Pauses(ctx, xxladapter.PauseFilter{Open: q.Open, AfterID: q.After, Limit: q.Size() + 1})
	pauses, next := api.CutPage(pauses, q.Size(), func(p xxladapter.Pause) int64 { return p.ID })
	forms := make([]pauseForm, len(pauses))
	for i := range pauses {
		forms[i] = showPause(&pauses[i], now)
	}
	return pauseList{forms, next}, err
}

// A newPauseForm says what to pause, and for how long.
type newPauseForm struct {
	All      bool       `json:"all,omitempty" doc:"Pause the schedules of all groups; exactly one of all, jobGroup and appName is given."`
	JobGroup *int64     `json:"jobGroup,omitempty" doc:"Pause the schedules of this group."`
	AppName  *string    `json:"appName,omitempty" doc:"Pause the schedules of the group with this app name."`
	Note     string     `json:"note,omitempty" doc:"Why; at most 500 characters."`
	Until    *time.Time `json:"until,omitempty" doc:"When it ends by itself, at most 366 days ahead; omit it for a pause that somebody ends."`
}

// createPause pauses schedules. Fires that were planned and not sent are taken back, unless they
// are due after the end of the pause.
func (s *Server) createPause(ctx context.Context, _ api.None, form newPauseForm) (no pauseForm, err error) {
	given := 0
	for _, is := range []bool{form.All, form.JobGroup != nil, form.AppName != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return no, xxladapter.Invalidf(errorrule.ExactlyOne, "%[2]d of %[1]s are given, must be exactly one",
			errorrule.And{"all", "jobGroup", "appName"}, given)
	}
	p := xxladapter.Pause{Note: form.Note}
	switch {
	case form.All:
		err = api.Allow(ctx, access.Everywhere, nil)
	case form.AppName != nil:
		var g *xxladapter.Group
		if g, err = s.groupByApp(ctx, *form.AppName); err == nil {
			p.GroupID, err = g.ID, api.Allow(ctx, g.ID, noSuchGroup(g.ID))
		}
	case *form.JobGroup <= 0:
		err = noSuchGroup(*form.JobGroup)
	default:
		p.GroupID = *form.JobGroup
		_, err = s.group(ctx, p.GroupID)
	}
	if err != nil {
		return no, err
	}
	if form.Until != nil {
		p.Until = *form.Until
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return no, err
	}
	if form.Until != nil && p.Until.IsZero() {
		return no, xxladapter.Invalidf(errorrule.Future, "%s is %s, must be after now, %s",
			"until", p.Until.Format(time.RFC3339), now.Format(time.RFC3339))
	}
	if err := p.Validate(now); err != nil {
		return no, err
	}
	p, err = s.opts.Store.CreatePause(ctx, p)
	return showPause(&p, now), err
}

// pause returns a pause that exists for the caller.
func (s *Server) pause(ctx context.Context, id int64) (no xxladapter.Pause, err error) {
	found, err := s.opts.Store.Pauses(ctx, xxladapter.PauseFilter{AfterID: id + 1, Limit: 1})
	if err == nil && (len(found) == 0 || found[0].ID != id) {
		err = xxladapter.Absent("pause", id)
	}
	if err != nil {
		return no, err
	}
	return found[0], nil
}

// endPause ends a pause before its time. Schedules continue with the due times from now on.
func (s *Server) endPause(ctx context.Context, path api.IDPath) (no pauseForm, err error) {
	p, err := s.pause(ctx, path.ID)
	if err != nil {
		return no, err
	}
	where := p.GroupID
	if where == 0 {
		where = access.Everywhere
	}
	if err := api.Allow(ctx, where, xxladapter.Absent("pause", path.ID)); err != nil {
		return no, err
	}
	if p, err = s.opts.Store.EndPause(ctx, path.ID); err != nil {
		return no, err
	}
	now, err := s.opts.Store.Now(ctx)
	return showPause(&p, now), err
}

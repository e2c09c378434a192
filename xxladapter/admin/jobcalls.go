package admin

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// forExecutors carries out the calls by which executors manage jobs: those of their own app, unless
// the caller acts for all apps. It implements [executorapi.Jobs] and [executorapi.Groups].
type forExecutors struct{ *Server }

// AddJob creates a job and returns its id as a text, as XXL-JOB does.
func (s forExecutors) AddJob(ctx context.Context, by access.Caller, form wire.AddJob) (any, error) {
	group := int64(form.JobGroup)
	g, err := s.group(ctx, group)
	if err != nil {
		return nil, err
	}
	if !by.May(g.AppName) {
		return nil, xxladapter.Absent("group", group)
	}
	fields, err := jobFields(&form.JobFields)
	if err != nil {
		return nil, err
	}
	fields.JobGroup = &group
	fields.GlueType = (*xxladapter.GlueType)(&form.GlueType)
	fields.GlueSource, fields.GlueRemark = &form.GlueSource, &form.GlueRemark
	created, err := s.createJob(ctx, api.None{}, fields)
	if err != nil {
		return nil, err
	}
	return strconv.FormatInt(created.ID, 10), nil
}

// UpdateJob changes a job.
func (s forExecutors) UpdateJob(ctx context.Context, by access.Caller, form wire.UpdateJob) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	fields, err := jobFields(&form.JobFields)
	if err != nil {
		return nil, err
	}
	if err := keepsGlue(j, &form.JobFields); err != nil {
		return nil, err
	}
	return nil, s.change(ctx, j, &fields)
}

// RemoveJob deletes a job.
func (s forExecutors) RemoveJob(ctx context.Context, by access.Caller, form wire.JobID) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.remove(ctx, j)
}

// StartJob switches the schedule of a job on.
func (s forExecutors) StartJob(ctx context.Context, by access.Caller, form wire.JobID) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	_, err = s.start(ctx, j)
	return nil, err
}

// StopJob switches the schedule of a job off.
func (s forExecutors) StopJob(ctx context.Context, by access.Caller, form wire.JobID) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	return nil, xxladapter.StopJob(ctx, s.opts.Store, j.ID, j.Updated)
}

// TriggerJob runs a job now. A caller that does not act for all apps names only addresses of the
// job's group, as an operator of that group does.
func (s forExecutors) TriggerJob(ctx context.Context, by access.Caller, form wire.TriggerJob) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	if !by.Any() {
		own := xxladapter.Grant{GroupID: j.GroupID, Role: xxladapter.RoleAdmin}
		ctx = access.WithRights(ctx, access.NewRights(own))
	}
	trigger := triggerForm{Param: &form.Param}
	for addr := range strings.SplitSeq(form.AddressList, ",") {
		if addr = strings.TrimSpace(addr); addr != "" {
			trigger.Addresses = append(trigger.Addresses, addr)
		}
	}
	_, err = s.trigger(ctx, j, xxladapter.TriggerAPI, &trigger, "")
	return nil, err
}

// jobFor loads a job that the caller may touch. For others the job does not exist.
func (s forExecutors) jobFor(ctx context.Context, by access.Caller, id wire.Int) (*xxladapter.Job, error) {
	j, err := s.job(ctx, int64(id))
	if err != nil || by.Any() {
		return j, err
	}
	app, err := s.AppOf(ctx, j.GroupID)
	if err != nil {
		return nil, err
	}
	if !by.May(app) {
		return nil, xxladapter.Absent("job", int64(id))
	}
	return j, nil
}

// jobFields converts the fields of a job call into the form of our own API. Unlike in our API, the
// fields that upstream's check requires must not be omitted.
func jobFields(f *wire.JobFields) (form jobForm, err error) {
	for _, field := range []struct{ name, value string }{
		{"scheduleType", f.ScheduleType}, {"misfireStrategy", f.MisfireStrategy},
		{"executorRouteStrategy", f.RouteStrategy}, {"executorBlockStrategy", f.BlockStrategy},
	} {
		if field.value == "" {
			return form, xxladapter.Invalidf(errorrule.Missing, "%s is missing, must be given", field.name)
		}
	}
	timeout, retries := int64(f.Timeout), int(f.FailRetryCount)
	return jobForm{
		Name: &f.Name, Author: &f.Author, AlarmEmail: &f.AlarmEmail,
		ScheduleType: (*xxladapter.ScheduleType)(&f.ScheduleType), ScheduleConf: &f.ScheduleConf,
		MisfireStrategy:       (*xxladapter.MisfireStrategy)(&f.MisfireStrategy),
		ExecutorRouteStrategy: (*xxladapter.RouteStrategy)(&f.RouteStrategy),
		ExecutorHandler:       &f.Handler, ExecutorParam: &f.Param,
		ExecutorBlockStrategy: (*xxladapter.BlockStrategy)(&f.BlockStrategy),
		ExecutorTimeout:       &timeout, ExecutorFailRetryCount: &retries,
	}, nil
}

// AppOf returns the app name of a group, or "" if the group is gone.
func (s forExecutors) AppOf(ctx context.Context, id int64) (string, error) {
	g, err := s.opts.Store.Group(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return g.AppName, nil
}

// HasApp reports whether a group has the app name.
func (s forExecutors) HasApp(ctx context.Context, app string) (bool, error) {
	g, err := s.findGroup(ctx, app)
	return g != nil, err
}

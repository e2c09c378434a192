package admin

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// jobCallRate is how many job calls a process accepts per second, and jobCallWait how long a call
// waits for its turn. They are those of OpenApiController in XXL-JOB 3.5.
const (
	jobCallRate = 100
	jobCallWait = time.Second
)

func newJobCallLimiter() *rate.Limiter { return rate.NewLimiter(jobCallRate, jobCallRate) }

// errTooMany refuses a job call that has waited for too long. The reply has the code
// [wire.CodeTooMany].
var errTooMany = &xxladapter.Error{Code: xxladapter.CodeTooMany, Message: wire.MsgTooMany}

// jobCall turns a handler for a decoded body into an operation. Upstream treats every caller as an
// administrator; here a caller may only touch the jobs of its own app. What the operation changes
// is audited.
func jobCall[B any](op string, do func(*Server, context.Context, access.Caller, B) (any, error)) executorOp {
	return func(s *Server, ctx context.Context, by access.Caller, body []byte) (any, error) {
		if err := s.awaitJobCall(ctx); err != nil {
			return nil, err
		}
		var form B
		if err := decodeBody(body, &form); err != nil {
			return nil, err
		}
		return do(s, xxladapter.WithCall(xxladapter.ForUser(ctx), http.MethodPost+" "+wire.AdminPath+op), by, form)
	}
}

// awaitJobCall waits until a job call may begin. The error is errTooMany if that takes longer than
// jobCallWait.
func (s *Server) awaitJobCall(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, jobCallWait)
	defer cancel()
	if err := s.jobCalls.Wait(waiting); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errTooMany
	}
	return nil
}

func (s *Server) addJobCall(ctx context.Context, by access.Caller, form wire.AddJob) (any, error) {
	group := int64(form.JobGroup)
	g, err := s.group(ctx, group)
	if err != nil {
		return nil, err
	}
	if !by.May(g.AppName) {
		return nil, xxladapter.NotFoundf("group %d does not exist", group)
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

func (s *Server) updateJobCall(ctx context.Context, by access.Caller, form wire.UpdateJob) (any, error) {
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

func (s *Server) removeJobCall(ctx context.Context, by access.Caller, form wire.JobID) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.remove(ctx, j)
}

func (s *Server) startJobCall(ctx context.Context, by access.Caller, form wire.JobID) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	_, err = s.start(ctx, j)
	return nil, err
}

func (s *Server) stopJobCall(ctx context.Context, by access.Caller, form wire.JobID) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
	}
	return nil, xxladapter.StopJob(ctx, s.opts.Store, j.ID, j.Updated)
}

func (s *Server) triggerJobCall(ctx context.Context, by access.Caller, form wire.TriggerJob) (any, error) {
	j, err := s.jobFor(ctx, by, form.ID)
	if err != nil {
		return nil, err
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
func (s *Server) jobFor(ctx context.Context, by access.Caller, id wire.Int) (*xxladapter.Job, error) {
	j, err := s.job(ctx, int64(id))
	if err != nil || by.Any() {
		return j, err
	}
	app, err := s.appOf(ctx, j.GroupID)
	if err != nil {
		return nil, err
	}
	if !by.May(app) {
		return nil, xxladapter.NotFoundf("job %d does not exist", int64(id))
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
			return form, xxladapter.Invalidf("%s is missing, must be given", field.name)
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

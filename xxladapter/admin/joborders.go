package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// started tells when a job that was switched on is due first.
type started struct {
	Next *time.Time `json:"triggerNextTime,omitempty"`
}

func (s *Server) startJob(ctx context.Context, path idPath) (no started, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	next, err := s.start(ctx, j)
	return started{given(next)}, err
}

// start switches the schedule of a job on, unless it was changed since it was read,
// and returns the first due time. A schedule that is on stays as it is.
func (s *Server) start(ctx context.Context, j *xxladapter.Job) (next time.Time, err error) {
	if j.Running {
		return j.TriggerNext, nil
	}
	plan, err := s.plan(j)
	if err != nil {
		return next, err
	}
	var none error // of the schedule
	next, err = s.opts.Store.StartJob(ctx, j.ID, j.Updated, func(after time.Time) (next time.Time) {
		next, none = s.nextDue(j, plan, after)
		return next
	})
	if err = cmp.Or(err, none); err != nil {
		return time.Time{}, err
	}
	s.opts.JobChanged()
	return next, nil
}

func (s *Server) stopJob(ctx context.Context, path idPath) (no none, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return no, s.opts.Store.StopJob(ctx, j.ID, j.Updated)
}

func (s *Server) removeJob(ctx context.Context, path idPath) (no none, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return no, s.remove(ctx, j)
}

func (s *Server) remove(ctx context.Context, j *xxladapter.Job) error {
	err := s.opts.Store.RemoveJob(ctx, j.ID)
	if err == nil {
		s.opts.JobRemoved()
	}
	return err
}

// copyJob creates a stopped job with everything that an operator sets on
// another one, its glue source included.
func (s *Server) copyJob(ctx context.Context, path idPath, form *jobForm) (no created, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if form == nil {
		form = new(jobForm)
	}
	if form.ID != 0 {
		return no, xxladapter.Invalidf("id is %d, must be left out for a new job", form.ID)
	}
	copied := *j
	copied.ID, copied.Running = 0, false
	copied.TriggerLast, copied.TriggerNext, copied.Added, copied.Updated = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	if _, err := s.fill(ctx, &copied, form); err != nil {
		return no, err
	}
	id, err := s.opts.Store.CreateJob(ctx, &copied)
	return created{id}, err
}

// A triggerForm says how a run by hand differs from the job's own runs.
type triggerForm struct {
	Param     *string  `json:"executorParam,omitempty" doc:"The text handed to the handler; left out: the job's own."`
	Addresses []string `json:"addressList,omitempty" doc:"The executors to choose from; left out: those of the group. They must be registered, or be allowed by the scheduler's settings."`
}

// planned names the fire that a call has planned.
type planned struct {
	Fire int64 `json:"fire"`
}

func (s *Server) triggerJob(ctx context.Context, path idPath, form *triggerForm) (no planned, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if form == nil {
		form = new(triggerForm)
	}
	id, err := s.trigger(ctx, j, xxladapter.TriggerManual, form)
	return planned{id}, err
}

// trigger plans a fire that is due now. It works for stopped jobs too.
func (s *Server) trigger(ctx context.Context, j *xxladapter.Job, by xxladapter.TriggerType, form *triggerForm) (int64, error) {
	if err := s.checkAddresses(ctx, j, form.Addresses); err != nil {
		return 0, err
	}
	if form.Param != nil {
		if err := xxladapter.CheckParam(*form.Param); err != nil {
			return 0, err
		}
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return 0, err
	}
	planned, err := s.opts.Store.PlanFires(ctx, []xxladapter.Fire{{
		JobID: j.ID, Due: now.Truncate(time.Millisecond), Type: by,
		State: xxladapter.FirePlanned, RetryCount: -1, Param: form.Param, Addresses: form.Addresses,
	}})
	if err != nil {
		return 0, err
	}
	for _, f := range planned {
		s.opts.Planned(f)
	}
	return planned[0].ID, nil
}

// checkAddresses refuses addresses that are neither registered for the job's
// group nor in the allow list, so that nobody can make the scheduler call a host
// of his choice.
func (s *Server) checkAddresses(ctx context.Context, j *xxladapter.Job, addrs []string) error {
	if len(addrs) == 0 {
		return nil
	}
	g, err := s.opts.Store.Group(ctx, j.GroupID)
	if err != nil {
		return err
	}
	for _, addr := range addrs {
		if slices.Contains(g.Addresses, addr) {
			continue
		}
		if err := s.opts.Addresses.CheckURL("addressList", addr); err != nil {
			return err
		}
		if !s.opts.Addresses.Allows(addr) {
			return xxladapter.Invalidf("addressList contains %q, must be an address of group %s", addr, g.AppName)
		}
	}
	return nil
}

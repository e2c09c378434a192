package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

func (s *Server) listJobs(r *http.Request) (any, error) {
	after, err := queryInt(r, "after")
	if err != nil {
		return nil, err
	}
	limit, err := queryInt(r, "limit")
	if err != nil {
		return nil, err
	}
	jobs, err := s.opts.Store.Jobs(r.Context(), xxladapter.JobFilter{
		Name: r.URL.Query().Get("name"), AfterID: after, Limit: int(limit),
	})
	if err != nil {
		return nil, err
	}
	forms := make([]jobForm, len(jobs))
	for i, j := range jobs {
		forms[i] = showForm(j)
	}
	return map[string]any{"jobs": forms}, nil
}

func (s *Server) showJob(r *http.Request) (any, error) {
	j, err := s.jobOf(r)
	if err != nil {
		return nil, err
	}
	return showForm(j), nil
}

// jobOf loads the job that the path names.
func (s *Server) jobOf(r *http.Request) (*xxladapter.Job, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, err
	}
	return s.job(r.Context(), id)
}

func (s *Server) job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	j, err := s.opts.Store.Job(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, xxladapter.NotFoundf("job %d does not exist", id)
	}
	return j, err
}

func (s *Server) createJob(r *http.Request) (any, error) {
	var form jobForm
	if err := decodeStrict(r, &form); err != nil {
		return nil, err
	}
	if form.ID != 0 {
		return nil, xxladapter.Invalidf("id is %d, must be left out for a new job", form.ID)
	}
	j := new(xxladapter.Job)
	if _, err := s.fill(r.Context(), j, &form); err != nil {
		return nil, err
	}
	id, err := s.opts.Store.CreateJob(r.Context(), j)
	if err != nil {
		return nil, err
	}
	return map[string]int64{"id": id}, nil
}

// updateJob changes the given fields. A running job whose schedule changes goes
// on with the new one from now; what was planned on the old one does not fire
// any more.
func (s *Server) updateJob(r *http.Request) (any, error) {
	j, err := s.jobOf(r)
	if err != nil {
		return nil, err
	}
	var form jobForm
	if err := decodeStrict(r, &form); err != nil {
		return nil, err
	}
	if form.ID != 0 && form.ID != j.ID {
		return nil, xxladapter.Invalidf("id is %d, must be %d as in the path", form.ID, j.ID)
	}
	oldType, oldConf, oldZone := j.ScheduleType, j.ScheduleConf, j.Settings.Zone
	plan, err := s.fill(r.Context(), j, &form)
	if err != nil {
		return nil, err
	}
	reschedule := j.Running && (j.ScheduleType != oldType || j.ScheduleConf != oldConf || j.Settings.Zone != oldZone)
	if reschedule {
		if j.TriggerNext, err = s.firstDue(r.Context(), j, plan); err != nil {
			return nil, err
		}
	}
	if err := s.opts.Store.UpdateJob(r.Context(), j, reschedule); err != nil {
		return nil, err
	}
	if reschedule {
		s.opts.JobChanged()
	}
	return nil, nil
}

// fill applies the form and checks everything that upstream's form checks
// (XxlJobServiceImpl.add and update), and that the schedule can be read.
func (s *Server) fill(ctx context.Context, j *xxladapter.Job, form *jobForm) (cron.Plan, error) {
	if err := form.check(); err != nil {
		return nil, err
	}
	form.apply(j)
	j.SetDefaults()
	j.Handler = strings.TrimSpace(j.Handler)
	if j.GlueType == xxladapter.GlueShell {
		j.GlueSource = strings.ReplaceAll(j.GlueSource, "\r", "")
	}
	if err := j.Validate(); err != nil {
		return nil, err
	}
	if err := s.checkChildren(ctx, j); err != nil {
		return nil, err
	}
	plan, err := s.plan(j)
	if err != nil {
		return nil, err
	}
	// The group comes last, so that "no such group" means that all else is well.
	return plan, s.fillGroup(ctx, j, form)
}

func (s *Server) fillGroup(ctx context.Context, j *xxladapter.Job, form *jobForm) error {
	switch {
	case form.JobGroup != nil && form.AppName != nil:
		return xxladapter.Invalidf("jobGroup and appName are both given, must be one of them")
	case form.AppName != nil:
		g, err := s.groupByApp(ctx, *form.AppName)
		if err != nil {
			return err
		}
		j.GroupID = g.ID
		return nil
	case form.JobGroup != nil:
		j.GroupID = *form.JobGroup
	case j.GroupID == 0:
		return xxladapter.Invalidf("jobGroup is missing, must be the id of a group (or give appName)")
	}
	_, err := s.opts.Store.Group(ctx, j.GroupID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return xxladapter.Invalidf("jobGroup is %d, must be the id of a group", j.GroupID)
	}
	return err
}

func (s *Server) plan(j *xxladapter.Job) (cron.Plan, error) {
	zone := s.opts.Zone
	if own := j.Settings.Zone; own != "" {
		var err error
		if zone, err = time.LoadLocation(own); err != nil {
			return nil, xxladapter.Invalidf("zone is %q, must be an IANA time zone such as Europe/Berlin", own)
		}
	}
	plan, err := cron.ParsePlan(string(j.ScheduleType), j.ScheduleConf, zone)
	if err != nil {
		return nil, &xxladapter.Error{Code: xxladapter.CodeInvalid, Message: err.Error(), Err: err}
	}
	return plan, nil
}

// firstDue is the first due time of a schedule that starts now. Upstream adds
// five seconds, to stay clear of what another node may have read ahead; here
// planned fires are dropped with the old schedule, and nothing has to be skipped.
func (s *Server) firstDue(ctx context.Context, j *xxladapter.Job, plan cron.Plan) (time.Time, error) {
	if j.ScheduleType == xxladapter.ScheduleNone {
		return time.Time{}, xxladapter.Invalidf("schedule_type is %s, must be another one for a job to be started", j.ScheduleType)
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return time.Time{}, err
	}
	next := plan.Next(now)
	if next.IsZero() {
		return time.Time{}, xxladapter.Invalidf("schedule_conf is %q, must have a due time after %s",
			j.ScheduleConf, now.In(s.opts.Zone).Format(time.RFC3339))
	}
	return next, nil
}

func (s *Server) startJob(r *http.Request) (any, error) {
	j, err := s.jobOf(r)
	if err != nil {
		return nil, err
	}
	if j.Running {
		return nil, nil // its due times go on as they are
	}
	plan, err := s.plan(j)
	if err != nil {
		return nil, err
	}
	next, err := s.firstDue(r.Context(), j, plan)
	if err != nil {
		return nil, err
	}
	if err := s.opts.Store.StartJob(r.Context(), j.ID, next); err != nil {
		return nil, err
	}
	s.opts.JobChanged()
	return map[string]time.Time{"triggerNextTime": next}, nil
}

func (s *Server) stopJob(r *http.Request) (any, error) {
	j, err := s.jobOf(r)
	if err != nil {
		return nil, err
	}
	return nil, s.opts.Store.StopJob(r.Context(), j.ID)
}

func (s *Server) removeJob(r *http.Request) (any, error) {
	j, err := s.jobOf(r)
	if err != nil {
		return nil, err
	}
	return nil, s.opts.Store.RemoveJob(r.Context(), j.ID)
}

// triggerJob plans a fire that is due now. It works for stopped jobs too.
func (s *Server) triggerJob(r *http.Request) (any, error) {
	j, err := s.jobOf(r)
	if err != nil {
		return nil, err
	}
	var form struct {
		Param     *string  `json:"executorParam"` // left out: the job's own
		Addresses []string `json:"addressList"`   // left out: the group's
	}
	if r.ContentLength != 0 {
		if err := decodeStrict(r, &form); err != nil {
			return nil, err
		}
	}
	if err := s.checkAddresses(r.Context(), j, form.Addresses); err != nil {
		return nil, err
	}
	now, err := s.opts.Store.Now(r.Context())
	if err != nil {
		return nil, err
	}
	planned, err := s.opts.Store.PlanFires(r.Context(), []xxladapter.Fire{{
		JobID: j.ID, Due: now.Truncate(time.Millisecond), Type: xxladapter.TriggerManual,
		State: xxladapter.FirePlanned, RetryCount: -1, Param: form.Param, Addresses: form.Addresses,
	}})
	if err != nil {
		return nil, err
	}
	for _, f := range planned {
		s.opts.Planned(f)
	}
	return map[string]int64{"fire": planned[0].ID}, nil
}

// checkAddresses refuses addresses that are not registered for the job's group,
// so that nobody can make the scheduler call a host of his choice.
func (s *Server) checkAddresses(ctx context.Context, j *xxladapter.Job, addrs []string) error {
	if len(addrs) == 0 {
		return nil
	}
	g, err := s.opts.Store.Group(ctx, j.GroupID)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(g.Addresses))
	for _, a := range g.Addresses {
		known[a] = true
	}
	for _, a := range addrs {
		if !known[a] {
			return xxladapter.Invalidf("addressList contains %q, must be an address of group %s", a, g.AppName)
		}
	}
	return nil
}

package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/events"
)

func (s *Server) showJob(ctx context.Context, path api.IDPath) (form jobForm, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return form, err
	}
	return showForm(j), nil
}

// job returns a job for which the caller has the role that the call needs.
func (s *Server) job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	j, err := s.opts.Store.Job(ctx, id)
	absent := xxladapter.Absent("job", id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	return j, api.Allow(ctx, j.GroupID, absent)
}

func (s *Server) createJob(ctx context.Context, _ api.None, form jobForm) (no api.Created, err error) {
	if form.ID != 0 {
		return no, xxladapter.Invalidf(errorrule.Omitted, "%s is %d, must be omitted for a new job", "id", form.ID)
	}
	j := new(xxladapter.Job)
	if _, err := s.fill(ctx, j, &form); err != nil {
		return no, err
	}
	id, err := xxladapter.CreateJob(ctx, s.opts.Store, j)
	return api.Created{ID: id}, err
}

// updateJob changes the given fields. If the schedule of a running job changes, the job continues
// with the new one from now on; fires planned on the old schedule are dropped.
func (s *Server) updateJob(ctx context.Context, path api.IDPath, form jobUpdateForm) (no api.None, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if form.ID != 0 && form.ID != j.ID {
		return no, xxladapter.Invalidf(errorrule.AsInPath, "%s is %d, must be %d as in the path", "id", form.ID, j.ID)
	}
	base, err := s.readWith(ctx, j, &form)
	if err != nil {
		return no, err
	}
	if base != nil && !base.Updated.Equal(j.Updated) {
		return no, s.conflict(ctx, j, base, &form.jobForm)
	}
	err = s.change(ctx, j, &form.jobForm)
	if base == nil || !errors.Is(err, xxladapter.ErrConflict) {
		return no, err
	}
	is, readErr := s.job(ctx, path.ID)
	if readErr != nil || is.Updated.Equal(base.Updated) {
		return no, err
	}
	return no, s.conflict(ctx, is, base, &form.jobForm) // another caller was quicker
}

// change applies the form to a stored job and stores it.
func (s *Server) change(ctx context.Context, j *xxladapter.Job, form *jobForm) error {
	old := *j
	plan, err := s.fill(ctx, j, form)
	if err != nil {
		return err
	}
	if form.changesGlue(&old, j) {
		j.GlueUpdated = time.Time{} // a new version
	}
	if old.RescheduledBy(j) {
		err = s.reschedule(ctx, j, plan)
	} else {
		err = xxladapter.UpdateJob(ctx, s.opts.Store, j, false)
	}
	if err == nil && j.GroupID != old.GroupID {
		// The hub's poll tells only those who see the new group.
		s.hub.Tell(events.Event{Topic: events.TopicJob, ID: j.ID, GroupID: old.GroupID})
	}
	return err
}

// reschedule stores a job that continues with the first due time for which the old schedule cannot
// have fired. If that time has passed before it is stored, the next one is tried. From the third
// attempt on, the due time is as far ahead as the attempts before took together.
func (s *Server) reschedule(ctx context.Context, j *xxladapter.Job, plan cron.Plan) error {
	begun, err := s.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	after := begun
	for attempt := 1; ; attempt++ {
		if j.TriggerNext, err = s.nextDue(j, plan, after); err != nil {
			return err
		}
		err = xxladapter.UpdateJob(ctx, s.opts.Store, j, true)
		if err == nil {
			s.opts.JobChanged()
			return nil
		}
		if !errors.Is(err, xxladapter.ErrConflict) || s.changedByAnother(ctx, j) {
			return err
		}
		if after, err = s.opts.Store.Now(ctx); err != nil {
			return err
		}
		if after.Before(j.TriggerNext) {
			after = j.TriggerNext
		}
		if attempt > 1 {
			after = after.Add(after.Sub(begun))
		}
	}
}

// changedByAnother reports whether the job was changed since it was read, or cannot be read.
func (s *Server) changedByAnother(ctx context.Context, j *xxladapter.Job) bool {
	is, err := s.opts.Store.Job(ctx, j.ID)
	return err != nil || !is.Updated.Equal(j.Updated)
}

// fill applies the form. It checks everything that upstream's form checks (XxlJobServiceImpl.add
// and update), and that the schedule can be parsed.
func (s *Server) fill(ctx context.Context, j *xxladapter.Job, form *jobForm) (cron.Plan, error) {
	if err := form.check(); err != nil {
		return nil, err
	}
	if form.AlarmEmail != nil && *form.AlarmEmail != j.AlarmEmail {
		if err := checkEmails(*form.AlarmEmail); err != nil {
			return nil, err
		}
	}
	var old xxladapter.Job // stays zero for a new job
	if j.ID != 0 {
		old = *j
	}
	form.apply(j)
	j.SetDefaults()
	j.Handler = strings.TrimSpace(j.Handler)
	j.StripReturns(&old)
	if err := j.Validate(); err != nil {
		return nil, err
	}
	if err := s.checkChildren(ctx, old.ChildIDs, j); err != nil {
		return nil, err
	}
	plan, err := s.plan(j)
	if err != nil {
		return nil, err
	}
	if j.Settings.Calendar != old.Settings.Calendar {
		if err := s.checkCalendar(ctx, j.Settings.Calendar); err != nil {
			return nil, err
		}
	}
	// The group comes last, so that "no such group" means that everything else is valid.
	if err := s.fillGroup(ctx, j, form); err != nil {
		return nil, err
	}
	return plan, allowScript(ctx, &old, j)
}

// allowScript refuses to bring a script to the executors of a group, by a change, a new job or a
// move, unless the caller may do that.
func allowScript(ctx context.Context, old, j *xxladapter.Job) error {
	switch {
	case old.ID == 0 && j.GlueType == xxladapter.GlueBean && j.GlueSource == "",
		old.ID != 0 && j.GlueType == old.GlueType && j.GlueSource == old.GlueSource && j.GlueRemark == old.GlueRemark &&
			(j.GlueType == xxladapter.GlueBean || j.GroupID == old.GroupID):
		return nil
	}
	return api.AllowRole(ctx, xxladapter.RoleCoder, j.GroupID, noSuchGroup(j.GroupID))
}

func noSuchGroup(id int64) error {
	return xxladapter.Invalidf(errorrule.GroupID, "%s is %d, must be the id of a group", "jobGroup", id)
}

func (s *Server) fillGroup(ctx context.Context, j *xxladapter.Job, form *jobForm) error {
	switch {
	case form.JobGroup != nil && form.AppName != nil:
		return xxladapter.Invalidf(errorrule.ExactlyOne, "%s are both given, must be one of them",
			errorrule.And{"jobGroup", "appName"})
	case form.AppName != nil:
		g, err := s.groupByApp(ctx, *form.AppName)
		if err != nil {
			return err
		}
		j.GroupID = g.ID
		return api.Allow(ctx, j.GroupID, noSuchGroup(j.GroupID))
	case form.JobGroup != nil:
		j.GroupID = *form.JobGroup
	case j.GroupID == 0:
		return xxladapter.Invalidf(errorrule.Missing, "%s is missing, must be the id of a group (or give appName)",
			"jobGroup")
	}
	_, err := s.opts.Store.Group(ctx, j.GroupID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return noSuchGroup(j.GroupID)
	}
	if err != nil {
		return err
	}
	return api.Allow(ctx, j.GroupID, noSuchGroup(j.GroupID))
}

func (s *Server) plan(j *xxladapter.Job) (cron.Plan, error) {
	zone, err := xxladapter.ZoneOf(j.Settings.Zone, s.opts.Zone)
	if err != nil {
		return nil, err
	}
	plan, err := cron.ParsePlan(string(j.ScheduleType), j.ScheduleConf, zone, s.opts.CronProfile)
	if err != nil {
		return nil, wrongSchedule("scheduleConf", err)
	}
	return plan, nil
}

// nextDue returns the first due time after the given instant. Upstream adds five seconds, to avoid
// what another node may have read ahead; here planned fires are dropped with the old schedule, and
// nothing has to be skipped.
func (s *Server) nextDue(j *xxladapter.Job, plan cron.Plan, after time.Time) (time.Time, error) {
	if j.ScheduleType == xxladapter.ScheduleNone {
		return time.Time{}, xxladapter.Invalidf(errorrule.ScheduleStartable,
			"%s is %s, must be another type for the job to be started",
			"scheduleType", j.ScheduleType)
	}
	next := plan.Next(after)
	if next.IsZero() {
		return time.Time{}, xxladapter.Invalidf(errorrule.ScheduleOver, "%s is %q, must have a due time after %s",
			"scheduleConf", j.ScheduleConf, after.In(s.opts.Zone).Format(time.RFC3339))
	}
	return next, nil
}

package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A backfillRequest asks for runs of past due times.
type backfillRequest struct {
	From     time.Time `json:"from" doc:"The first due time may be this one."`
	To       time.Time `json:"to" doc:"Due times are before this instant, which must not be in the future."`
	Parallel int       `json:"parallel,omitempty" doc:"How many runs may be in progress at once, 1 (the default) to 100."`
	Newest   bool      `json:"newest,omitempty" doc:"Run the newest due time first instead of the oldest."`
	Param    *string   `json:"executorParam,omitempty" doc:"The parameter passed to the handler; defaults to the job's own."`
	DryRun   bool      `json:"dryRun,omitempty" doc:"Only return the due times."`
}

// A backfillStarted names a backfill, or says what it would be.
type backfillStarted struct {
	ID    int64       `json:"id,omitempty" doc:"Omitted with dryRun."`
	Total int         `json:"total" doc:"How many due times there are."`
	First *time.Time  `json:"first,omitempty" doc:"The due time that runs first."`
	Last  *time.Time  `json:"last,omitempty" doc:"The due time that runs last."`
	Dues  []time.Time `json:"dueTimes" doc:"The due times in the order of their runs, at most 1000."`
}

// A backfillForm is a backfill as the management API shows it.
type backfillForm struct {
	ID       int64                    `json:"id"`
	JobID    int64                    `json:"jobId"`
	State    xxladapter.BackfillState `json:"state"`
	From     time.Time                `json:"from"`
	To       time.Time                `json:"to"`
	Newest   bool                     `json:"newest,omitempty"`
	Parallel int                      `json:"parallel"`
	Param    *string                  `json:"executorParam,omitempty"`
	By       string                   `json:"by,omitempty" doc:"Who asked for it."`
	Created  time.Time                `json:"addTime"`
	Ended    *time.Time               `json:"ended,omitempty"`

	Total     int           `json:"total" doc:"The number of due times."`
	Planned   int           `json:"planned" doc:"How many of them have become fires."`
	Succeeded int           `json:"succeeded" doc:"Due times whose first attempt succeeded."`
	Failed    int           `json:"failed" doc:"Due times whose first attempt failed. Retries follow as for any run, and are not counted."`
	Dropped   int           `json:"dropped" doc:"Due times that did not become a run, or whose run was deleted."`
	Open      []backfillRun `json:"open" doc:"Due times in progress."`
}

type backfillRun struct {
	Due   time.Time `json:"due"`
	Order int64     `json:"order" doc:"Finds the run; see /api/v1/orders/{id}."`
}

func showBackfill(b *xxladapter.Backfill) backfillForm {
	form := backfillForm{
		ID: b.ID, JobID: b.JobID, State: b.State, From: b.From, To: b.To, Newest: b.Newest, Parallel: b.Parallel,
		Param: b.Param, By: b.By,
		Created: b.Created, Ended: api.Given(b.Ended), Total: b.Total, Planned: b.Planned, Succeeded: b.Succeeded,
		Failed: b.Failed, Dropped: b.Dropped,
		Open: []backfillRun{},
	}
	for _, run := range b.Open {
		form.Open = append(form.Open, backfillRun(run))
	}
	return form
}

// startBackfill begins a backfill, or with DryRun only returns its due times.
func (s *Server) startBackfill(
	ctx context.Context, path api.IDPath, form backfillRequest,
) (no backfillStarted, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return no, err
	}
	if form.Parallel == 0 {
		form.Parallel = 1
	}
	if err := form.check(now); err != nil {
		return no, err
	}
	plan, err := s.plan(j)
	if err != nil {
		return no, err
	}
	dues, err := duesOf(j, plan, form.From, form.To)
	if err != nil {
		return no, err
	}
	if form.Newest {
		slices.Reverse(dues)
	}
	started := backfillStarted{
		Total: len(dues), First: &dues[0], Last: &dues[len(dues)-1], Dues: dues[:min(len(dues), api.MaxPage)],
	}
	if form.DryRun {
		return started, nil
	}
	b := &xxladapter.Backfill{JobID: j.ID, Dues: dues}
	b.From, b.To, b.Newest, b.Parallel, b.Param, b.By = form.From, form.To, form.Newest, form.Parallel, form.Param,
		actorOf(ctx)
	if started.ID, err = s.opts.Store.CreateBackfill(ctx, b); err != nil {
		return no, err
	}
	s.opts.Backfilling()
	return started, nil
}

func (f *backfillRequest) check(now time.Time) error {
	switch {
	case f.From.Year() < 1971:
		return xxladapter.Invalidf(errorrule.After, "%s is %s, must be after %d", "from", f.From.Format(time.RFC3339), 1970)
	case !f.From.Before(f.To):
		return xxladapter.Invalidf(errorrule.After, "%s is %s, must be after %s", "to", f.To.Format(time.RFC3339), "from")
	case f.To.After(now):
		return xxladapter.Invalidf(errorrule.Past, "%s is %s, must not be after now, %s",
			"to", f.To.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case f.Parallel < 1 || f.Parallel > xxladapter.MaxBackfillParallel:
		return xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d",
			"parallel", f.Parallel, 1, xxladapter.MaxBackfillParallel)
	}
	return xxladapter.CheckOverride(f.Param)
}

// duesOf returns the due times of a schedule in a range, oldest first and at least one. Those of a
// fixed rate count from the beginning of the range.
func duesOf(j *xxladapter.Job, plan cron.Plan, from, to time.Time) (dues []time.Time, err error) {
	var at time.Time
	switch j.ScheduleType {
	case xxladapter.ScheduleCron:
		at = plan.Next(from.Add(-time.Millisecond))
	case xxladapter.ScheduleFixRate:
		at = from
	default:
		return nil, xxladapter.Invalidf(errorrule.ScheduleBackfill, "%s is %s, must be CRON or FIX_RATE for a backfill",
			"scheduleType", j.ScheduleType)
	}
	for ; !at.IsZero() && at.Before(to); at = plan.Next(at) {
		if at.Before(from) {
			continue
		}
		if len(dues) == xxladapter.MaxBackfill {
			return nil, xxladapter.Invalidf(errorrule.DueTimesTooMany,
				"%[1]s have more than %[2]d due times between them, must have at most %[2]d",
				errorrule.And{"from", "to"}, xxladapter.MaxBackfill)
		}
		dues = append(dues, time.UnixMilli(at.UnixMilli()).UTC())
	}
	if len(dues) == 0 {
		return nil, xxladapter.Invalidf(errorrule.DueTimesNone, "%s have no due time between them, must have at least one",
			errorrule.And{"from", "to"})
	}
	return dues, nil
}

type backfillQuery struct {
	Job   int64                    `query:"job" doc:"Only backfills of this job."`
	State xxladapter.BackfillState `query:"state" doc:"Only backfills in this state."`
	api.Page
}

type backfillList struct {
	Backfills []backfillForm `json:"backfills" doc:"Newest first."`
	Next      int64          `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

func (s *Server) listBackfills(ctx context.Context, q backfillQuery) (no backfillList, err error) {
	if err := q.State.Validate(); err != nil {
		return no, err
	}
	found, err := s.opts.Store.Backfills(
		ctx, xxladapter.BackfillFilter{JobID: q.Job, State: q.State, Before: q.After, Limit: q.Size() + 1},
	)
	if err != nil {
		return no, err
	}
	list := backfillList{Backfills: []backfillForm{}}
	found, list.Next = api.CutPage(found, q.Size(), func(b *xxladapter.Backfill) int64 { return b.ID })
	for _, b := range found {
		list.Backfills = append(list.Backfills, showBackfill(b))
	}
	return list, nil
}

func (s *Server) showBackfill(ctx context.Context, path api.IDPath) (no backfillForm, err error) {
	b, err := s.backfill(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return showBackfill(b), nil
}

func (s *Server) cancelBackfill(ctx context.Context, path api.IDPath) (no api.None, err error) {
	if _, err := s.backfill(ctx, path.ID); err != nil {
		return no, err
	}
	return no, s.opts.Store.CancelBackfill(ctx, path.ID)
}

// backfill returns a backfill of a job for which the caller has the role that the call needs.
func (s *Server) backfill(ctx context.Context, id int64) (*xxladapter.Backfill, error) {
	absent := xxladapter.Absent("backfill", id)
	b, err := s.opts.Store.Backfill(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	j, err := s.opts.Store.Job(ctx, b.JobID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	return b, api.Allow(ctx, j.GroupID, absent)
}

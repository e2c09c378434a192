package admin

import (
	"context"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// maxPreview is the largest number of due times in one answer.
const maxPreview = 100

// An instantList holds future due times. It is shorter than requested if the schedule ends.
type instantList struct {
	Next []time.Time `json:"next"`
}

type previewQuery struct {
	idPath
	Count int `query:"count" doc:"Number of due times, 1 to 100 (default 5)."`
}

func (s *Server) nextOfJob(ctx context.Context, q previewQuery) (no instantList, err error) {
	j, err := s.job(ctx, q.ID)
	if err != nil {
		return no, err
	}
	plan, err := s.plan(j)
	if err != nil {
		return no, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return no, err
	}
	if j.Running && !j.TriggerNext.IsZero() {
		// The scheduler continues from the stored due time, even if that has passed.
		list, err := preview(plan, j.TriggerNext, q.Count, j.TriggerNext)
		return list, err
	}
	return preview(plan, now, q.Count)
}

type cronQuery struct {
	Expr    string    `query:"expr" doc:"The expression, at most 128 bytes."`
	Zone    string    `query:"zone" doc:"The IANA time zone of the expression; defaults to the scheduler's."`
	Profile string    `query:"profile" doc:"quartz, xxl34, sane or unix; defaults to the scheduler's."`
	From    time.Time `query:"from" doc:"The instant after which to start; defaults to now."`
	Count   int       `query:"count" doc:"Number of times, 1 to 100 (default 5)."`
}

func (s *Server) nextOfCron(ctx context.Context, q cronQuery) (no instantList, err error) {
	if len(q.Expr) > 128 { // the limit of a job's column; longer ones only cost time
		return no, xxladapter.Invalidf("expr has %d bytes, must have at most 128", len(q.Expr))
	}
	profile := s.opts.CronProfile
	if q.Profile != "" {
		if profile, err = cron.ParseProfile(q.Profile); err != nil {
			return no, &xxladapter.Error{Code: xxladapter.CodeInvalid, Message: err.Error(), Err: err}
		}
	}
	zone := s.opts.Zone
	if q.Zone != "" {
		if zone, err = time.LoadLocation(q.Zone); err != nil || strings.EqualFold(q.Zone, "local") {
			return no, xxladapter.Invalidf("zone is %q, must be an IANA time zone such as Europe/Berlin", q.Zone)
		}
	}
	schedule, err := cron.Parse(q.Expr, profile)
	if err != nil {
		return no, &xxladapter.Error{Code: xxladapter.CodeInvalid, Message: err.Error(), Err: err}
	}
	from := q.From
	if from.IsZero() {
		if from, err = s.opts.Store.Now(ctx); err != nil {
			return no, err
		}
	}
	return preview(schedule.In(zone), from, q.Count)
}

// preview lists count due times: first the known ones, then those after an instant.
func preview(plan cron.Plan, after time.Time, count int, known ...time.Time) (instantList, error) {
	if count == 0 {
		count = 5
	}
	if count > maxPreview {
		return instantList{}, xxladapter.Invalidf("count is %d, must be 1 to %d", count, maxPreview)
	}
	list := append([]time.Time{}, known...)
	for len(list) < count {
		if after = plan.Next(after); after.IsZero() {
			break
		}
		list = append(list, after)
	}
	return instantList{list}, nil
}

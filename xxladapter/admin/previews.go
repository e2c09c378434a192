package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/preview"
)

// maxSuppressed is the largest number of rows of suppressed due times in one answer.
const maxSuppressed = 100

// An instantList holds due times. There are fewer than requested if the schedule ends, the year
// 9999 ends or a pause has no end, and after [maxSuppressed] rows of suppressed ones.
type instantList struct {
	Next       []time.Time       `json:"next"`
	Suppressed []suppressedTimes `json:"suppressed,omitempty" doc:"Due times before or between those of next that will not fire, at most 100 rows."`
}

// suppressedTimes are due times that a pause or a calendar suppresses.
type suppressedTimes struct {
	From     time.Time `json:"from" doc:"The first of them."`
	To       time.Time `json:"to" doc:"The last of them; for a pause without an end, the first."`
	PauseID  int64     `json:"pauseId,omitempty"`
	Calendar string    `json:"calendar,omitempty"`
}

type previewQuery struct {
	api.IDPath
	Count int `query:"count" doc:"Number of due times, 1 to 100 (default 5)."`
}

func (s *Server) nextOfJob(ctx context.Context, q previewQuery) (no instantList, err error) {
	count, err := preview.NextOf(q.Count)
	if err != nil {
		return no, err
	}
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
	next := plan.Next(now)
	if j.Running && !j.TriggerNext.IsZero() && !j.Waits() {
		// The scheduler continues from the stored due time, even if that has passed. A schedule
		// that waits for the end of a run is shown as if that ended now.
		next = j.TriggerNext
	}
	r, err := s.restrictions(ctx)
	if err != nil {
		return no, err
	}
	return nextFires(j, plan, next, count, r, s.zoneOf(j.Settings.Zone)), nil
}

// zoneOf returns the time zone of a schedule by its name, and the scheduler's if that is empty or
// unknown.
func (s *Server) zoneOf(name string) *time.Location {
	if zone, err := xxladapter.ZoneOf(name, s.opts.Zone); err == nil {
		return zone
	}
	return s.opts.Zone
}

// nextFires lists the next due times that fire, from the given one on, and those that do not.
func nextFires(
	j *xxladapter.Job, plan cron.Plan, next time.Time, count int, r *xxladapter.Restrictions, zone *time.Location,
) instantList {
	list := instantList{Next: []time.Time{}}
	for expressible(next) && len(list.Next) < count && len(list.Suppressed) < maxSuppressed {
		suppressed, ok := r.Suppression(j, next, zone)
		if !ok {
			list.Next = append(list.Next, next)
			next = plan.Next(next)
			continue
		}
		row := suppressedTimes{From: next, To: next}
		if !suppressed.Until.IsZero() {
			row.To = cron.Last(plan, next, suppressed.Until.Add(-time.Millisecond))
		}
		if suppressed.Pause != nil {
			row.PauseID = suppressed.Pause.ID
		} else {
			row.Calendar = suppressed.Calendar.Name
		}
		list.Suppressed = append(list.Suppressed, row)
		if suppressed.Until.IsZero() {
			break
		}
		next = plan.Next(row.To)
	}
	return list
}

type cronQuery struct {
	Expr    string    `query:"expr" doc:"The expression, at most 128 bytes."`
	Zone    string    `query:"zone" doc:"The IANA time zone of the expression; defaults to the scheduler's."`
	Profile string    `query:"profile" doc:"quartz, xxl34, sane or unix; defaults to the scheduler's."`
	From    time.Time `query:"from" doc:"The instant after which to start; defaults to now."`
	Count   int       `query:"count" doc:"Number of times, 1 to 100 (default 5)."`
}

func (s *Server) nextOfCron(ctx context.Context, q cronQuery) (no instantList, err error) {
	count, err := preview.NextOf(q.Count)
	if err != nil {
		return no, err
	}
	asked, err := preview.CronRequest{Expr: q.Expr, Zone: q.Zone, Profile: q.Profile}.Read(s.opts.Zone, s.opts.CronProfile)
	if err != nil {
		return no, err
	}
	schedule, err := cron.Parse(asked.Conf, asked.Profile)
	if err != nil {
		return no, wrongSchedule("expr", err)
	}
	from := q.From
	if from.IsZero() {
		if from, err = s.opts.Store.Now(ctx); err != nil {
			return no, err
		}
	}
	if err := api.CheckYear("from", from); err != nil {
		return no, err
	}
	return instantList{Next: nextTimes(schedule.In(asked.Zone), from, count)}, nil
}

// expressible reports whether there is a due time that JSON can express: in its own zone, it is not
// after the year 9999.
func expressible(due time.Time) bool { return !due.IsZero() && due.Year() <= api.LastYear }

// nextTimes lists the first count due times after an instant; fewer if the schedule ends.
func nextTimes(plan cron.Plan, after time.Time, count int) []time.Time {
	list := []time.Time{}
	for len(list) < count {
		if after = plan.Next(after); !expressible(after) {
			break
		}
		list = append(list, after)
	}
	return list
}

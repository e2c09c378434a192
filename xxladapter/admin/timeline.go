package admin

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/rule"
	"github.com/xxlwheel/xxlwheel/xxladapter/why"
)

const (
	// maxTimeline limits the due times and the runs of one timeline, and maxMisfires the misfires.
	maxTimeline = 10_000
	// timelineSpan is the length of a timeline whose bounds are not given.
	timelineSpan = time.Hour
	// maxTimelineSpan is the length of the longest timeline.
	maxTimelineSpan = 32 * 24 * time.Hour
)

type timelineQuery struct {
	api.IDPath
	From time.Time `query:"from" doc:"The first instant; defaults to an hour before to."`
	To   time.Time `query:"to" doc:"The instant before which it ends, at most 32 days after from; defaults to now."`
}

// A spanForm is a time in which one schedule of a job stood.
type spanForm struct {
	From         time.Time               `json:"from"`
	To           time.Time               `json:"to" doc:"It ends before this instant."`
	Running      bool                    `json:"running"`
	ScheduleType xxladapter.ScheduleType `json:"scheduleType"`
	ScheduleConf string                  `json:"scheduleConf"`
	Zone         string                  `json:"zone,omitempty" doc:"Empty means the scheduler's."`
}

// A tickForm is a due time of the schedule.
type tickForm struct {
	Due  api.Stamp `json:"due"`
	Fate why.Fate  `json:"fate" doc:"What became of it: it has a run, its fire waits, it was found too late, it is kept by a pause or by the calendar, it is still to come, or nothing is stored about it."`
}

// A barForm is a run on a timeline.
type barForm struct {
	LogID    int64                  `json:"logId"`
	Due      api.Stamp              `json:"due"`
	Type     xxladapter.TriggerType `json:"triggerType"`
	Attempt  int                    `json:"attempt"`
	Parent   int64                  `json:"parentLogId,omitempty"`
	Node     string                 `json:"node"`
	Claimed  api.Stamp              `json:"claimed"`
	Sent     api.Stamp              `json:"sent,omitempty"`
	Finished api.Stamp              `json:"finished,omitempty"`
	Lateness int64                  `json:"latenessMs"`
	Status   xxladapter.LogStatus   `json:"status"`
}

type timelineAnswer struct {
	From      time.Time          `json:"from"`
	To        time.Time          `json:"to"`
	Present   bool               `json:"scheduleIsPresent,omitempty" doc:"True if the job was changed since from, and nothing tells how its schedule was: the due times are those of the present one."`
	Schedules []spanForm         `json:"schedules" doc:"The schedules that the job had in that time, one after the other."`
	Planned   []tickForm         `json:"planned" doc:"The due times of those schedules. A schedule that is off has none."`
	Runs      []barForm          `json:"runs" doc:"The runs that were due in that time, by due time."`
	Misfires  []runs.MisfireForm `json:"misfires" doc:"Due times that got no fire of their own, with the strategy that decided so."`
	More      bool               `json:"more,omitempty" doc:"True if there are more than 10,000 due times, runs or misfires; those are left out, and of the misfires the oldest ones."`
}

func (s *Server) timelineOfJob(ctx context.Context, q timelineQuery) (no timelineAnswer, err error) {
	if q.To.IsZero() {
		if q.To, err = s.opts.Store.Now(ctx); err != nil {
			return no, err
		}
		if !q.From.IsZero() && q.To.Before(q.From) {
			q.To = q.From.Add(timelineSpan)
		}
	}
	if q.From.IsZero() {
		q.From = q.To.Add(-timelineSpan)
	}
	switch {
	case !q.From.Before(q.To):
		return no, xxladapter.Invalidf(rule.Before, "%s is %s, must be before to, %s",
			"from", q.From.Format(time.RFC3339), q.To.Format(time.RFC3339))
	case q.To.Sub(q.From) > maxTimelineSpan:
		return no, xxladapter.Invalidf(rule.Span, "%s is %v after from, must be at most %v",
			"to", q.To.Sub(q.From), maxTimelineSpan)
	}
	p, err := s.pastOf(ctx, q.ID, q.From, q.To, maxTimeline+1)
	if err != nil {
		return no, err
	}
	planned, more := why.Planned(p.spans, maxTimeline)
	answer := timelineAnswer{
		From: q.From.In(p.zone), To: q.To.In(p.zone), Present: p.spans[0].Present, More: more || p.more,
		Schedules: []spanForm{}, Planned: []tickForm{}, Runs: []barForm{}, Misfires: []runs.MisfireForm{},
	}
	for i := range p.spans {
		then := &p.spans[i]
		answer.Schedules = append(answer.Schedules, spanForm{
			then.From.In(p.zone), then.To.In(p.zone), then.Running, then.Type, then.Conf, then.Zone,
		})
	}
	answer.Planned = slices.Grow(answer.Planned, len(planned))
	for _, t := range s.fates(p, planned) {
		answer.Planned = append(answer.Planned, tickForm{api.StampOf(t.Due), t.Fate})
	}
	if len(p.runs) > maxTimeline {
		p.runs, answer.More = p.runs[:maxTimeline], true
	}
	answer.Runs = slices.Grow(answer.Runs, len(p.runs))
	for i := range p.runs {
		r := &p.runs[i]
		answer.Runs = append(answer.Runs, barForm{
			r.LogID, api.StampOf(r.Due), r.Type, r.Attempt, r.Parent, r.Owner.Node, api.StampOf(r.Claimed),
			api.StampOf(r.Sent), api.StampOf(r.Finished), r.Lateness().Milliseconds(), r.Status(),
		})
	}
	for i := range p.misfires {
		answer.Misfires = append(answer.Misfires, runs.ShowMisfire(&p.misfires[i]))
	}
	return answer, nil
}

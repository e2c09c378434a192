package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/why"
)

// maxTimeline limits the due times and the runs of one timeline, and maxMisfires the misfires.
const maxTimeline = 10_000

type timelineQuery struct {
	api.IDPath
	From time.Time `query:"from" doc:"The first instant; defaults to an hour before to."`
	To   time.Time `query:"to" doc:"The instant before which it ends, at most 32 days after from; defaults to now."`
}

// A spanForm is a time in which a job had one schedule.
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
	Fate why.Fate  `json:"fate" doc:"What became of it: it has a run, its fire waits, it was found too late, a pause or the calendar suppresses it, it is still to come, or nothing is stored about it."`
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
	var now time.Time
	if q.To.IsZero() {
		if now, err = s.opts.Store.Now(ctx); err != nil {
			return no, err
		}
	}
	from, to, err := why.WindowOf(q.From, q.To, now)
	if err != nil {
		return no, err
	}
	p, err := s.pastOf(ctx, q.ID, from, to, maxTimeline+1)
	if err != nil {
		return no, err
	}
	planned, more := why.Planned(p.spans, maxTimeline)
	if more = more || p.more; len(p.runs) > maxTimeline {
		p.runs, more = p.runs[:maxTimeline], true
	}
	answer := showTimeline(p, s.fates(p, planned))
	answer.From, answer.To, answer.More = from.In(p.zone), to.In(p.zone), more
	return answer, nil
}

// showTimeline shows all that is known of a past, and what became of its due times.
func showTimeline(p *past, ticks []why.Tick) timelineAnswer {
	answer := timelineAnswer{
		Present: p.spans[0].Present, Schedules: []spanForm{},
		Planned: make([]tickForm, 0, len(ticks)), Runs: make([]barForm, 0, len(p.runs)), Misfires: []runs.MisfireForm{},
	}
	for i := range p.spans {
		then := &p.spans[i]
		answer.Schedules = append(answer.Schedules, spanForm{
			From: then.From.In(p.zone), To: then.To.In(p.zone), Running: then.Running,
			ScheduleType: then.Type, ScheduleConf: then.Conf, Zone: then.Zone,
		})
	}
	for _, t := range ticks {
		answer.Planned = append(answer.Planned, tickForm{api.StampOf(t.Due), t.Fate})
	}
	for i := range p.runs {
		answer.Runs = append(answer.Runs, showBar(&p.runs[i]))
	}
	for i := range p.misfires {
		answer.Misfires = append(answer.Misfires, runs.ShowMisfire(&p.misfires[i]))
	}
	return answer
}

func showBar(r *xxladapter.DueRun) barForm {
	return barForm{
		LogID: r.LogID, Due: api.StampOf(r.Due), Type: r.Type, Attempt: r.Attempt, Parent: r.Parent,
		Node: r.Owner.Node, Claimed: api.StampOf(r.Claimed), Sent: api.StampOf(r.Sent),
		Finished: api.StampOf(r.Finished), Lateness: r.Lateness().Milliseconds(), Status: r.Status(),
	}
}

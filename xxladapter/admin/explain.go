package admin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/why"
)

// Runs are searched for among those that were triggered within soonLate of their due times. A
// second search goes up to longLate if the job has misfires, or due times without any record. For a
// range of at most a minute, the first search goes that far.
const (
	soonLate = 10 * time.Minute
	longLate = 24 * time.Hour
)

// A past is what the store knows about a job in a range of time.
type past struct {
	job      *xxladapter.Job
	spans    []why.Span
	zone     *time.Location // of the first span
	now      time.Time      // by the store's clock
	local    time.Time      // by this machine's, at the same moment
	runs     []xxladapter.DueRun
	open     []xxladapter.Fire
	misfires []xxladapter.Misfire // in ascending order
	// more is true if the job has more misfires in that range than maxMisfires, and only the newest
	// ones are here.
	more bool

	restrictions *xxladapter.Restrictions
}

// pastOf gathers what is known about a job in a range of time, which includes from and excludes to.
//
// The reads are no snapshot, and a due time goes from one table to the next meanwhile: from a
// planned fire to a run or, with a pause, to a misfire, and never back. Read in that order, none is
// lost between two reads. A due time that is found twice has moved on; see [stillOpen].
func (s *Server) pastOf(ctx context.Context, id int64, from, to time.Time, limit int) (p *past, err error) {
	p = &past{}
	if err := s.readSchedules(ctx, p, id, from, to); err != nil {
		return nil, err
	}
	if p.now, err = s.opts.Store.Now(ctx); err != nil {
		return nil, err
	}
	p.local = time.Now() // before the other reads, which may be slow
	if p.restrictions, err = s.restrictions(ctx); err != nil {
		return nil, err
	}
	open, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{JobID: id, DueBefore: to, Limit: limit})
	if err != nil {
		return nil, err
	}
	p.open = slices.DeleteFunc(open, func(f xxladapter.Fire) bool { return f.Due.Before(from) })
	filter := xxladapter.RunsDueFilter{JobID: id, From: from, To: to, Late: soonLate, Limit: limit}
	if to.Sub(from) <= time.Minute {
		filter.Late = longLate
	}
	if p.runs, err = s.opts.Store.RunsDue(ctx, filter); err != nil {
		return nil, err
	}
	if p.misfires, p.more, err = s.misfiresIn(ctx, id, from, to); err != nil {
		return nil, err
	}
	why.SetAnchors(p.spans, p.job, p.runs, p.open)
	planned, _ := why.Planned(p.spans, limit)
	if filter.Late < longLate && (len(p.misfires) > 0 ||
		slices.ContainsFunc(s.fates(p, planned), func(t why.Tick) bool { return t.Fate == why.FateNothing })) {
		filter.Late, filter.Beyond = longLate, soonLate
		late, err := s.opts.Store.RunsDue(ctx, filter)
		if err != nil {
			return nil, err
		}
		p.runs = append(p.runs, late...)
		slices.SortFunc(p.runs, func(a, b xxladapter.DueRun) int {
			return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.LogID, b.LogID))
		})
	}
	p.open = stillOpen(p)
	return p, nil
}

// readSchedules reads a job, and the audit rows and versions that tell which schedules it had. An
// edit between two of these reads would appear as a change back to what was before, so all are read
// again.
func (s *Server) readSchedules(ctx context.Context, p *past, id int64, from, to time.Time) error {
	const most = 3 // attempts, for a job that somebody keeps editing
	var rows []xxladapter.AuditRow
	var versions []*xxladapter.JobVersion
	j, err := s.job(ctx, id)
	for range most {
		if err != nil {
			return err
		}
		p.job = j
		if rows, err = s.opts.Store.AuditRows(
			ctx, xxladapter.AuditFilter{Kind: xxladapter.AuditJob, ObjectID: id, NoOrders: true},
		); err != nil {
			return err
		}
		if versions, err = s.opts.Store.JobVersions(ctx, xxladapter.JobVersionFilter{JobID: id}); err != nil {
			return err
		}
		if j, err = s.job(ctx, id); err == nil && len(xxladapter.DiffFields(p.job.Fields(), j.Fields())) == 0 {
			break
		}
	}
	if err != nil {
		return err
	}
	actors, err := s.audit.ShownActors(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Actor = actors(rows[i].Actor)
	}
	p.spans = why.Spans(p.job, rows, versions, from, to)
	for i := range p.spans {
		p.spans[i].Plan = s.planOf(p.job, p.spans[i].Schedule)
	}
	p.zone = s.zoneOf(p.spans[0].Schedule.Zone)
	return nil
}

// A firstKnown is what a planned fire has in common with the run that it becomes.
type firstKnown struct {
	due     int64 // in milliseconds
	kind    xxladapter.TriggerType
	parent  int64
	attempt int
	shard   int // anyShard for a fire that may become several runs
}

const anyShard = -1

// stillOpen returns the open fires without the planned ones that have moved on since they were
// read: to a run, or to the misfire of a pause. Claimed ones stay: they have a run all the time.
func stillOpen(p *past) []xxladapter.Fire {
	if len(p.open) == 0 {
		return nil
	}
	ran := map[firstKnown]bool{}
	for _, r := range p.runs {
		of := firstKnown{
			due: r.Due.UnixMilli(), kind: r.Type, parent: r.Parent, attempt: r.Attempt, shard: r.ShardIndex,
		}
		ran[of] = true
		of.shard = anyShard
		ran[of] = true
	}
	paused := slices.DeleteFunc(slices.Clone(p.misfires), func(m xxladapter.Misfire) bool { return m.PauseID == 0 })
	return slices.DeleteFunc(p.open, func(f xxladapter.Fire) bool {
		if f.LogID != 0 {
			return false
		}
		of := firstKnown{
			due: f.Due.UnixMilli(), kind: f.Type, parent: f.Parent, attempt: max(1, f.Attempt), shard: f.ShardIndex,
		}
		if f.ShardTotal == 0 {
			of.shard = anyShard
		}
		return ran[of] || f.Type.Scheduled() && slices.ContainsFunc(paused, func(m xxladapter.Misfire) bool {
			return !m.Due.After(f.Due) && !m.Until.Before(f.Due)
		})
	})
}

// planOf returns the plan of a schedule that a job has or had; nil if the schedule cannot be read,
// which a finding then says.
func (s *Server) planOf(j *xxladapter.Job, then why.Schedule) cron.Plan {
	with := *j
	with.ScheduleType, with.ScheduleConf, with.Settings.Zone = then.Type, then.Conf, then.Zone
	plan, err := s.plan(&with)
	if err != nil {
		return nil
	}
	return plan
}

// fates says what became of due times, or will become of them. Coming due times are suppressed by
// pauses, and by calendars in the time zone of the present schedule.
func (s *Server) fates(p *past, planned []time.Time) []why.Tick {
	ticks := why.Fates(planned, p.runs, p.open, p.misfires, p.now)
	why.Coming(ticks, p.restrictions, p.job, s.zoneOf(p.spans[len(p.spans)-1].Schedule.Zone))
	return ticks
}

// maxMisfires limits how many misfires of one range are read.
const maxMisfires = 10_000

// misfiresIn lists the misfires of a job that concern a range of time, in ascending order: the
// newest ones if there are more than maxMisfires.
func (s *Server) misfiresIn(
	ctx context.Context, id int64, from, to time.Time,
) (found []xxladapter.Misfire, more bool, err error) {
	found, err = s.opts.Store.Misfires(
		ctx, xxladapter.MisfireFilter{JobID: id, From: from, To: to, Newest: true, Limit: maxMisfires + 1},
	)
	if more = len(found) > maxMisfires; more {
		found = found[:maxMisfires]
	}
	slices.SortStableFunc(found, func(a, b xxladapter.Misfire) int { return a.Due.Compare(b.Due) })
	return found, more, err
}

type whyQuery struct {
	api.IDPath
	At time.Time `query:"at" doc:"The time at which the job should have run; defaults to the present minute. On a whole minute, the whole of that minute is meant, otherwise that second."`
}

// A findingForm is one reason, with what proves it.
type findingForm struct {
	Code     why.Code       `json:"code"`
	Params   map[string]any `json:"params" doc:"The values that the words name, as texts."`
	Evidence []evidenceForm `json:"evidence" doc:"The records that prove it."`
	Words    wordsForm      `json:"words"`
}

type evidenceForm struct {
	Record string         `json:"record" doc:"What it is: job, log, history, fire, misfire, pause, calendar, lease, audit or clock."`
	ID     int64          `json:"id,omitempty"`
	Facts  map[string]any `json:"facts" doc:"Its fields that matter, as texts."`
}

type wordsForm struct {
	English string `json:"en"`
	Chinese string `json:"zh"`
}

type whyAnswer struct {
	From     time.Time     `json:"from" doc:"The time in question begins here."`
	To       time.Time     `json:"to" doc:"It ends before this instant."`
	Present  bool          `json:"scheduleIsPresent,omitempty" doc:"True if the job was changed since, and nothing tells how its schedule was: the answer is by the present one."`
	Findings []findingForm `json:"findings" doc:"The reasons, in the order in which they matter."`
}

func (s *Server) whyOfJob(ctx context.Context, q whyQuery) (no whyAnswer, err error) {
	if q.At.IsZero() {
		if q.At, err = s.opts.Store.Now(ctx); err != nil {
			return no, err
		}
		q.At = q.At.Truncate(time.Minute)
	}
	from, to := why.TimeMeant(q.At)
	for _, at := range []time.Time{from, to} {
		if err := api.CheckYear("at", at); err != nil {
			return no, err
		}
	}
	p, err := s.pastOf(ctx, q.ID, from, to, api.MaxPage)
	if err != nil {
		return no, err
	}
	facts, err := s.factsOf(ctx, p, from.In(p.zone), to.In(p.zone))
	if err != nil {
		return no, err
	}
	answer := whyAnswer{From: facts.From, To: facts.To, Present: p.spans[0].Present, Findings: []findingForm{}}
	for _, f := range why.Decide(*facts) {
		answer.Findings = append(answer.Findings, showFinding(f))
	}
	return answer, nil
}

// factsOf adds to a past what only the explanation of one time needs.
func (s *Server) factsOf(ctx context.Context, p *past, from, to time.Time) (*why.Facts, error) {
	f := &why.Facts{
		Job: p.job, Spans: p.spans, From: from, To: to, Now: p.now, Local: p.local, SkewLimit: s.opts.Info.SkewLimit,
		Open: p.open, Misfires: p.misfires,
		Restrictions: p.restrictions, Pauses: map[int64]xxladapter.Pause{},
	}
	for _, m := range p.misfires {
		if m.PauseID == 0 {
			continue
		}
		pause, err := s.pause(ctx, m.PauseID)
		if err == nil {
			f.Pauses[m.PauseID] = pause
		} else if !errors.Is(err, xxladapter.ErrNotFound) {
			return nil, err
		}
	}
	var err error
	if f.Leases, err = s.opts.Store.Leases(ctx); err != nil {
		return nil, err
	}
	if f.Group, err = s.opts.Store.Group(ctx, p.job.GroupID); err != nil && !errors.Is(err, xxladapter.ErrNotFound) {
		return nil, err
	}
	known := map[int64]bool{}
	for _, r := range p.runs {
		known[r.LogID] = true
		l, err := s.opts.Store.Log(ctx, r.LogID)
		if errors.Is(err, xxladapter.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		f.Runs = append(f.Runs, why.Run{Log: l, History: &r.RunHistory})
	}
	return f, s.addUntraced(ctx, f, known)
}

// addUntraced adds the runs that another program handed over in the time in question.
func (s *Server) addUntraced(ctx context.Context, f *why.Facts, known map[int64]bool) error {
	logs, err := s.opts.Store.Logs(
		ctx, xxladapter.LogFilter{JobID: f.Job.ID, Since: f.From, Before: f.To, Limit: api.MaxPage},
	)
	if err != nil {
		return err
	}
	ids := make([]int64, len(logs))
	for i, l := range logs {
		ids[i] = l.ID
	}
	histories, err := s.opts.Store.RunHistories(ctx, ids)
	for _, l := range logs {
		if _, traced := histories[l.ID]; !traced && !known[l.ID] {
			f.Runs = append(f.Runs, why.Run{Log: l})
		}
	}
	return err
}

func showFinding(f why.Finding) findingForm {
	form := findingForm{Code: f.Code, Params: texts(f.Params), Evidence: []evidenceForm{}, Words: wordsForm{
		f.Words(why.English), f.Words(why.Chinese),
	}}
	for _, r := range f.Evidence {
		form.Evidence = append(form.Evidence, evidenceForm{r.Kind, r.ID, texts(r.Facts)})
	}
	return form
}

func texts(values map[string]string) map[string]any {
	shown := make(map[string]any, len(values))
	for name, value := range values {
		shown[name] = value
	}
	return shown
}

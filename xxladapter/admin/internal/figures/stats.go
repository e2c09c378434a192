package figures

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

type statQuery struct {
	From  time.Time         `query:"from" doc:"Only runs triggered at or after this instant, extended to a whole hour of UTC; defaults to 24 hours before to."`
	To    time.Time         `query:"to" doc:"Only runs triggered before this instant, extended to a whole hour of UTC; defaults to now."`
	By    xxladapter.StatBy `query:"by" doc:"What the figures are divided by; defaults to hour."`
	Group int64             `query:"group" doc:"Only runs of this group."`
	Job   int64             `query:"job" doc:"Only runs of this job."`
	Limit int               `query:"limit" doc:"By job, the maximum number of jobs, at most 1000; defaults to 100."`
}

const (
	// maxStatSpan is the longest time of which statistics are read in one call.
	maxStatSpan = 31 * 24 * time.Hour
	// defaultStatSpan is the time that a call shows unless it gives the parameter from.
	defaultStatSpan = 24 * time.Hour
	defaultStatJobs = 100
)

// A StatList holds statistics of runs.
type StatList struct {
	From  time.Time  `json:"from" doc:"The beginning of the first hour."`
	To    time.Time  `json:"to" doc:"The end of the last hour."`
	Stats []statForm `json:"stats" doc:"By hour or by group in their order; by job, those with the most runs that did not succeed first. What has no runs is left out. A run is counted a minute or two after its trigger at the latest, if it has a result by then."`
	Total statForm   `json:"total" doc:"All runs together, also those of jobs beyond limit."`
}

// A statForm has the figures of some runs.
type statForm struct {
	Hour     *time.Time `json:"hour,omitempty" doc:"The beginning of the hour, by hour."`
	JobGroup int64      `json:"jobGroup,omitempty" doc:"The group, by group."`
	AppName  string     `json:"appName,omitempty" doc:"Its app name, unless it was removed."`
	JobID    int64      `json:"jobId,omitempty" doc:"The job, by job."`
	JobName  string     `json:"jobName,omitempty" doc:"Its name, unless it was removed."`

	Runs    int64 `json:"runs" doc:"Runs with a result. Those that are still running are not counted."`
	Success int64 `json:"success"`
	Failed  int64 `json:"failed" doc:"The handler reported a failure."`
	Timeout int64 `json:"timeout" doc:"The run exceeded its time limit."`
	Killed  int64 `json:"killed" doc:"The run was killed, or ended by a later run of its job."`
	Lost    int64 `json:"lost" doc:"The executor is gone, or it is unknown whether it got the run."`
	NotSent int64 `json:"notSent" doc:"No executor took the run."`

	Duration Percentiles `json:"duration" doc:"How long runs took from the request to the result."`
	Lateness Percentiles `json:"lateness" doc:"How long after its due time the first request of a scheduled run was sent."`
}

// Percentiles shows a histogram. Runs of another program, such as a Java admin, are in none.
type Percentiles struct {
	Count int64  `json:"count" doc:"The number of runs that are measured."`
	P50   *int64 `json:"p50Ms,omitempty" doc:"Half of the runs have at most this many milliseconds, which may be a sixteenth too high."`
	P99   *int64 `json:"p99Ms,omitempty" doc:"99 of 100 runs have at most this many milliseconds, which may be a sixteenth too high."`
}

func showHistogram(h xxladapter.Histogram) Percentiles {
	p := Percentiles{Count: h.Count()}
	if p.Count > 0 {
		p.P50, p.P99 = new(h.Percentile(50).Milliseconds()), new(h.Percentile(99).Milliseconds())
	}
	return p
}

func showStat(s *xxladapter.Stat) statForm {
	return statForm{
		Hour: api.Given(s.Hour), JobGroup: s.GroupID, JobID: s.JobID,
		Runs: s.Runs(), Success: s.Success, Failed: s.Failed, Timeout: s.Timeout, Killed: s.Killed, Lost: s.Lost,
		NotSent:  s.NotSent,
		Duration: showHistogram(s.Durations), Lateness: showHistogram(s.Lateness),
	}
}

// filter returns the selection in the store's form.
func (q *statQuery) filter(now time.Time) (f xxladapter.StatFilter, err error) {
	f = xxladapter.StatFilter{From: q.From, To: q.To, By: q.By, GroupID: q.Group, JobID: q.Job, Limit: q.Limit}
	if f.To.IsZero() {
		f.To = now
	}
	if f.From.IsZero() {
		f.From = f.To.Add(-defaultStatSpan)
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"from", f.From}, {"to", hourEnd(f.To)}} {
		if err := api.CheckYear(t.name, t.at); err != nil {
			return f, err
		}
	}
	if !f.From.Before(f.To) {
		return f, xxladapter.Invalidf(errorrule.Before, "%s is %s, must be before %s",
			"from", f.From.UTC().Format(time.RFC3339), f.To.UTC().Format(time.RFC3339))
	}
	if f.To.Sub(f.From) > maxStatSpan {
		return f, xxladapter.Invalidf(errorrule.SpanDays, "%s is %s, must be at most %d days before %s",
			"from", f.From.UTC().Format(time.RFC3339), 31, f.To.UTC().Format(time.RFC3339))
	}
	if err := f.By.Validate(); err != nil {
		return f, err
	}
	if f.By == "" {
		f.By = xxladapter.StatByHour
	}
	switch {
	case q.Limit > api.MaxPage:
		return f, xxladapter.Invalidf(errorrule.AtMost, "%s is %d, must be at most %d", "limit", q.Limit, api.MaxPage)
	case q.Limit == 0:
		f.Limit = defaultStatJobs
	}
	return f, nil
}

// hourEnd returns at if it begins an hour of UTC, and otherwise the end of the hour that contains
// it.
func hourEnd(at time.Time) time.Time {
	return at.UTC().Add(xxladapter.StatHour - 1).Truncate(xxladapter.StatHour)
}

// stats returns figures of runs.
func (s *Server) stats(ctx context.Context, q statQuery) (no StatList, err error) {
	now, err := s.store.Now(ctx)
	if err != nil {
		return no, err
	}
	f, err := q.filter(now)
	if err != nil {
		return no, err
	}
	if f.GroupID != 0 {
		if _, err := s.store.Group(ctx, f.GroupID); err != nil {
			return no, err
		}
	}
	if f.JobID != 0 {
		if _, err := s.store.Job(ctx, f.JobID); err != nil {
			return no, err
		}
	}
	found, err := s.store.Stats(ctx, f)
	if err != nil {
		return no, err
	}
	list := StatList{
		From: f.From.UTC().Truncate(xxladapter.StatHour),
		To:   hourEnd(f.To), Stats: []statForm{},
	}
	for i := range found {
		list.Stats = append(list.Stats, showStat(&found[i]))
	}
	if err := s.nameStats(ctx, f.By, list.Stats); err != nil {
		return no, err
	}
	f.By = ""
	total, err := s.store.Stats(ctx, f)
	if err != nil {
		return no, err
	}
	list.Total = showStat(&total[0])
	return list, nil
}

// nameStats adds the names of groups and jobs that exist.
func (s *Server) nameStats(ctx context.Context, by xxladapter.StatBy, stats []statForm) error {
	switch by {
	case xxladapter.StatByGroup:
		groups, err := s.store.Groups(ctx)
		names := map[int64]string{}
		for _, g := range groups {
			names[g.ID] = g.AppName
		}
		for i := range stats {
			stats[i].AppName = names[stats[i].JobGroup]
		}
		return err
	case xxladapter.StatByJob:
		var ids []int64
		for _, stat := range stats {
			ids = append(ids, stat.JobID)
		}
		names, err := s.store.JobNames(ctx, ids, nil)
		for i := range stats {
			stats[i].JobName = names[stats[i].JobID]
		}
		return err
	}
	return nil
}

package admin

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// An overviewForm says at a glance what is wrong and what comes next.
type overviewForm struct {
	Now         time.Time `json:"now" doc:"The store's clock."`
	RunningJobs figure    `json:"runningJobs" doc:"Jobs whose schedule is on."`
	RunsNow     figure    `json:"runsNow" doc:"Runs without an outcome."`
	Failed      figure    `json:"failed24h" doc:"Runs triggered in the last 24 hours that failed."`
	LateP99     *int64    `json:"lateP99Ms,omitempty" doc:"99 of 100 among the newest 1000 runs were sent at most this many milliseconds after they were due."`

	Failing    []failingJob   `json:"failing" doc:"Jobs whose newest run failed, among the newest 1000 failures of the last 24 hours; at most 20, those with the most failures in a row first."`
	Overdue    []dueJob       `json:"overdue" doc:"Running jobs whose due time passed more than 10 seconds ago; at most 20, the longest overdue first."`
	NotFired   []dueJob       `json:"notFired" doc:"Running jobs that have not been due since their schedule was switched on, and will not be within a day; at most 20, of the first 100 that have not been due."`
	NoExecutor []idleGroup    `json:"noExecutor" doc:"Groups with running jobs and without an executor."`
	Gone       []goneExecutor `json:"gone" doc:"Executors that got one of the newest 1000 runs within the last 24 hours, and that the group of the run no longer has; at most 20, the latest first."`
	Paused     []pauseForm    `json:"paused" doc:"Pauses that have not ended, newest first; at most 20."`
	Calendars  []poorCalendar `json:"calendars" doc:"Calendars of running jobs without the days of this year, or of a next year that begins within 31 days."`
	Next       []dueJob       `json:"next" doc:"The next 20 due times, one of each job."`
}

// A figure is a number of things.
type figure struct {
	Count int  `json:"count" doc:"Exact up to 10000."`
	More  bool `json:"more,omitempty" doc:"There are more, or there may be: failures are searched for in a limited number of rows."`
}

type failingJob struct {
	ID      int64      `json:"id"`
	Name    string     `json:"name"`
	InARow  int        `json:"inARow" doc:"Failed runs since the last success, at most 20."`
	LogID   int64      `json:"logId" doc:"The newest run."`
	Trigger *time.Time `json:"triggerTime,omitempty"`
}

type dueJob struct {
	ID   int64      `json:"id"`
	Name string     `json:"name"`
	Next *time.Time `json:"triggerNextTime,omitempty"`
}

type idleGroup struct {
	ID      int64  `json:"id"`
	AppName string `json:"appName"`
	Jobs    figure `json:"jobs" doc:"Its running jobs."`
}

type goneExecutor struct {
	Address  string     `json:"address"`
	JobGroup int64      `json:"jobGroup"`
	LogID    int64      `json:"logId" doc:"The newest run that was sent there."`
	Trigger  *time.Time `json:"triggerTime,omitempty"`
}

// A poorCalendar is a calendar that does not know a year.
type poorCalendar struct {
	Name string `json:"name"`
	Year int    `json:"year" doc:"The year without days: only the weekend counts in it."`
	Jobs figure `json:"jobs" doc:"The running jobs that name it."`
}

const (
	// calendarAhead is how long before a year its days should be known.
	calendarAhead = 31 * 24 * time.Hour
	// shownJobs limits each list of the overview, except those of groups and of calendars.
	shownJobs = 20
	// overdueAfter is longer than it takes other nodes to plan a due time whose node has died.
	overdueAfter = 10 * time.Second
	// firstFireWithin is how far ahead the first due time of a job may be without the job being
	// listed: daily jobs are mostly started less than a day before their first due time.
	firstFireWithin = 24 * time.Hour
	// newestRuns is the number of newest runs and failures that the overview looks at.
	newestRuns = 1000
)

// An overview collects what the form shows. Its first error ends the collection.
type overview struct {
	*Server
	ctx  context.Context
	form overviewForm
	err  error
}

func (s *Server) overview(ctx context.Context, _ api.None) (overviewForm, error) {
	o := overview{Server: s, ctx: ctx}
	o.form.Now, o.err = s.opts.Store.Now(ctx)
	on := true
	o.form.RunningJobs = o.countJobs(xxladapter.JobFilter{Running: &on})
	o.form.RunsNow = o.countRuns(xxladapter.LogFilter{Status: xxladapter.LogRunning})
	day := xxladapter.LogFilter{Status: xxladapter.LogFail, Since: o.form.Now.Add(-24 * time.Hour)}
	o.form.Failed = o.countRuns(day)
	newest := o.runs(xxladapter.LogFilter{}, newestRuns)
	o.lateness(newest)
	o.failing(day)
	o.due(&on)
	o.executors(&on, newest)
	o.restricted(&on)
	return o.form, o.err
}

func (o *overview) countJobs(f xxladapter.JobFilter) (c figure) {
	if o.err == nil {
		var n int
		n, o.err = o.opts.Store.CountJobs(o.ctx, f, api.MaxCount+1)
		c = figure{min(n, api.MaxCount), n > api.MaxCount}
	}
	return c
}

func (o *overview) countRuns(f xxladapter.LogFilter) (c figure) {
	if o.err == nil {
		c.Count, c.More, o.err = o.opts.Store.CountRuns(o.ctx, xxladapter.RunFilter{LogFilter: f}, api.MaxCount)
	}
	return c
}

// runs lists the newest runs that f selects.
func (o *overview) runs(f xxladapter.LogFilter, limit int) (logs []*xxladapter.Log) {
	if o.err == nil {
		f.Newest, f.Limit = true, limit
		logs, _, o.err = o.opts.Store.Runs(o.ctx, xxladapter.RunFilter{LogFilter: f})
	}
	return logs
}

// lateness sets the 99th percentile of the lateness of runs.
func (o *overview) lateness(runs []*xxladapter.Log) {
	var ids []int64
	for _, l := range runs {
		ids = append(ids, l.ID)
	}
	if o.err != nil || len(ids) == 0 {
		return
	}
	var histories map[int64]xxladapter.RunHistory
	histories, o.err = o.opts.Store.RunHistories(o.ctx, ids)
	var late []time.Duration
	for _, h := range histories {
		late = append(late, h.Lateness())
	}
	if len(late) > 0 {
		o.form.LateP99 = new(percentile99(late).Milliseconds())
	}
}

// percentile99 returns the smallest value that at least 99 % of values do not exceed. It sorts
// values.
//
// REQUIRES: values is not empty.
func percentile99(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[(len(values)*99+99)/100-1]
}

// failing lists the jobs whose newest run failed, among those of the failed runs that day selects.
func (o *overview) failing(day xxladapter.LogFilter) {
	o.form.Failing = []failingJob{}
	var jobs []int64
	for _, l := range o.runs(day, newestRuns) {
		if !slices.Contains(jobs, l.JobID) {
			jobs = append(jobs, l.JobID)
		}
	}
	if o.err != nil {
		return
	}
	var names map[int64]string
	if names, o.err = o.opts.Store.JobNames(o.ctx, jobs, nil); o.err != nil {
		return
	}
	// A job that was moved to another group may not exist for the caller, although its runs do.
	jobs = slices.DeleteFunc(jobs, func(id int64) bool { _, exists := names[id]; return !exists })
	var last map[int64]xxladapter.LastRun
	if last, o.err = o.opts.Store.LastRuns(o.ctx, jobs); o.err != nil {
		return
	}
	jobs = slices.DeleteFunc(jobs, func(id int64) bool { return last[id].Status != xxladapter.LogFail })
	for _, id := range jobs[:min(5*shownJobs, len(jobs))] {
		run := last[id]
		o.form.Failing = append(o.form.Failing, failingJob{
			id, names[id], failuresInARow(o.runs(xxladapter.LogFilter{JobID: id}, shownJobs)), run.LogID,
			api.Given(run.Triggered),
		})
	}
	slices.SortStableFunc(o.form.Failing, func(a, b failingJob) int { return b.InARow - a.InARow })
	o.form.Failing = o.form.Failing[:min(shownJobs, len(o.form.Failing))]
}

// failuresInARow counts the failures before the first success, newest runs first. Runs without an
// outcome neither count nor end the row.
func failuresInARow(logs []*xxladapter.Log) (n int) {
	for _, l := range logs {
		switch l.Status() {
		case xxladapter.LogFail:
			n++
		case xxladapter.LogSuccess:
			return n
		}
	}
	return n
}

// due sets the lists that follow from the jobs' due times.
func (o *overview) due(on *bool) {
	o.form.Overdue, o.form.NotFired, o.form.Next = []dueJob{}, []dueJob{}, []dueJob{}
	show := func(to *[]dueJob, j *xxladapter.Job) {
		if len(*to) < shownJobs {
			*to = append(*to, dueJob{j.ID, j.Name, givenNext(j)})
		}
	}
	overdue := o.form.Now.Add(-overdueAfter)
	f := xxladapter.JobFilter{Running: on, Sort: xxladapter.SortByNext, Limit: 5 * shownJobs, Light: true}
	for len(o.form.Next) < shownJobs && o.err == nil {
		var jobs []*xxladapter.Job
		jobs, o.err = o.opts.Store.Jobs(o.ctx, f)
		for _, j := range jobs {
			switch {
			case j.TriggerNext.IsZero() || j.Waits():
			case j.TriggerNext.Before(overdue):
				show(&o.form.Overdue, j)
			default:
				show(&o.form.Next, j)
			}
		}
		if len(jobs) < f.Limit {
			break
		}
		last := jobs[len(jobs)-1]
		if last.TriggerNext.IsZero() || last.Waits() {
			break // and so do all jobs behind it
		}
		f.AfterKey, f.AfterID = last.SortKey(f.Sort), last.ID
		if len(o.form.Overdue) == shownJobs && last.TriggerNext.Before(overdue) {
			// Continue after all overdue jobs.
			f.AfterKey = (&xxladapter.Job{TriggerNext: overdue.Add(-1)}).SortKey(f.Sort)
			f.AfterID = math.MaxInt64
		}
	}
	if o.err != nil {
		return
	}
	var jobs []*xxladapter.Job
	jobs, o.err = o.opts.Store.Jobs(
		o.ctx, xxladapter.JobFilter{Running: on, Sort: xxladapter.SortByLast, Limit: 5 * shownJobs, Light: true},
	)
	for _, j := range jobs {
		if j.TriggerLast.IsZero() && j.TriggerNext.After(o.form.Now.Add(firstFireWithin)) {
			show(&o.form.NotFired, j)
		}
	}
}

// executors lists groups whose jobs nobody can run, and executors of the newest runs that are gone.
func (o *overview) executors(on *bool, newest []*xxladapter.Log) {
	o.form.NoExecutor, o.form.Gone = []idleGroup{}, []goneExecutor{}
	if o.err != nil {
		return
	}
	var groups []*xxladapter.Group
	groups, o.err = o.opts.Store.Groups(o.ctx)
	o.gone(groups, newest)
	for _, g := range groups {
		if len(g.Addresses) > 0 {
			continue
		}
		if jobs := o.countJobs(xxladapter.JobFilter{GroupID: g.ID, Running: on}); jobs.Count > 0 {
			o.form.NoExecutor = append(o.form.NoExecutor, idleGroup{g.ID, g.AppName, jobs})
		}
	}
}

func (o *overview) gone(groups []*xxladapter.Group, newest []*xxladapter.Log) {
	type place struct {
		group   int64
		address string
	}
	known, groupIDs := map[place]bool{}, map[int64]bool{}
	for _, g := range groups {
		groupIDs[g.ID] = true
		for _, address := range g.Addresses {
			known[place{g.ID, address}] = true
		}
	}
	since := o.form.Now.Add(-24 * time.Hour)
	for _, l := range newest {
		at := place{l.GroupID, l.Address}
		if l.Address == "" || !groupIDs[l.GroupID] || known[at] || l.TriggerTime.Before(since) ||
			len(o.form.Gone) == shownJobs {
			continue
		}
		known[at] = true // list it once
		o.form.Gone = append(o.form.Gone, goneExecutor{l.Address, l.GroupID, l.ID, api.Given(l.TriggerTime)})
	}
}

// restricted sets the lists of pauses and of calendars.
func (o *overview) restricted(on *bool) {
	o.form.Paused, o.form.Calendars = []pauseForm{}, []poorCalendar{}
	if o.err != nil {
		return
	}
	var pauses []xxladapter.Pause
	if pauses, o.err = o.opts.Store.Pauses(o.ctx, xxladapter.PauseFilter{Open: true, Limit: shownJobs}); o.err != nil {
		return
	}
	for i := range pauses {
		o.form.Paused = append(o.form.Paused, showPause(&pauses[i], o.form.Now))
	}
	var stored []*xxladapter.Calendar
	if stored, o.err = o.opts.Store.Calendars(o.ctx); o.err != nil {
		return
	}
	now := o.form.Now.In(o.opts.Zone)
	for _, c := range (&xxladapter.Restrictions{Calendars: stored}).AllCalendars() {
		year := now.Year()
		if c.Knows(year) {
			year = now.Add(calendarAhead).Year()
		}
		if c.Knows(year) {
			continue
		}
		if jobs := o.countJobs(xxladapter.JobFilter{Calendar: c.Name, Running: on}); jobs.Count > 0 {
			o.form.Calendars = append(o.form.Calendars, poorCalendar{c.Name, year, jobs})
		}
	}
}

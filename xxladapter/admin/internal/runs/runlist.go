package runs

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

type runQuery struct {
	api.Page
	Job     int64                  `query:"job" doc:"Only runs of this job."`
	Group   int64                  `query:"group" doc:"Only runs of jobs of this group."`
	Status  runStatus              `query:"status" doc:"Only runs with this status. FAIL includes LOST: the executor is gone, or it is unknown whether it got the run."`
	Since   time.Time              `query:"since" doc:"Only runs triggered at or after this instant."`
	Before  time.Time              `query:"before" doc:"Only runs triggered before this instant."`
	Address string                 `query:"address" doc:"Only runs whose executor address contains this text."`
	Type    xxladapter.TriggerType `query:"triggerType" doc:"Only runs that were triggered this way. Runs of another program, such as a Java admin, have no known type."`
	AtLeast int64                  `query:"atLeastMs" doc:"Only runs that took this many milliseconds or longer, or have been running for that long."`
	Text    string                 `query:"text" doc:"Only runs with this text in triggerMsg or handleMsg."`
	Newest  bool                   `query:"newest" doc:"List the newest first."`
	Count   bool                   `query:"count" doc:"Also count the runs of all pages."`
}

// A runStatus is a status by which runs are listed.
type runStatus string

const runLost runStatus = "LOST"

// Values lists all statuses.
func (runStatus) Values() (all []runStatus) {
	for _, s := range xxladapter.LogStatus("").Values() {
		all = append(all, runStatus(s))
	}
	return append(all, runLost)
}

// filter returns the selection in the store's form.
func (q *runQuery) filter() (f xxladapter.RunFilter, err error) {
	f = xxladapter.RunFilter{
		LogFilter: xxladapter.LogFilter{
			JobID: q.Job, GroupID: q.Group, Since: q.Since, Before: q.Before, AfterID: q.After, Newest: q.Newest,
			Limit: q.Size(),
		},
		Lost: q.Status == runLost, Address: q.Address, Type: q.Type,
		AtLeast: xxladapter.Milliseconds(q.AtLeast).Duration(), Text: q.Text,
	}
	if q.Status != "" {
		if err := xxladapter.CheckOneOf("status", q.Status); err != nil {
			return f, err
		}
	}
	if !f.Lost {
		f.Status = xxladapter.LogStatus(q.Status)
	}
	for _, text := range []struct{ param, value string }{{"address", q.Address}, {"text", q.Text}} {
		if err := api.CheckSearch(text.param, text.value); err != nil {
			return f, err
		}
	}
	if q.AtLeast > maxTook.Milliseconds() {
		return f, xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d",
			"atLeastMs", q.AtLeast, 0, maxTook.Milliseconds())
	}
	return f, f.Type.Validate()
}

// maxTook is the longest duration to search for.
const maxTook = 365 * 24 * time.Hour

// A RunList is a page of runs.
type RunList struct {
	Runs []listedRun `json:"runs"`
	Next int64       `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page. With a next, a page may be shorter than limit, or empty: a search reads 50000 rows for one page."`
	api.Counted
}

// A listedRun is a run in a list, with the names of its job and its group.
type listedRun struct {
	RunForm
	JobName string `json:"jobName,omitempty" doc:"Omitted if the job was removed."`
	AppName string `json:"appName,omitempty" doc:"The app name of the group; omitted if that was removed."`
	Took    *int64 `json:"tookMs,omitempty" doc:"How long the run took, in milliseconds, or has taken if it is still running. Omitted if no executor took it. Runs without a history have whole seconds."`
	Lost    bool   `json:"lost,omitempty" doc:"The result is lost, see the status LOST."`
}

func (s *Server) listRuns(ctx context.Context, q runQuery) (no RunList, err error) {
	f, err := q.filter()
	if err != nil {
		return no, err
	}
	var list RunList
	logs, next, err := s.opts.Store.Runs(ctx, f)
	if err != nil {
		return no, err
	}
	list.Next = next
	if list.Runs, err = s.showRuns(ctx, logs); err != nil || !q.Count {
		return list, err
	}
	n, more, err := s.opts.Store.CountRuns(ctx, f, api.MaxCount)
	list.Counted = api.Counted{Count: &n, More: more}
	return list, err
}

// showRuns adds names and histories to log rows.
func (s *Server) showRuns(ctx context.Context, logs []*xxladapter.Log) ([]listedRun, error) {
	forms := make([]listedRun, len(logs))
	ids, jobs := make([]int64, len(logs)), map[int64]bool{}
	for i, l := range logs {
		ids[i], jobs[l.JobID] = l.ID, true
	}
	names, err := s.opts.Store.JobNames(ctx, slices.Collect(maps.Keys(jobs)), nil)
	if err != nil {
		return nil, err
	}
	groups, err := s.opts.Store.Groups(ctx)
	if err != nil {
		return nil, err
	}
	apps := map[int64]string{}
	for _, g := range groups {
		apps[g.ID] = g.AppName
	}
	histories, err := s.opts.Store.RunHistories(ctx, ids)
	if err != nil {
		return nil, err
	}
	now, err := s.opts.Store.Now(ctx)
	for i, l := range logs {
		forms[i] = listedRun{
			RunForm: showRunForm(l, histories), JobName: names[l.JobID], AppName: apps[l.GroupID], Lost: l.Lost(),
		}
		var history *xxladapter.RunHistory
		if h, known := histories[l.ID]; known {
			history = &h
		}
		if took, ok := l.Took(history, now); ok {
			forms[i].Took = new(took.Milliseconds())
		}
	}
	return forms, err
}

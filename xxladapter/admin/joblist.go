package admin

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

type jobQuery struct {
	api.Page
	jobChoice
	Sort     xxladapter.JobSort `query:"sort" doc:"The order; defaults to ID. Jobs with equal values are ordered by id. NEXT lists jobs without a next due time last, LAST those without a last one first. RESULT lists jobs whose newest run that has ended failed, then those whose run succeeded, then those without one."`
	Desc     bool               `query:"desc" doc:"Reverse the order."`
	AfterKey string             `query:"afterKey" doc:"nextKey of the previous page; requires after. Omit it for the first page, and for the order ID."`
	Light    bool               `query:"light" doc:"Leave out executorParam, glueSource and glueRemark, which may be large."`
	Count    bool               `query:"count" doc:"Also count the jobs of all pages."`
	Recent   bool               `query:"recent" doc:"Also list the newest 20 runs of each job."`
	Words    bool               `query:"words" doc:"Also describe the schedule of each job in words."`
}

// A jobChoice selects jobs.
type jobChoice struct {
	Group   int64                   `query:"group" doc:"Only jobs of this group."`
	Name    string                  `query:"name" doc:"Only jobs whose name contains this text."`
	Handler string                  `query:"handler" doc:"Only jobs whose handler contains this text."`
	Author  string                  `query:"author" doc:"Only jobs whose author contains this text."`
	Tag     string                  `query:"tag" doc:"Only jobs with this tag."`
	Type    xxladapter.ScheduleType `query:"type" doc:"Only jobs with this schedule type."`
	Running *bool                   `query:"running" doc:"Only jobs whose schedule is on (true) or off (false)."`
	Last    xxladapter.LastResult   `query:"lastResult" doc:"Only jobs whose newest run that has ended succeeded (SUCCESS) or did not (FAIL), or of which no run has ended (NONE)."`
}

// filter returns the selection in the store's form.
func (c *jobChoice) filter() (xxladapter.JobFilter, error) {
	f := xxladapter.JobFilter{
		GroupID: c.Group, Name: c.Name, Handler: c.Handler, Author: c.Author, Tag: c.Tag, Type: c.Type,
		Running: c.Running, LastResult: c.Last,
	}
	for _, text := range []struct{ param, value string }{
		{"name", c.Name}, {"handler", c.Handler}, {"author", c.Author}, {"tag", c.Tag},
	} {
		if err := api.CheckSearch(text.param, text.value); err != nil {
			return f, err
		}
	}
	if err := f.LastResult.Validate(); err != nil {
		return f, err
	}
	return f, f.Type.Validate()
}

type jobList struct {
	Jobs    []jobForm  `json:"jobs"`
	Next    int64      `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
	NextKey string     `json:"nextKey,omitempty" doc:"The second part of the cursor, for other orders than ID."`
	Recent  []jobRuns  `json:"recent,omitempty" doc:"With recent: the newest runs of each job of the page that has any, in the order of the page."`
	Words   []jobWords `json:"words,omitempty" doc:"With words: the schedules of the jobs of the page, in its order. A job whose schedule is invalid is left out."`
	api.Counted
}

// jobWords describes the schedule of a job. The words mention no zone.
type jobWords struct {
	ID int64 `json:"id" doc:"The job."`
	words
}

// scheduleWords describes the schedules of jobs, in the order of the jobs. It leaves out jobs whose
// schedule is invalid, which other programs may have written.
func (s *Server) scheduleWords(jobs []*xxladapter.Job) []jobWords {
	var described []jobWords
	for _, j := range jobs {
		w, err := describeSchedule(string(j.ScheduleType), j.ScheduleConf, s.opts.CronProfile)
		if err == nil {
			described = append(described, jobWords{j.ID, w})
		}
	}
	return described
}

// jobRuns are the newest runs of a job.
type jobRuns struct {
	ID   int64     `json:"id" doc:"The job."`
	Runs []lastRun `json:"runs" doc:"The newest first, at most 20."`
}

// mostRecent is how many runs of a job a list of jobs shows.
const mostRecent = 20

// recentRuns returns the newest runs of jobs, in the order of the jobs.
func (s *Server) recentRuns(ctx context.Context, jobs []*xxladapter.Job) ([]jobRuns, error) {
	ids := make([]int64, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	runs, err := s.opts.Store.RecentRuns(ctx, ids, mostRecent)
	if err != nil {
		return nil, err
	}
	var recent []jobRuns
	for _, id := range ids {
		if len(runs[id]) == 0 {
			continue
		}
		of := jobRuns{ID: id}
		for _, r := range runs[id] {
			of.Runs = append(of.Runs, lastRun{r.LogID, r.Status, api.Given(r.Triggered)})
		}
		recent = append(recent, of)
	}
	return recent, nil
}

func (s *Server) listJobs(ctx context.Context, q jobQuery) (no jobList, err error) {
	f, err := q.filter()
	if err != nil {
		return no, err
	}
	f.Sort, f.Descending, f.AfterKey, f.AfterID, f.Light = q.Sort, q.Desc, q.AfterKey, q.After, q.Light
	f.Limit = q.Size() + 1
	if err := f.Sort.Validate(); err != nil {
		return no, err
	}
	if err := f.CheckPosition(); err != nil {
		return no, err
	}
	jobs, err := s.opts.Store.Jobs(ctx, f)
	if err != nil {
		return no, err
	}
	list := jobList{Jobs: []jobForm{}}
	jobs, list.Next = api.CutPage(jobs, q.Size(), func(j *xxladapter.Job) int64 { return j.ID })
	if list.Next != 0 {
		list.NextKey = jobs[len(jobs)-1].SortKey(f.Sort)
	}
	for _, j := range jobs {
		form := showForm(j)
		if q.Light {
			form.ExecutorParam, form.GlueSource, form.GlueRemark = nil, nil, nil
		}
		list.Jobs = append(list.Jobs, form)
	}
	if q.Recent {
		if list.Recent, err = s.recentRuns(ctx, jobs); err != nil {
			return no, err
		}
	}
	if q.Words {
		list.Words = s.scheduleWords(jobs)
	}
	if q.Count {
		n, err := s.opts.Store.CountJobs(ctx, f, api.MaxCount+1)
		if err != nil {
			return no, err
		}
		list.Counted = api.CountTo(n)
	}
	return list, nil
}

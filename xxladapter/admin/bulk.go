package admin

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// maxBulk is how many jobs one bulk call takes.
	maxBulk = 100_000
	// bulkBatch is how many jobs are edited in one transaction: a fire that needs the same database
	// waits for that transaction.
	bulkBatch = 128
	// bulkTriggers is how many jobs are triggered at a time, each in a transaction of its own; more
	// would crowd out the fires' own writes.
	bulkTriggers = 16
)

// A bulkAction is what a bulk call does to each job.
type bulkAction string

const (
	bulkStart   bulkAction = "start"
	bulkStop    bulkAction = "stop"
	bulkDelete  bulkAction = "delete"
	bulkChange  bulkAction = "change"
	bulkTrigger bulkAction = "trigger"
)

// Values lists all actions.
func (bulkAction) Values() []bulkAction {
	return []bulkAction{bulkStart, bulkStop, bulkDelete, bulkChange, bulkTrigger}
}

// role returns what the action needs for each job.
func (a bulkAction) role() xxladapter.Role {
	if a == bulkDelete || a == bulkChange {
		return xxladapter.RoleEditor
	}
	return xxladapter.RoleOperator
}

// A bulkForm says what to do to which jobs.
type bulkForm struct {
	Action  bulkAction   `json:"action"`
	IDs     []int64      `json:"ids,omitempty" doc:"The jobs, at most 100000. Give these or filter."`
	Filter  *bulkFilter  `json:"filter,omitempty" doc:"Selects the jobs, at most 100000."`
	Change  *jobForm     `json:"change,omitempty" doc:"With action change: the fields to change in each job."`
	Trigger *triggerForm `json:"trigger,omitempty" doc:"With action trigger: how the runs differ from the jobs' own."`
	DryRun  bool         `json:"dryRun,omitempty" doc:"Only report how many jobs are selected."`
}

// A bulkFilter selects jobs as the list of jobs does.
type bulkFilter struct {
	JobGroup int64                   `json:"jobGroup,omitempty" doc:"Only jobs of this group."`
	Name     string                  `json:"name,omitempty" doc:"Only jobs whose name contains this text."`
	Handler  string                  `json:"handler,omitempty" doc:"Only jobs whose handler contains this text."`
	Author   string                  `json:"author,omitempty" doc:"Only jobs whose author contains this text."`
	Tag      string                  `json:"tag,omitempty" doc:"Only jobs with this tag."`
	Type     xxladapter.ScheduleType `json:"type,omitempty" doc:"Only jobs with this schedule type."`
	Running  *bool                   `json:"running,omitempty" doc:"Only jobs whose schedule is on (true) or off (false)."`
	Last     xxladapter.LastResult   `json:"lastResult,omitempty" doc:"Only jobs whose newest run that has ended succeeded (SUCCESS) or did not (FAIL), or of which no run has ended (NONE)."`
	All      bool                    `json:"all,omitempty" doc:"Must be true if nothing else is given."`
}

// A bulkLine is one line of the answer: the first one has total, the last one done, and each
// between them the result for one job, in no particular order.
type bulkLine struct {
	Total     *int       `json:"total,omitempty" doc:"In the first line: how many jobs are selected."`
	ID        int64      `json:"id,omitempty" doc:"The job that this line is about."`
	Error     *api.Error `json:"error,omitempty" doc:"Why nothing was done to the job."`
	Order     int64      `json:"order,omitempty" doc:"The order by which the run of a triggered job can be found."`
	Undo      *bulkUndo  `json:"undo,omitempty" doc:"What undoes a start, stop or change; omitted if nothing was changed, and where nothing can undo it."`
	Done      bool       `json:"done,omitempty" doc:"True in the last line. Without it the call was cancelled, and jobs without a line are unchanged, except some that were in progress."`
	Succeeded int        `json:"succeeded,omitempty" doc:"In the last line."`
	Failed    int        `json:"failed,omitempty" doc:"In the last line."`
}

// A bulkUndo is a part of a bulk call.
type bulkUndo struct {
	Action bulkAction `json:"action"`
	Change *jobForm   `json:"change,omitempty"`
}

// bulk does one action to many jobs, some at a time, and streams the results. It ends early when
// its caller leaves or the server ends its streams; then jobs that are in progress are finished.
func (s *Server) bulk(ctx context.Context, _ api.None, form bulkForm) (no api.Stream, err error) {
	if err := form.check(); err != nil {
		return no, err
	}
	ids, err := s.chosen(ctx, &form)
	if err != nil {
		return no, err
	}
	return api.Stream{
		Kind: api.JSONLines, Write: func(w *api.StreamWriter) error { return s.runBulk(ctx, w, &form, ids) },
	}, nil
}

func (f *bulkForm) check() error {
	if err := xxladapter.CheckOneOf("action", f.Action); err != nil {
		return err
	}
	switch {
	case (f.IDs == nil) == (f.Filter == nil):
		return xxladapter.Invalidf(errorrule.ExactlyOne, "exactly one of %s must be given", errorrule.And{"ids", "filter"})
	case len(f.IDs) > maxBulk:
		return xxladapter.Invalidf(errorrule.EntriesAtMost, "%s has %d entries, must have at most %d",
			"ids", len(f.IDs), maxBulk)
	case (f.Action == bulkChange) != (f.Change != nil):
		return xxladapter.Invalidf(errorrule.Together, "%[1]s must be given with the action change, and with no other",
			"change", "action=change")
	case f.Trigger != nil && f.Action != bulkTrigger:
		return xxladapter.Invalidf(errorrule.Together, "%[1]s is given, must be omitted unless the action is trigger",
			"trigger", "action=trigger")
	case f.Change != nil && f.Change.ID != 0:
		return xxladapter.Invalidf(errorrule.Omitted, "%s is %d, must be omitted", "change.id", f.Change.ID)
	}
	for _, id := range f.IDs {
		if id <= 0 {
			return xxladapter.Invalidf(errorrule.Positive, "%s contains %d, must contain positive integers", "ids", id)
		}
	}
	if f.Filter != nil && (*f.Filter == bulkFilter{}) {
		return xxladapter.Invalidf(errorrule.AllNeeded, "%s is empty, all must be true to select every job", "filter")
	}
	return nil
}

// chosen returns the ids of the selected jobs, each once.
func (s *Server) chosen(ctx context.Context, form *bulkForm) ([]int64, error) {
	if form.Filter == nil {
		ids := slices.Clone(form.IDs)
		slices.Sort(ids)
		return slices.Compact(ids), nil
	}
	is := form.Filter
	choice := jobChoice{
		Group: is.JobGroup, Name: is.Name, Handler: is.Handler, Author: is.Author, Tag: is.Tag, Type: is.Type,
		Running: is.Running, Last: is.Last,
	}
	f, err := choice.filter()
	if err != nil {
		return nil, err
	}
	f.Light, f.Limit = true, api.MaxPage
	var ids []int64
	for {
		jobs, err := s.opts.Store.Jobs(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			ids = append(ids, j.ID)
			f.AfterID = j.ID
		}
		if len(ids) > maxBulk {
			return nil, xxladapter.Invalidf(errorrule.FilterAtMost,
				"%[1]s selects more than %[2]d jobs, must select at most %[2]d", "filter", maxBulk)
		}
		if len(jobs) < api.MaxPage {
			return ids, nil
		}
	}
}

// runBulk does the action to each of the jobs, and writes a line for each.
func (s *Server) runBulk(ctx context.Context, w *api.StreamWriter, form *bulkForm, ids []int64) error {
	total := len(ids)
	if err := w.Line(bulkLine{Total: &total, Done: form.DryRun}); err != nil || form.DryRun {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	batch := bulkBatch
	if form.Action == bulkTrigger {
		batch = bulkTriggers
	}
	results := make(chan bulkLine, batch)
	go func() { // the loop below waits for results to be closed
		defer close(results)
		for ids := range slices.Chunk(ids, batch) {
			if ctx.Err() != nil {
				return
			}
			// Jobs that have begun are finished, so that their results are known.
			runBatch(context.WithoutCancel(ctx), s.opts.Store, len(ids), func(ctx context.Context, i int) {
				results <- s.bulkOne(ctx, form, ids[i])
			})
		}
	}()
	last := bulkLine{Done: true}
	var failed error // to write
	for line := range results {
		if line.Error != nil {
			last.Failed++
		} else {
			last.Succeeded++
		}
		if failed == nil {
			if failed = w.Line(line); failed != nil {
				cancel()
			}
		}
	}
	if failed != nil || last.Failed+last.Succeeded < total {
		return errors.Join(failed, ctx.Err())
	}
	return w.Line(last)
}

// bulkOne does to one job what the form says. A panic is an error of the job.
func (s *Server) bulkOne(ctx context.Context, form *bulkForm, id int64) (line bulkLine) {
	line.ID = id
	if err := api.Recovered(func() error { return s.bulkJob(ctx, form, &line) }); err != nil {
		_, refusal, known := api.RefusalOf(err)
		if !known {
			api.LogError(s.opts.Logger, "bulk call failed", err, "action", form.Action, "job", id)
		}
		line.Error, line.Undo = &refusal, nil
	}
	return line
}

func (s *Server) bulkJob(ctx context.Context, form *bulkForm, line *bulkLine) error {
	// The action needs its own role, in the group of the job and in the one that it moves to.
	ctx = api.WithRole(ctx, form.Action.role())
	j, err := s.job(ctx, line.ID)
	if err != nil {
		return err
	}
	switch form.Action {
	case bulkStart:
		if !j.Running {
			line.Undo = &bulkUndo{Action: bulkStop}
		}
		_, err = s.start(ctx, j)
	case bulkStop:
		if j.Running {
			line.Undo = &bulkUndo{Action: bulkStart}
		}
		err = xxladapter.StopJob(ctx, s.opts.Store, j.ID, j.Updated)
	case bulkDelete:
		err = s.remove(ctx, j)
	case bulkChange:
		if line.Undo, err = s.undoChange(ctx, j, form.Change); err == nil {
			change := *form.Change // a copy: applying a form may keep parts of it
			err = s.change(ctx, j, &change)
		}
	case bulkTrigger:
		given := form.Trigger
		if given == nil {
			given = new(triggerForm)
		}
		var order planned
		order, err = s.trigger(ctx, j, xxladapter.TriggerManual, given, "")
		line.Order = order.Order
	}
	return err
}

// undoChange returns the change that gives a job its present values of the fields that a form
// changes; nil if the form changes none of them. Children that were removed are left out: a change
// that adds them is refused.
func (s *Server) undoChange(ctx context.Context, j *xxladapter.Job, form *jobForm) (*bulkUndo, error) {
	given, err := fieldsOf(form)
	if err != nil {
		return nil, err
	}
	shown := showForm(j)
	if form.ChildJobIDs != nil {
		if *shown.ChildJobIDs, err = s.existing(ctx, j.ChildIDs); err != nil {
			return nil, err
		}
	}
	has, err := fieldsOf(&shown)
	if err != nil {
		return nil, err
	}
	if _, moved := given["appName"]; moved {
		delete(given, "appName")
		given["jobGroup"] = nil
	}
	back := maps.Clone(has)
	maps.DeleteFunc(back, func(name string, value json.RawMessage) bool {
		now, changes := given[name]
		return !changes || string(now) == string(value)
	})
	if len(back) == 0 {
		return nil, nil
	}
	if back["glueSource"] != nil || back["glueType"] != nil {
		back["glueRemark"] = has["glueRemark"] // without it the change back would empty it
	}
	text, err := json.Marshal(back)
	if err != nil {
		return nil, err
	}
	undo := &bulkUndo{Action: bulkChange, Change: new(jobForm)}
	return undo, json.Unmarshal(text, undo.Change)
}

// existing returns those of the ids that name jobs, also jobs that the caller may not see.
func (s *Server) existing(ctx context.Context, ids []int64) ([]int64, error) {
	all := access.WithRights(ctx, access.RightsForAll(xxladapter.RoleViewer))
	found := []int64{} // a list in JSON, never null
	for _, id := range ids {
		switch _, err := s.opts.Store.Job(all, id); {
		case err == nil:
			found = append(found, id)
		case !errors.Is(err, xxladapter.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}

// fieldsOf returns the fields of a form that are given.
func fieldsOf(form *jobForm) (fields map[string]json.RawMessage, err error) {
	text, err := json.Marshal(form)
	if err != nil {
		return nil, err
	}
	return fields, json.Unmarshal(text, &fields)
}

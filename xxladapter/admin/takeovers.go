package admin

import (
	"context"
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/errortext"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
)

// A takeOverForm says what was taken from a database of XXL-JOB, or would be.
type takeOverForm struct {
	From    string `json:"from" doc:"The database, without user and password."`
	DryRun  bool   `json:"dryRun" doc:"Nothing was written."`
	KeptIDs bool   `json:"keptIds" doc:"New groups and jobs have the ids that they have in the database."`
	Served  bool   `json:"served" doc:"Executors or triggers wrote to the database less than a minute ago, so an admin of XXL-JOB seems to work on it: jobs that are started here would fire twice."`

	Groups   takenCount `json:"groups"`
	Jobs     takenCount `json:"jobs"`
	Versions takenCount `json:"versions" doc:"The versions of scripts."`
	Users    takenCount `json:"users"`
	Days     takenCount `json:"days" doc:"The days of the daily report."`

	Taken []takenJob     `json:"jobsTaken" doc:"The jobs of the database that the store has, by their ids there."`
	Notes []takeOverNote `json:"notes"`
}

type takenCount struct {
	Taken  int `json:"taken"`
	Before int `json:"before" doc:"The store has them already."`
	Left   int `json:"left" doc:"They are not taken; a note says why."`
}

type takenJob struct {
	From   int64  `json:"from" doc:"The id in the database."`
	ID     int64  `json:"id" doc:"The id in the store; 0 in a dry run, if it is not known yet."`
	Name   string `json:"name"`
	On     bool   `json:"on" doc:"XXL-JOB has the schedule on."`
	Starts bool   `json:"starts" doc:"The schedulers understand the schedule."`
	New    bool   `json:"new" doc:"It is taken now."`
}

type takeOverNote struct {
	What string `json:"what" doc:"changed: it is taken with another value; left: it is not taken; advice: somebody should do something."`
	Kind string `json:"kind" doc:"group, job, version, user, day or database."`
	ID   int64  `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
	Rule string `json:"rule,omitempty" doc:"What the note says, as a code that stays the same when the text is reworded."`
	// Chinese is empty for a note whose rule is not known.
	Chinese string `json:"textZh,omitempty" doc:"The text in Chinese."`
}

// errNoTakeOver refuses a takeover on a server without Options.TakeOver.
var errNoTakeOver = xxladapter.Conflictf(errorrule.NoTakeover,
	"no database of XXL-JOB is named, must be named when the scheduler is started (xxlwheel serve --takeover-from)")

// previewTakeOver reports what a takeover would do.
func (s *Server) previewTakeOver(ctx context.Context, _ api.None) (takeOverForm, error) {
	return s.taken(ctx, true)
}

// takeOver takes what the store does not have. Jobs are stopped.
func (s *Server) takeOver(ctx context.Context, _ api.None) (takeOverForm, error) {
	return s.taken(ctx, false)
}

func (s *Server) taken(ctx context.Context, dryRun bool) (form takeOverForm, err error) {
	if s.opts.TakeOver == nil {
		return form, errNoTakeOver
	}
	r, err := s.opts.TakeOver(ctx, dryRun)
	var known *xxladapter.Error
	if err != nil && !errors.As(err, &known) {
		return form, xxladapter.Refusef(xxladapter.CodeUnreachable, errorrule.TakeoverFailed,
			"the database of XXL-JOB cannot be read: %v",
			err)
	}
	if err != nil {
		return form, err
	}
	count := func(c fromxxljob.Count) takenCount { return takenCount(c) }
	form = takeOverForm{
		From: r.From, DryRun: r.DryRun, KeptIDs: r.KeptIDs, Served: r.Served,
		Groups: count(r.Groups), Jobs: count(r.Jobs), Versions: count(r.Versions), Users: count(r.Users),
		Days:  count(r.Days),
		Taken: []takenJob{}, Notes: []takeOverNote{},
	}
	for _, j := range r.Taken {
		form.Taken = append(form.Taken, takenJob(j))
	}
	for _, n := range r.Notes {
		form.Notes = append(form.Notes, noteOf(n))
	}
	if len(form.Taken) > 0 && !dryRun {
		s.opts.JobChanged()
	}
	return form, nil
}

func noteOf(n fromxxljob.Note) takeOverNote {
	note := takeOverNote{What: n.What, Kind: n.Kind, ID: n.ID, Name: n.Name, Text: n.Text}
	if n.Said != nil {
		note.Rule, note.Chinese = n.Said.Rule.Code, errortext.Chinese(n.Said)
	}
	return note
}

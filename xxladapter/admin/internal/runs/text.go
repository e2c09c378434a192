package runs

import (
	"context"
	"errors"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

type textQuery struct {
	api.IDPath
	From int64 `query:"from" doc:"The first line to return, counted from 1."`
}

// A textForm is a part of what a run wrote.
type textForm struct {
	From    int64  `json:"fromLineNum"`
	To      int64  `json:"toLineNum" doc:"The number of the last line; 0 means none."`
	Content string `json:"logContent"`
	End     bool   `json:"isEnd" doc:"True if nothing more will come. Otherwise continue with the line after toLineNum: a long text comes in parts."`
	Stored  bool   `json:"stored,omitempty" doc:"True if the text comes from the scheduler's store and not from the executor."`
	Size    int64  `json:"size,omitempty" doc:"For a stored text, how many bytes the executor had."`
	Note    string `json:"note,omitempty" doc:"Why a stored text is incomplete."`
}

// runLog returns the text that the run wrote, from a line on: the stored copy, or else the
// executor's. It calls the address in the row, never one that a caller names.
func (s *Server) runLog(ctx context.Context, q textQuery) (no textForm, err error) {
	stored, err := s.opts.Store.RunText(ctx, q.ID)
	if err == nil && stored.Text != "" {
		return showText(stored, q.From), nil
	}
	if err != nil && !errors.Is(err, xxladapter.ErrNotFound) {
		return no, err
	}
	form, err := s.askForLog(ctx, q)
	if err != nil && stored != nil {
		return showText(stored, q.From), nil // it says why there is no text
	}
	return form, err
}

// showText returns the part of a stored text from a line on.
func showText(t *xxladapter.RunText, from int64) textForm {
	form := textForm{From: max(from, 1), End: true, Stored: true, Size: t.Size, Note: t.Note}
	var b strings.Builder
	for line := range strings.Lines(t.Text) {
		if form.To++; form.To >= form.From {
			b.WriteString(line)
		}
	}
	form.Content = b.String()
	return form
}

func (s *Server) askForLog(ctx context.Context, q textQuery) (no textForm, err error) {
	l, appName, err := s.sentLog(ctx, q.ID)
	if err != nil {
		return no, err
	}
	from := wire.Int(max(q.From, 1))
	result, err := s.opts.Executors.Log(ctx, l.Address, appName, wire.LogRequest{
		LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: from,
	})
	if err != nil {
		return no, unreachable(l, err)
	}
	return textForm{
		From: int64(result.FromLine), To: int64(result.ToLine), Content: result.Content,
		// Executors return a part at a time, and most never mark the last one. The text has ended
		// if the run has ended and there is no line here.
		End: result.End || l.HandleCode != xxladapter.ResultNone && (result.Content == "" || result.ToLine < from),
	}, nil
}

// killRun ends all runs of the run's job that run or wait on its executor, since the protocol has
// no finer way. The executor reports the end of each of these runs itself.
func (s *Server) killRun(ctx context.Context, path api.IDPath) (no api.None, err error) {
	l, appName, err := s.sentLog(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if l.HandleCode != xxladapter.ResultNone {
		return no, xxladapter.Conflictf(errorrule.RunEnded, "run %d has the result %d, must have none to be killed",
			l.ID, l.HandleCode)
	}
	record, err := api.Witness(ctx, s.opts.Store)
	if err != nil {
		return no, err
	}
	// The call to the executor is not broken off although the caller may be gone.
	if err := s.opts.Executors.Kill(context.WithoutCancel(ctx), l.Address, appName, l.JobID); err != nil {
		return no, unreachable(l, err)
	}
	o := xxladapter.AuditObject{Kind: xxladapter.AuditRun, ID: l.ID, JobID: l.JobID, GroupID: l.GroupID}
	return no, record(o, xxladapter.Fields{{Name: "executorAddress", Value: l.Address}})
}

// sentLog loads the row of a run, with the app name of its group. It refuses a row that no executor
// accepted.
func (s *Server) sentLog(ctx context.Context, id int64) (*xxladapter.Log, string, error) {
	if s.opts.Executors == nil {
		return nil, "", ErrNoExecutors
	}
	l, err := s.Log(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if l.Address == "" || l.TriggerCode != xxladapter.ResultOK {
		return nil, "", xxladapter.Conflictf(errorrule.RunNotSent,
			"run %d has the trigger code %d, must have %d: no executor accepted the run",
			l.ID, l.TriggerCode, xxladapter.ResultOK)
	}
	group, err := s.opts.Store.Group(ctx, l.GroupID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return l, "", nil // generations before G4 need no app name
	}
	if err != nil {
		return nil, "", err
	}
	return l, group.AppName, nil
}

// unreachable returns an error for the user about a failed call to an executor.
func unreachable(l *xxladapter.Log, err error) error {
	refused := xxladapter.Refusef(xxladapter.CodeUnreachable, errorrule.ExecutorFailed, "executor %s: %v", l.Address, err)
	refused.Err = err
	return refused
}

// ErrNoExecutors refuses what needs a call to an executor, on a server without Options.Executors.
var ErrNoExecutors = xxladapter.Refusef(xxladapter.CodeUnreachable, errorrule.NoExecutorCalls,
	"this server calls no executors, another one of the store must be asked")

package admin

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// runLog answers with the text that the run wrote, as its executor has it, from
// a line on. The address is the one in the row, never one that a caller names.
func (s *Server) runLog(r *http.Request) (any, error) {
	l, appName, err := s.sentLog(r)
	if err != nil {
		return nil, err
	}
	from, err := queryInt(r, "from")
	if err != nil {
		return nil, err
	}
	result, err := s.opts.Executors.Log(r.Context(), l.Address, appName, wire.LogRequest{
		LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: wire.Int(max(from, 1)),
	})
	if err != nil {
		return nil, unreachable(l, err)
	}
	return map[string]any{
		"fromLineNum": result.FromLine, "toLineNum": result.ToLine, "logContent": result.Content,
		// Java executors never say that a log has ended. It has when the run has.
		"isEnd": result.End || l.HandleCode != xxladapter.ResultNone,
	}, nil
}

// killRun ends what runs and what waits of the run's job on its executor, which
// is all that the protocol offers. The executor reports the end of each of
// those runs itself.
func (s *Server) killRun(r *http.Request) (any, error) {
	l, appName, err := s.sentLog(r)
	if err != nil {
		return nil, err
	}
	if l.HandleCode != xxladapter.ResultNone {
		return nil, xxladapter.Conflictf("log %d has the result %d, must have none to be killed", l.ID, l.HandleCode)
	}
	if err := s.opts.Executors.Kill(r.Context(), l.Address, appName, l.JobID); err != nil {
		return nil, unreachable(l, err)
	}
	return nil, nil
}

// sentLog loads the row that the path names, with the app name of its group. A
// row that no executor took is refused.
func (s *Server) sentLog(r *http.Request) (*xxladapter.Log, string, error) {
	if s.opts.Executors == nil {
		return nil, "", fmt.Errorf("server was made without Options.Executors")
	}
	l, err := s.logOf(r)
	if err != nil {
		return nil, "", err
	}
	if l.Address == "" || l.TriggerCode != xxladapter.ResultOK {
		return nil, "", xxladapter.Conflictf("log %d has the trigger code %d, must have %d: no executor took the run",
			l.ID, l.TriggerCode, xxladapter.ResultOK)
	}
	group, err := s.opts.Store.Group(r.Context(), l.GroupID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return l, "", nil // generations before G4 need no app name
	}
	if err != nil {
		return nil, "", err
	}
	return l, group.AppName, nil
}

// unreachable tells the user why an executor did not do as asked.
func unreachable(l *xxladapter.Log, err error) error {
	return &xxladapter.Error{
		Code: xxladapter.CodeUnreachable, Message: fmt.Sprintf("executor %s: %v", l.Address, err), Err: err,
	}
}

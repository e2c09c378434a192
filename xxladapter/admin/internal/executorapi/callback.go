package executorapi

import (
	"context"
	"fmt"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// callback acknowledges results after they are stored. Upstream acknowledges first, and loses
// results that it then fails to store.
func (s *Server) callback(ctx context.Context, by access.Caller, body []byte) (any, error) {
	var list wire.Callbacks
	if err := decodeBody(body, &list); err != nil {
		return nil, err
	}
	for i, c := range list {
		if c.LogID == 0 { // the result would be lost
			return nil, &badBodyError{fmt.Errorf("callback %d has no logId, must have that of its run", i)}
		}
		list[i].HandleMsg = access.Conceal(c.HandleMsg, sentToken(ctx)) // a handler may have written it
	}
	if !by.Any() {
		var foreign foreignRuns
		err := s.opts.Completer.CompleteOwn(ctx, list, s.ownOf(by, &foreign))
		if foreign.n > 0 {
			s.opts.Logger.Warn("results of runs of other apps ignored", "results", foreign.n, "run", foreign.one)
		}
		return nil, err
	}
	return nil, s.opts.Completer.Complete(ctx, list)
}

// foreignRuns counts results of runs of other apps.
type foreignRuns struct {
	n   int
	one int64 // the log id of one of them
}

// ownOf returns a function that reports whether the caller may report the result of a run, because
// it may act for the run's app: that of the queue to which the run went, or else that of its group.
// Results of other runs are counted in foreign and ignored like those of unknown runs: refusing one
// would block the rest of its batch forever.
func (s *Server) ownOf(by access.Caller, foreign *foreignRuns) trigger.Own {
	// The mutex is held while the store is asked for an app, so that each is asked for once.
	var mu sync.Mutex // guards foreign and apps
	apps := make(map[int64]string)
	return func(ctx context.Context, l *xxladapter.Log) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		app := ""
		if at, queued := xxladapter.ParseQueueAddress(l.Address); queued {
			app = at.App
		} else if known, ok := apps[l.GroupID]; ok {
			app = known
		} else {
			var err error
			if app, err = s.opts.Groups.AppOf(ctx, l.GroupID); err != nil {
				return false, err
			}
			apps[l.GroupID] = app
		}
		if !by.May(app) {
			foreign.n++
			foreign.one = l.ID
			return false, nil
		}
		return true, nil
	}
}

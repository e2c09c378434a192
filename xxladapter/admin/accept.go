package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxAccepts limits the runs of one request.
const maxAccepts = 1000

// accept gives runs to an executor that has taken them from a queue. A run of an app that the caller
// may not act for does not exist to it.
func (s *Server) accept(ctx context.Context, by access.Caller, body []byte) (any, error) {
	var asked []wire.Accept
	if err := decodeBody(body, &asked); err != nil {
		return nil, err
	}
	if len(asked) > maxAccepts {
		return nil, &badBodyError{fmt.Errorf("list has %d runs, must have at most %d", len(asked), maxAccepts)}
	}
	answer := make([]bool, len(asked))
	var list []xxladapter.Accepted
	var places []int // in answer
	for i, a := range asked {
		at, ok := xxladapter.ParseQueueAddress(a.Address)
		if !ok || at.Instance == "" {
			return nil, &badBodyError{fmt.Errorf("address %q of run %d is not that of an executor with a queue", a.Address, i)}
		}
		may, err := s.mayAccept(ctx, by, at.App, int64(a.LogID))
		if err != nil {
			return nil, err
		}
		if may {
			list, places = append(list, xxladapter.Accepted{LogID: int64(a.LogID), Address: a.Address}), append(places, i)
		}
	}
	given, err := s.opts.Completer.Accept(ctx, list)
	if err != nil {
		return nil, err
	}
	for i, may := range given {
		answer[places[i]] = may
	}
	return answer, nil
}

// mayAccept reports whether a caller may act for the app and, unless it may act for all, whether the
// run is one of this app.
func (s *Server) mayAccept(ctx context.Context, by access.Caller, app string, logID int64) (bool, error) {
	if by.Any() || !by.May(app) {
		return by.Any(), nil
	}
	l, err := s.opts.Store.Log(ctx, logID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	of, err := s.appOf(ctx, l.GroupID)
	return of == app, err
}

package executorapi

import (
	"context"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxAccepts limits the runs of one request.
const maxAccepts = 1000

// accept gives runs to an executor that has taken them from a queue, if the caller may act for its
// app. The store gives an executor no run of another app.
func (s *Server) accept(ctx context.Context, by access.Caller, body []byte) (any, error) {
	var asked []wire.Accept
	if err := decodeBody(body, &asked); err != nil {
		return nil, err
	}
	if len(asked) > maxAccepts {
		return nil, &badBodyError{fmt.Errorf("list has %d runs, must have at most %d", len(asked), maxAccepts)}
	}
	answer := make([]bool, len(asked))
	var list []xxladapter.Accept
	var places []int // in answer
	for i, a := range asked {
		at, ok := xxladapter.ParseQueueAddress(a.Address)
		if !ok || at.Instance == "" {
			return nil, &badBodyError{
				fmt.Errorf("address %q of run %d is not that of an executor with a queue", a.Address, i),
			}
		}
		if by.May(at.App) {
			list, places = append(list, xxladapter.Accept{LogID: int64(a.LogID), Address: a.Address, Held: a.Held}),
				append(places, i)
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

// feed creates the queue from which an executor takes its runs, if the caller may act for its app.
func (s *Server) feed(ctx context.Context, by access.Caller, body []byte) (any, error) {
	var asked wire.Feed
	if err := decodeBody(body, &asked); err != nil {
		return nil, err
	}
	at, ok := xxladapter.ParseQueueAddress(asked.Address)
	switch {
	case !ok || at.Instance == "":
		return nil, &badBodyError{fmt.Errorf("address %q is not that of an executor with a queue", asked.Address)}
	case !by.May(at.App):
		return nil, xxladapter.Invalidf(errorrule.QueueApp, "%s is %q, must be of the app that the caller acts for",
			"address", asked.Address)
	case s.opts.Queue == nil:
		return nil, xxladapter.Invalidf(errorrule.NoQueue,
			"this scheduler has no queue, must be started with one (xxlwheel serve --queue)")
	}
	if err := s.checkKey(ctx, at.App); err != nil {
		return nil, err
	}
	return nil, s.opts.Queue.Prepare(ctx, at)
}

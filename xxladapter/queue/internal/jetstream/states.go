package jetstream

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// States implements [broker.Broker].
func (c *conn) States(ctx context.Context) (map[string]xxladapter.QueueState, error) {
	states := map[string]xxladapter.QueueState{}
	streams := c.js.ListStreams(ctx, jetstream.WithStreamListSubject(c.names.allRuns()))
	for info := range streams.Info() {
		if info.State.Msgs == 0 || len(info.Config.Subjects) != 1 {
			continue
		}
		app, ok := c.names.appOf(info.Config.Subjects[0])
		if !ok {
			continue
		}
		stream, err := c.stream(ctx, app)
		if err == nil {
			states[app], err = stateOf(ctx, stream, info)
		}
		if err != nil {
			return nil, err
		}
	}
	return states, streams.Err()
}

// State implements [broker.Broker].
func (c *conn) State(ctx context.Context, app string) (s xxladapter.QueueState, err error) {
	stream, err := c.js.Stream(ctx, c.names.stream(app)) // asks, unlike c.stream
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return xxladapter.QueueState{}, nil
	}
	if err == nil {
		s, err = stateOf(ctx, stream, stream.CachedInfo())
	}
	return s, err
}

// stateOf combines the counts of a stream with those of its consumers. The broker drops the
// delivery count of a run when the run is acknowledged.
func stateOf(ctx context.Context, stream jetstream.Stream, info *jetstream.StreamInfo) (xxladapter.QueueState, error) {
	s := xxladapter.QueueState{Runs: int64(info.State.Msgs)}
	if s.Runs > 0 { // an empty stream has the time of its last run
		s.Oldest = info.State.FirstTime
	}
	consumers := stream.ListConsumers(ctx)
	for one := range consumers.Info() {
		s.Redelivered += int64(one.NumRedelivered)
	}
	return s, consumers.Err()
}

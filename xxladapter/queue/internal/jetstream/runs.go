package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// Publish implements [broker.Broker]. The position is that in the stream of the app.
func (c *conn) Publish(
	ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte,
) (position uint64, err error) {
	if c.health.away() {
		return 0, broker.ErrAway
	}
	ctx, end := c.calls.begin(ctx)
	defer end()
	defer func() { c.health.notice(err) }()
	m := &nats.Msg{Subject: c.names.run(to), Header: nats.Header(header), Data: run}
	publish := func() (*jetstream.PubAck, error) {
		return c.js.PublishMsg(ctx, m, jetstream.WithMsgID(key), jetstream.WithRetryAttempts(0))
	}
	ack, err := publish()
	if errors.Is(err, jetstream.ErrNoStreamResponse) { // it is the app's first, or the broker lost its files
		if err = c.ensureStream(ctx, to.App); err == nil {
			ack, err = publish()
		}
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return 0, fmt.Errorf("%w: %d bytes; raise max_payload of nats-server", broker.ErrTooLarge, len(run))
	case err != nil:
		return 0, err
	}
	return ack.Sequence, nil
}

// Holds implements [broker.Broker].
func (c *conn) Holds(ctx context.Context, to xxladapter.QueueAddress, position uint64, key string) (bool, error) {
	stream, err := c.stream(ctx, to.App)
	if err == nil {
		var m *jetstream.RawStreamMsg
		if m, err = stream.GetMsg(ctx, position); err == nil {
			// A broker that lost its files assigns the same positions again.
			return m.Header.Get(jetstream.MsgIDHeader) == key, nil
		}
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, nil
	}
	return false, err
}

// Clear implements [broker.Broker].
func (c *conn) Clear(ctx context.Context, to xxladapter.QueueAddress) error {
	stream, err := c.stream(ctx, to.App)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(c.names.run(to)))
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

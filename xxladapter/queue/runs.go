package queue

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ErrTooLarge is wrapped by the error of Publish for a run that the broker never accepts.
var ErrTooLarge = errors.New("queue: run is larger than the broker accepts")

// Publish stores a run for an address and returns its position in the stream of the app. Within two
// minutes a second one with the same key is not stored, and gets the position of the first. The
// error wraps [ErrTooLarge] if the run can never be stored; after any other error it may be stored
// or not.
func (c *Conn) Publish(ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte) (position uint64, err error) {
	if !c.nc.IsConnected() { // waiting would hold up hand-overs that need no broker
		return 0, fmt.Errorf("publish to queue %s: %w", c.shown, nats.ErrDisconnected)
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
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
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return 0, fmt.Errorf("%w: %d bytes; raise max_payload of nats-server", ErrTooLarge, len(run))
	case err != nil:
		return 0, fmt.Errorf("publish to queue %s: %w", c.shown, err)
	}
	return ack.Sequence, nil
}

// Holds reports whether the run for an address is still stored at a position.
func (c *Conn) Holds(ctx context.Context, to xxladapter.QueueAddress, position uint64, key string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	stream, err := c.stream(ctx, to.App)
	if err == nil {
		var m *jetstream.RawStreamMsg
		if m, err = stream.GetMsg(ctx, position); err == nil {
			// A broker that lost its files gives positions again.
			return m.Header.Get(jetstream.MsgIDHeader) == key, nil
		}
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, nil
	}
	return false, fmt.Errorf("look into queue %s: %w", c.shown, err)
}

// Remove drops the run for an address at a position; one that is gone is no error.
func (c *Conn) Remove(ctx context.Context, to xxladapter.QueueAddress, position uint64) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	stream, err := c.stream(ctx, to.App)
	if err == nil {
		err = stream.DeleteMsg(ctx, position)
	}
	if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return fmt.Errorf("remove a run from queue %s: %w", c.shown, err)
}

package queue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ErrTooLarge is wrapped by the error of Publish for a run that the broker never accepts.
var ErrTooLarge = errors.New("run is larger than the queue accepts")

const (
	// ackWait is how long an executor has to begin a run before the run is delivered again.
	ackWait = 30 * time.Second
	// idleConsumer is how long an executor may be gone before the broker forgets how far it was. Its
	// runs stay.
	idleConsumer = 7 * 24 * time.Hour
	// unacknowledged limits the runs of an app that were delivered and are not acknowledged.
	unacknowledged = 10_000
	// fullAt is how many runs one subject holds. Further ones are refused, and their fires stay open.
	fullAt = 1_000_000
)

// ensureStream creates the stream of runs unless it exists.
func (c *Conn) ensureStream(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	_, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: c.names.stream(), Description: "runs that no executor has begun", Subjects: []string{c.names.runs()},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: fullAt,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // an operator may have given it other limits
	}
	return err
}

// Publish stores a run for an address and returns its position. Within two minutes a second one with
// the same key is not stored, and gets the position of the first. The error wraps [ErrTooLarge] if
// the run can never be stored; after any other error it may be stored or not.
func (c *Conn) Publish(ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte) (position uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	m := &nats.Msg{Subject: c.names.run(to), Header: nats.Header(header), Data: run}
	publish := func() (*jetstream.PubAck, error) {
		return c.js.PublishMsg(ctx, m, jetstream.WithMsgID(key), jetstream.WithRetryAttempts(0))
	}
	ack, err := publish()
	if errors.Is(err, jetstream.ErrNoStreamResponse) { // the broker may have lost its files
		if err = c.ensureStream(ctx); err == nil {
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

// Holds reports whether the run at a position is still stored.
func (c *Conn) Holds(ctx context.Context, position uint64, key string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	stream, err := c.js.Stream(ctx, c.names.stream())
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

// Remove drops the run at a position; one that is gone is no error.
func (c *Conn) Remove(ctx context.Context, position uint64) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	stream, err := c.js.Stream(ctx, c.names.stream())
	if err == nil {
		err = stream.DeleteMsg(ctx, position)
	}
	if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return fmt.Errorf("remove a run from queue %s: %w", c.shown, err)
}

// A Delivery is one run that was taken from the queue.
type Delivery struct {
	Header http.Header
	Body   []byte
	msg    jetstream.Msg
}

// Done removes the run from the queue. If the broker does not learn of it, the run is delivered
// again.
func (d *Delivery) Done() { _ = d.msg.Ack() }

// Later leaves the run in the queue, to be delivered again after a while.
func (d *Delivery) Later() { _ = d.msg.NakWithDelay(ackWait) }

// Return leaves the run in the queue, to be delivered again at once.
func (d *Delivery) Return() { _ = d.msg.Nak() }

// fetchLife limits one request for runs. It is short, so that places that were set aside for it come
// back to those who have runs.
const fetchLife = 2 * time.Second

// A Feed takes the runs of one address from the queue. It belongs to one goroutine.
type Feed struct {
	c        *Conn
	of       xxladapter.QueueAddress
	consumer jetstream.Consumer // nil until the broker has it
}

// Feed returns the runs of an address. Executors that feed on the same address share its runs.
func (c *Conn) Feed(of xxladapter.QueueAddress) *Feed { return &Feed{c: c, of: of} }

// Take calls take for up to n runs as they arrive, and returns after n of them or a while. The error
// is the broker's; the next call starts afresh.
func (f *Feed) Take(ctx context.Context, n int, take func(*Delivery)) error {
	if err := f.take(ctx, n, take); err != nil {
		f.consumer = nil
		return fmt.Errorf("take runs from queue %s: %w", f.c.shown, err)
	}
	return nil
}

func (f *Feed) take(ctx context.Context, n int, take func(*Delivery)) error {
	if f.consumer == nil {
		if err := f.open(ctx); err != nil {
			return err
		}
	}
	fetching, cancel := context.WithTimeout(ctx, fetchLife)
	defer cancel()
	batch, err := f.consumer.Fetch(n, jetstream.FetchContext(fetching))
	if err != nil {
		return err
	}
	for m := range batch.Messages() {
		take(&Delivery{Header: http.Header(m.Headers()), Body: m.Data(), msg: m})
	}
	if err := batch.Error(); err != nil && fetching.Err() == nil && !errors.Is(err, nats.ErrTimeout) {
		return err
	}
	return nil
}

// open makes sure that the broker has the stream, and the consumer of this address.
func (f *Feed) open(ctx context.Context) (err error) {
	if err := f.c.ensureStream(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	config := jetstream.ConsumerConfig{
		Durable: f.c.names.consumer(f.of), Description: f.of.String(), FilterSubject: f.c.names.run(f.of),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: unacknowledged,
	}
	if f.of.Instance != "" {
		config.InactiveThreshold = idleConsumer
	}
	f.consumer, err = f.c.js.CreateOrUpdateConsumer(ctx, f.c.names.stream(), config)
	return err
}

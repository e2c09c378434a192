package jetstream

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// unacknowledged limits the runs of one address that were delivered and are not acknowledged.
const unacknowledged = 10_000

// ensureStream creates the stream with the runs of an app unless it exists.
func (c *conn) ensureStream(ctx context.Context, app string) error {
	_, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: c.names.stream(app), Description: "runs of " + app + " that no executor has begun",
		Subjects:  []string{c.names.runs(app)},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: broker.FullAt,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // an operator may have given it other limits
	}
	return err
}

// Prepare implements [broker.Broker]: it creates the stream of an app, and the consumers of the app
// and of the executor.
func (c *conn) Prepare(ctx context.Context, at xxladapter.QueueAddress) error {
	if err := c.ensureStream(ctx, at.App); err != nil {
		return refused(err)
	}
	for _, of := range []xxladapter.QueueAddress{{App: at.App}, at} {
		config := jetstream.ConsumerConfig{
			Durable: c.names.consumer(of), Description: of.String(), FilterSubject: c.names.run(of),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: delivery.AckWait, MaxDeliver: -1,
			MaxAckPending: unacknowledged,
		}
		if of.Instance != "" {
			config.InactiveThreshold = broker.IdleLife // the stream keeps the runs
		}
		if _, err := c.js.CreateOrUpdateConsumer(ctx, c.names.stream(at.App), config); err != nil {
			return refused(err)
		}
	}
	return nil
}

// stream returns the stream with the runs of an app without asking the broker for it each time.
func (c *conn) stream(ctx context.Context, app string) (jetstream.Stream, error) {
	if known, ok := c.streams.Load(app); ok {
		return known.(jetstream.Stream), nil
	}
	stream, err := c.js.Stream(ctx, c.names.stream(app))
	if err == nil {
		c.streams.Store(app, stream)
	}
	return stream, err
}

package queue

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// ackWait is how long an executor has to begin a run before the run is delivered again.
	ackWait = 30 * time.Second
	// idleConsumer is how long the broker keeps the consumer of an executor that is gone. The runs
	// are kept.
	idleConsumer = 7 * 24 * time.Hour
	// unacknowledged limits the runs of an app that were delivered and are not acknowledged.
	unacknowledged = 10_000
	// fullAt is how many runs one subject holds. Further ones are refused, and their fires stay
	// open.
	fullAt = 1_000_000
)

// ensureStream creates the stream with the runs of an app unless it exists.
func (c *Conn) ensureStream(ctx context.Context, app string) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	_, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: c.names.stream(app), Description: "runs of " + app + " that no executor has begun", Subjects: []string{c.names.runs(app)},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: fullAt,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // an operator may have given it other limits
	}
	return err
}

// Prepare creates what the executor at an address feeds on, unless the broker has it: the stream of
// its app, and the consumers of the app and of the executor. A scheduler calls it on behalf of
// executors, because their broker users may not create streams.
func (c *Conn) Prepare(ctx context.Context, at xxladapter.QueueAddress) error {
	if err := c.ensureStream(ctx, at.App); err != nil {
		return c.refused(err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	for _, of := range []xxladapter.QueueAddress{{App: at.App}, at} {
		config := jetstream.ConsumerConfig{
			Durable: c.names.consumer(of), Description: of.String(), FilterSubject: c.names.run(of),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: unacknowledged,
		}
		if of.Instance != "" {
			config.InactiveThreshold = idleConsumer
		}
		if _, err := c.js.CreateOrUpdateConsumer(ctx, c.names.stream(at.App), config); err != nil {
			return c.refused(err)
		}
	}
	return nil
}

// stream returns the stream with the runs of an app without asking the broker for it each time.
func (c *Conn) stream(ctx context.Context, app string) (jetstream.Stream, error) {
	if known, ok := c.streams.Load(app); ok {
		return known.(jetstream.Stream), nil
	}
	stream, err := c.js.Stream(ctx, c.names.stream(app))
	if err == nil {
		c.streams.Store(app, stream)
	}
	return stream, err
}

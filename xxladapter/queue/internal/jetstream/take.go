package jetstream

import (
	"context"
	"errors"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// A held is a message that was delivered and not acknowledged.
type held struct{ msg jetstream.Msg }

// Done implements [delivery.Held].
func (h held) Done() { _ = h.msg.Ack() }

// Later implements [delivery.Held].
func (h held) Later() { _ = h.msg.NakWithDelay(delivery.AckWait) }

// Return implements [delivery.Held].
func (h held) Return() { _ = h.msg.Nak() }

// Extend implements [delivery.Held].
func (h held) Extend() { _ = h.msg.InProgress() }

// A source is the consumer of one address.
type source struct{ consumer jetstream.Consumer }

// Find implements [broker.Broker].
func (c *conn) Find(ctx context.Context, of xxladapter.QueueAddress) (broker.Source, error) {
	consumer, err := c.js.Consumer(ctx, c.names.stream(of.App), c.names.consumer(of))
	if errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		consumer, err = c.imported.Consumer(ctx, c.names.stream(of.App), c.names.consumer(of))
	}
	if err != nil {
		return nil, err
	}
	return source{consumer}, nil
}

// Take implements [broker.Source].
func (s source) Take(ctx context.Context, n int, take func(delivery.Delivery)) error {
	fetching, cancel := context.WithTimeout(ctx, broker.TakeLife)
	defer cancel()
	batch, err := s.consumer.Fetch(n, jetstream.FetchContext(fetching))
	if err != nil {
		return err
	}
	for m := range batch.Messages() {
		d := delivery.Delivery{Header: http.Header(m.Headers()), Body: m.Data(), Number: 1, Held: held{m}}
		if about, err := m.Metadata(); err == nil {
			d.Number = int(about.NumDelivered)
		}
		take(d)
	}
	if err := batch.Error(); err != nil && fetching.Err() == nil && !errors.Is(err, nats.ErrTimeout) {
		return err
	}
	return nil
}

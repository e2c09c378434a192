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

// MaxDeliveries limits the deliveries of a run. A run that is delivered more often is reported as
// failed: that many executors stopped, died or failed to store it before they began it.
const MaxDeliveries = 5

// A Delivery is one run that was taken from the queue.
type Delivery struct {
	Header http.Header
	Body   []byte
	// Number is how often the run was delivered, this delivery included.
	Number int
	msg    jetstream.Msg
}

// Done removes the run from the queue. If the broker does not learn of it, the run is delivered
// again.
func (d *Delivery) Done() { _ = d.msg.Ack() }

// Later leaves the run in the queue, to be delivered again after a while.
func (d *Delivery) Later() { _ = d.msg.NakWithDelay(ackWait) }

// Return leaves the run in the queue, to be delivered again at once.
func (d *Delivery) Return() { _ = d.msg.Nak() }

// Keep delays the next delivery of the run by [KeepFor].
func (d *Delivery) Keep() { _ = d.msg.InProgress() }

// KeepFor is how long a run is not delivered again after its delivery, or after Keep.
const KeepFor = ackWait

// fetchLife limits one request for runs. It is short, so that places that were set aside for it
// come back to those who have runs.
const fetchLife = 2 * time.Second

// A Feed takes the runs of one address from the queue. It belongs to one goroutine.
type Feed struct {
	c        *Conn
	of       xxladapter.QueueAddress
	prepare  func(context.Context) error
	consumer jetstream.Consumer // nil until the broker has it
}

// Feed returns the runs of an address. Executors that feed on the same address share its runs.
// prepare asks a scheduler to call [Conn.Prepare], when the broker does not have what the feed
// needs.
func (c *Conn) Feed(of xxladapter.QueueAddress, prepare func(context.Context) error) *Feed {
	return &Feed{c: c, of: of, prepare: prepare}
}

// Take calls take for each run that arrives, and returns after n runs or after fetchLife. The error
// is the broker's, or that of prepare; the next call starts afresh.
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
		d := &Delivery{Header: http.Header(m.Headers()), Body: m.Data(), Number: 1, msg: m}
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

// open finds the consumer of this address.
func (f *Feed) open(ctx context.Context) error {
	if err := f.find(ctx); err == nil {
		return nil
	}
	if err := f.prepare(ctx); err != nil {
		return err
	}
	return f.find(ctx)
}

func (f *Feed) find(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	f.consumer, err = f.c.js.Consumer(ctx, f.c.names.stream(f.of.App), f.c.names.consumer(f.of))
	return err
}

package queue

import (
	"context"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// MaxDeliveries limits the deliveries of a run. A run that is delivered more often is reported as
// failed, because that many executors have stopped, died or failed to store it without beginning
// it.
const MaxDeliveries = 5

// KeepFor is how long a run is not delivered again after its delivery, or after Keep.
const KeepFor = broker.AckWait

// A Delivery is one run that was taken from the queue. Its methods may be called from any
// goroutine. They return at once and report no error: if what they say does not reach the broker,
// the broker delivers the run again. Done removes the run. Later delivers it again after [KeepFor],
// and Return at once. Keep delays the next delivery by KeepFor from now. Number is how often the
// run was delivered, this delivery included.
type Delivery = broker.Delivery

// A Feed takes the runs of one address from the queue. It belongs to one goroutine.
type Feed struct {
	c       *Conn
	of      xxladapter.QueueAddress
	prepare func(context.Context) error
	source  broker.Source // nil until it is found, and after an error
}

// Feed returns the runs of an address. Executors that feed on the same address share its runs. The
// feed calls prepare when the broker lacks what the feed needs; prepare asks a scheduler to call
// [Conn.Prepare].
func (c *Conn) Feed(of xxladapter.QueueAddress, prepare func(context.Context) error) *Feed {
	return &Feed{c: c, of: of, prepare: prepare}
}

// Take calls take for each run that arrives, and returns after n runs or after two seconds at most.
// The error is the broker's, or that of prepare; the next call starts afresh.
func (f *Feed) Take(ctx context.Context, n int, take func(*Delivery)) error {
	err := error(nil)
	if f.source == nil {
		err = f.open(ctx)
	}
	if err == nil {
		err = f.source.Take(ctx, n, func(d Delivery) { take(&d) })
	}
	if err != nil {
		f.source = nil
		return fmt.Errorf("take runs from queue %s: %w", f.c.shown, err)
	}
	return nil
}

// open finds the source of this address. If there is none, it has the source prepared first.
func (f *Feed) open(ctx context.Context) error {
	if err := f.find(ctx); err == nil {
		return nil
	}
	if err := f.prepare(ctx); err != nil {
		return err
	}
	return f.find(ctx)
}

func (f *Feed) find(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	source, err := f.c.broker.Find(ctx, f.of)
	if err == nil {
		f.source = source
	}
	return err
}

// Prepare creates what the executor at an address feeds on, unless the broker has it: the queue of
// its app, and what the broker keeps for the app and for the executor. A scheduler calls it on
// behalf of executors, because their broker users may not create anything.
func (c *Conn) Prepare(ctx context.Context, at xxladapter.QueueAddress) error {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	return c.served(c.broker.Prepare(ctx, at))
}

package queue

import (
	"context"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// A feed takes the runs of one address from the queue.
type feed struct {
	c       *Conn
	of      xxladapter.QueueAddress
	prepare func(context.Context) error
	source  broker.Source // nil until it is found, and after an error
}

// Feed implements [delivery.Conn]. prepare asks a scheduler to call [Conn.Prepare].
func (c *Conn) Feed(of xxladapter.QueueAddress, prepare func(context.Context) error) delivery.Feed {
	return &feed{c: c, of: of, prepare: prepare}
}

// Take implements [delivery.Feed].
func (f *feed) Take(ctx context.Context, n int, take func(*delivery.Delivery)) error {
	err := error(nil)
	if f.source == nil {
		err = f.open(ctx)
	}
	if err == nil {
		err = f.source.Take(ctx, n, func(d delivery.Delivery) { take(&d) })
	}
	if err != nil {
		f.source = nil
		return fmt.Errorf("take runs from queue %s: %w", f.c.shown, err)
	}
	return nil
}

// open finds the source of this address. If that fails, it has the source prepared and tries again.
func (f *feed) open(ctx context.Context) error {
	if err := f.find(ctx); err == nil {
		return nil
	}
	if err := f.prepare(ctx); err != nil {
		return err
	}
	return f.find(ctx)
}

func (f *feed) find(ctx context.Context) error {
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

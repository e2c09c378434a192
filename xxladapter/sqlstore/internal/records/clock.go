package records

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// clockEvery is how often a server's clock is read, unless a scan that found nothing
// has brought it.
const clockEvery = 10 * time.Second

// A serverClock goes by the clock of a database server, so that all nodes of a
// store agree about what is due. It reads that clock now and then and runs by
// the local monotonic clock in between; when the server does not answer it
// runs on.
type serverClock struct {
	Ask    func(context.Context) (time.Time, error)
	logger *slog.Logger
	cancel context.CancelFunc
	ended  chan struct{}

	started time.Time // zero of the local clock

	Mu   sync.Mutex
	last time.Duration // when saw was called last
	Zero time.Time     // at most the server's time at started; before any reading the zero Time
}

// NewServerClock reads the clock with ask for the first time. The caller must
// call close.
func NewServerClock(ctx context.Context, logger *slog.Logger, ask func(context.Context) (time.Time, error)) (*serverClock, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &serverClock{Ask: ask, logger: logger, cancel: cancel, ended: make(chan struct{}), started: time.Now()}
	// The first answers come slower than the later ones.
	for range 3 {
		if err := c.read(ctx); err != nil {
			cancel()
			return nil, err
		}
	}
	go c.run(running)
	return c, nil
}

func (c *serverClock) run(ctx context.Context) {
	defer close(c.ended)
	ticker := time.NewTicker(clockEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if c.recent() {
			continue // a scan has brought it
		}
		within, cancel := context.WithTimeout(ctx, clockEvery/2)
		if err := c.read(within); err != nil && ctx.Err() == nil {
			c.logger.Warn("cannot read the database server's clock", "err", err)
		}
		cancel()
	}
}

// recent reports whether the clock was read since the last but one tick.
func (c *serverClock) recent() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return time.Since(c.started)-c.last < clockEvery
}

func (c *serverClock) Close() {
	c.cancel()
	<-c.ended
}

// Now is the server's time.
func (c *serverClock) Now() time.Time {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Zero.Add(time.Since(c.started))
}

func (c *serverClock) read(ctx context.Context) error {
	sent := time.Since(c.started)
	server, err := c.Ask(ctx)
	if err != nil {
		return err
	}
	c.saw(server, sent)
	return nil
}

// saw notes that the server's clock showed a time after the local instant sent.
func (c *serverClock) saw(server time.Time, sent time.Duration) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.last = time.Since(c.started)
	c.Zero = corrected(c.Zero, server, sent, c.last)
}

// corrected is the server's time at the local zero, as far as it has surely come,
// after it said server between the local instants sent and received. It lies
// between server - received and server - sent; what was known before stays as
// it is while it agrees with that, so that the clock does not jump with each
// round trip.
func corrected(before, server time.Time, sent, received time.Duration) time.Time {
	server = server.UTC().Round(0)
	earliest, latest := server.Add(-received), server.Add(-sent)
	if before.Before(earliest) || before.After(latest) {
		return earliest
	}
	return before
}

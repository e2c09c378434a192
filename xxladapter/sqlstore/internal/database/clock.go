package database

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// clockEvery is the interval at which a server's clock is read, unless another call has read it
// meanwhile.
const clockEvery = 10 * time.Second

// clocksApart is how far this machine's two clocks may go apart before the server's is read.
const clocksApart = 100 * time.Millisecond

// A ServerClock follows the clock of a database server, so that all nodes of a store agree about
// what is due. It reads that clock at intervals and runs by the local monotonic clock in between,
// also while the server does not answer.
type ServerClock struct {
	// Ask reads the server's clock.
	Ask    func(context.Context) (time.Time, error)
	logger *slog.Logger
	cancel context.CancelFunc
	ended  chan struct{}

	catching atomic.Bool // a call of catchUp reads the clock

	mu       sync.Mutex // guards the fields below
	last     time.Time  // last call of Saw, by the local clock
	wall     time.Time  // the same by the wall clock alone
	estimate xxladapter.ClockEstimate
}

// NewServerClock reads the clock with ask for the first time. The caller must call Close.
func NewServerClock(
	ctx context.Context, logger *slog.Logger, ask func(context.Context) (time.Time, error),
) (*ServerClock, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &ServerClock{Ask: ask, logger: logger, cancel: cancel, ended: make(chan struct{})}
	// The first answers take longer than the later ones.
	for range 3 {
		if err := c.read(ctx); err != nil {
			cancel()
			return nil, err
		}
	}
	go c.run(running) // Close waits for ended
	return c, nil
}

func (c *ServerClock) run(ctx context.Context) {
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
			continue // another call has read it
		}
		within, cancel := context.WithTimeout(ctx, clockEvery/2)
		if err := c.read(within); err != nil && ctx.Err() == nil {
			c.logger.Warn("cannot read the database server's clock", "err", err)
		}
		cancel()
	}
}

// recent reports whether the clock was read within the last interval.
func (c *ServerClock) recent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last) < clockEvery
}

// Close stops reading the server's clock.
func (c *ServerClock) Close() {
	c.cancel()
	<-c.ended
}

// Now returns the estimate of the server's time.
func (c *ServerClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.estimate.At(time.Now())
}

// catchUp reads the server's clock if this machine's wall clock and its monotonic clock have gone
// apart since the last reading. The latter stands still while a machine sleeps, so the estimate is
// then behind by as long. A wall clock that was moved looks the same. catchUp does not wait for
// another call that reads the clock: each hand-over asks for the time, and a burst of them must not
// take the connections from leases.
func (c *ServerClock) catchUp(ctx context.Context) error {
	c.mu.Lock()
	now := time.Now()
	apart := now.Round(0).Sub(c.wall) - now.Sub(c.last)
	c.mu.Unlock()
	if apart.Abs() < clocksApart || !c.catching.CompareAndSwap(false, true) {
		return nil
	}
	defer c.catching.Store(false)
	return c.read(ctx)
}

func (c *ServerClock) read(ctx context.Context) error {
	sent := time.Now()
	server, err := c.Ask(ctx)
	if err != nil {
		return err
	}
	c.Saw(server, sent)
	return nil
}

// Saw records that the server's clock showed a time after the local instant sent.
func (c *ServerClock) Saw(server, sent time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
	c.wall = c.last.Round(0)
	c.estimate = c.estimate.Seen(server.UTC(), sent, c.last)
}

// Shift moves the estimate by d, as if the server's clock had shown that time now. Tests set a
// clock back with it.
func (c *ServerClock) Shift(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.estimate = xxladapter.ClockEstimate{}.Seen(c.estimate.At(now).Add(d), now, now)
}

// FollowServer makes the database follow the clock of its server, which ask reads, unless it has a
// clock already.
func (db *DB) FollowServer(
	ctx context.Context, logger *slog.Logger, ask func(context.Context) (time.Time, error),
) error {
	if db.Clock != nil {
		return nil
	}
	clock, err := NewServerClock(ctx, logger, ask)
	if err != nil {
		return err
	}
	db.Clock, db.Server, db.Ends = clock.Now, clock, append(db.Ends, clock.Close)
	return nil
}

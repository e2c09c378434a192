package records

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// clockEvery is the interval at which a server's clock is read, unless a scan that found nothing
// has read it.
const clockEvery = 10 * time.Second

// A serverClock follows the clock of a database server, so that all nodes of a store agree about
// what is due. It reads that clock at intervals and runs by the local monotonic clock in between,
// also while the server does not answer.
type serverClock struct {
	Ask    func(context.Context) (time.Time, error)
	logger *slog.Logger
	cancel context.CancelFunc
	ended  chan struct{}

	Mu       sync.Mutex // guards the fields below
	last     time.Time  // last call of saw, by the local clock
	Estimate xxladapter.ClockEstimate
}

// NewServerClock reads the clock with ask for the first time. The caller must call Close.
func NewServerClock(ctx context.Context, logger *slog.Logger, ask func(context.Context) (time.Time, error)) (*serverClock, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &serverClock{Ask: ask, logger: logger, cancel: cancel, ended: make(chan struct{})}
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
			continue // a scan has read it
		}
		within, cancel := context.WithTimeout(ctx, clockEvery/2)
		if err := c.read(within); err != nil && ctx.Err() == nil {
			c.logger.Warn("cannot read the database server's clock", "err", err)
		}
		cancel()
	}
}

// recent reports whether the clock was read within the last interval.
func (c *serverClock) recent() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return time.Since(c.last) < clockEvery
}

// Close stops reading the server's clock.
func (c *serverClock) Close() {
	c.cancel()
	<-c.ended
}

// Now returns the estimate of the server's time.
func (c *serverClock) Now() time.Time {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Estimate.At(time.Now())
}

func (c *serverClock) read(ctx context.Context) error {
	sent := time.Now()
	server, err := c.Ask(ctx)
	if err != nil {
		return err
	}
	c.saw(server, sent)
	return nil
}

// saw records that the server's clock showed a time after the local instant sent.
func (c *serverClock) saw(server, sent time.Time) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.last = time.Now()
	c.Estimate = c.Estimate.Seen(server.UTC(), sent, c.last)
}

// FollowServer makes the store follow the clock of its server, which ask reads, unless it has a
// clock already.
func (s *Store) FollowServer(ctx context.Context, logger *slog.Logger, ask func(context.Context) (time.Time, error)) error {
	if s.Clock != nil {
		return nil
	}
	clock, err := NewServerClock(ctx, logger, ask)
	if err != nil {
		return err
	}
	s.Clock, s.Server, s.Ends = clock.Now, clock, append(s.Ends, clock.Close)
	return nil
}

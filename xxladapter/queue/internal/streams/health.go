package streams

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

const (
	// pingEvery is the pause between two pings of Redis, and pingAway the pause while Redis is
	// away.
	pingEvery, pingAway = 10 * time.Second, time.Second
)

// A health knows whether Redis answers, so that publications fail at once while it does not.
type health struct {
	c      *conn
	since  broker.Since // when Redis began to answer; zero while it is away
	look   chan struct{}
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func newHealth(c *conn) *health {
	ctx, cancel := context.WithCancel(context.Background())
	h := &health{c: c, look: make(chan struct{}, 1), cancel: cancel}
	h.since.Begin()
	h.ended.Go(func() { h.watch(ctx) })
	return h
}

func (h *health) away() bool { return h.since.Time().IsZero() }

// Connected implements [broker.Broker].
func (c *conn) Connected() time.Time { return c.health.since.Time() }

// notice looks at the error of a command. If the connection is at fault, Redis counts as away until
// it answers again.
func (h *health) notice(err error) {
	answered := redis.Error(nil)
	if err == nil || errors.As(err, &answered) || errors.Is(err, context.Canceled) {
		return
	}
	h.lost(err)
}

func (h *health) lost(err error) {
	if !h.since.End() {
		return
	}
	h.c.logger.Warn("connection to the queue lost", "queue", h.c.shown, "err", err)
	select {
	case h.look <- struct{}{}:
	default:
	}
}

func (h *health) watch(ctx context.Context) {
	for {
		pause := pingEvery
		if h.away() {
			pause = pingAway
		}
		select {
		case <-ctx.Done():
			return
		case <-h.look:
			continue // with the pause of an absence
		case <-time.After(pause):
		}
		limited, cancel := context.WithTimeout(ctx, broker.CallLimit)
		err := h.c.Ping(limited).Err()
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			h.lost(err)
		case h.since.Begin():
			h.c.logger.Info("connected to the queue again", "queue", h.c.shown)
		}
	}
}

func (h *health) close() {
	h.cancel()
	h.ended.Wait()
}

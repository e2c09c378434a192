package jetstream

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// probePace is the pause between two pings of a broker that is silent.
const probePace = time.Second

// A health knows whether the broker answers, so that publications fail at once while it does not.
// The client itself is not asked: it holds its lock while it waits for the greeting of a frozen
// broker, five seconds each time, and its pings notice one only after 30 s.
type health struct {
	shown  string // the URL without secrets
	logger *slog.Logger

	since  broker.Since // when the connection was made
	silent atomic.Bool  // a publication was not answered, nor any ping since

	// These are set before the first publication.
	nc     *nats.Conn
	ctx    context.Context // ends the probes
	cancel context.CancelFunc

	mu     sync.Mutex // orders the start of a probe before close
	probes sync.WaitGroup
}

func (h *health) away() bool { return h.connected().IsZero() }

// connected returns since when the broker is connected and answers, zero while it does not.
func (h *health) connected() time.Time {
	if h.silent.Load() {
		return time.Time{}
	}
	return h.since.Time()
}

// notice looks at the error of a publication. A broker that did not answer counts as away until it
// answers a ping.
func (h *health) notice(err error) {
	if !errors.Is(err, context.DeadlineExceeded) || h.silent.Swap(true) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() == nil {
		h.probes.Go(h.probe) // close waits for it
	}
}

func (h *health) probe() {
	h.logger.Warn("queue does not answer", "queue", h.shown)
	for h.ctx.Err() == nil {
		limited, cancel := context.WithTimeout(h.ctx, broker.CallLimit)
		err := h.nc.FlushWithContext(limited)
		cancel()
		if err == nil {
			h.silent.Store(false)
			h.logger.Info("queue answers again", "queue", h.shown)
			return
		}
		select {
		case <-h.ctx.Done():
		case <-time.After(probePace):
		}
	}
}

func (h *health) close() {
	h.mu.Lock()
	h.cancel()
	h.mu.Unlock()
	h.probes.Wait()
}

// Connected implements [broker.Broker].
func (c *conn) Connected() time.Time { return c.health.connected() }

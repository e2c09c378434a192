package telemetry

import (
	"log/slog"
	"sync"
	"time"
)

// complaintPace is the shortest time between two log lines about failures to send.
const complaintPace = time.Minute

// complaints logs why nothing can be sent: at most one line in a complaintPace, with the number of
// failures since the last line.
type complaints struct {
	logger *slog.Logger

	mu     sync.Mutex // guards the fields below
	last   time.Time
	silent int
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.last) >= complaintPace {
		c.logger.Warn("telemetry is not sent", "err", err, "failures", c.silent+1)
		c.last, c.silent = now, 0
		return
	}
	c.silent++
}

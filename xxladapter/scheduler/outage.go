package scheduler

import (
	"context"
	"log/slog"
	"time"
)

// outagePace is the time between two lines about a failure that continues.
const outagePace = time.Minute

// An outage logs work that fails again and again while the store is away: a line at the first
// failure, one a minute with the number of failures so far, and one when the work succeeds again.
// It is used by one goroutine.
type outage struct {
	logger *slog.Logger
	level  slog.Level
	begins string // the message of a failure
	ends   string // the message of the first success after it

	failures int       // since the last success
	since    time.Time // the first of them
	logged   time.Time // the last that was logged
}

// note notes one attempt; nil is a success. attrs describe a failure.
func (o *outage) note(err error, attrs ...any) {
	now, ctx := time.Now(), context.Background()
	switch {
	case err == nil && o.failures > 0:
		o.logger.Log(
			ctx, slog.LevelInfo, o.ends, "failures", o.failures, "for", now.Sub(o.since).Round(time.Millisecond),
		)
		o.failures = 0
	case err == nil:
	case o.failures == 0:
		o.failures, o.since, o.logged = 1, now, now
		o.logger.Log(ctx, o.level, o.begins, append(attrs, "err", err)...)
	default:
		o.failures++
		if now.Sub(o.logged) >= outagePace {
			o.logged = now
			o.logger.Log(ctx, o.level, o.begins, append(
				attrs, "err", err, "failures", o.failures, "for", now.Sub(o.since).Round(time.Millisecond),
			)...)
		}
	}
}

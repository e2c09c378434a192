package alarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// A Channel delivers alarms to people.
type Channel interface {
	// Name distinguishes channels in logs and metrics.
	Name() string
	// Send returns nil once the channel has accepted a, [ErrNobody] if it has no receiver for a,
	// and an error that wraps [ErrPartly] if a reached some of its receivers only. It gives up when
	// ctx ends. A panic counts as an error with its text, and its stack is logged. The texts of
	// errors and panics contain no secrets. Send may be called from any goroutine.
	Send(ctx context.Context, a *Alarm) error
}

// ErrNobody is returned by a [Channel] that has no receiver for an alarm.
var ErrNobody = errors.New("alarm: no receiver")

// ErrPartly is wrapped by the error of a [Channel] that reached some receivers of an alarm. Such an
// alarm has failed. It is not sent again, since the receivers that were reached would get it twice.
var ErrPartly = errors.New("alarm: not all receivers were reached")

// Results of an alarm on one channel, as passed to Options.OnAlarm.
const (
	ResultSent    = "sent"
	ResultFailed  = "failed"
	ResultSkipped = "skipped" // no receiver
)

// attemptLimit limits each attempt of a channel.
const attemptLimit = 10 * time.Second

// backoff lists the pauses between the attempts of a channel.
var backoff = []time.Duration{time.Second, 4 * time.Second}

// recovered calls f on behalf of a channel. It turns a panic into an error with its text, which
// people read, and logs the stack under what.
func recovered(logger *slog.Logger, what string, channel Channel, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			logger.Error(what, "channel", channel.Name(), "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// A finalError is an error that another attempt would only repeat.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

func finalf(format string, args ...any) error { return &finalError{fmt.Errorf(format, args...)} }

// retry calls attempt until it succeeds or returns a final error, no attempt is left, or ctx ends.
// It returns the result of the last attempt.
func retry(ctx context.Context, attempt func(ctx context.Context) error) error {
	for i := 0; ; i++ {
		limited, cancel := context.WithTimeout(ctx, attemptLimit)
		err := attempt(limited)
		cancel()
		var final *finalError
		if err == nil || errors.As(err, &final) || i == len(backoff) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(backoff[i]):
		}
	}
}

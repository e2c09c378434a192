package alarm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Channel takes alarms to people.
type Channel interface {
	// Name tells channels apart in logs and metrics.
	Name() string
	// Send returns nil once the channel has taken a over, and [ErrNobody] if
	// nobody is to be told by it. It gives up when ctx ends. Its errors carry no
	// secrets. It may be called from any goroutine.
	Send(ctx context.Context, a *Alarm) error
}

// ErrNobody is returned by a [Channel] that has no receiver for an alarm.
var ErrNobody = errors.New("alarm: nobody to tell")

// Results of an alarm on one channel, as Options.OnAlarm is told them.
const (
	ResultSent    = "sent"
	ResultFailed  = "failed"
	ResultSkipped = "skipped" // nobody to tell
)

// attemptLimit bounds each attempt of a channel.
const attemptLimit = 10 * time.Second

// backoff are the pauses between the attempts of a channel.
var backoff = []time.Duration{time.Second, 4 * time.Second}

// A finalError is one that another attempt would only meet again.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

func finalf(format string, args ...any) error { return &finalError{fmt.Errorf(format, args...)} }

// retry attempts until it succeeds, meets a final error, has no attempt left or
// ctx ends. It returns what the last attempt did.
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

package alarm

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// An Outcome is the result of a test alarm on one channel.
type Outcome struct {
	Channel string
	// Err is nil if the channel took the alarm, and [ErrNobody] if it has no receiver for it. It
	// contains no secrets.
	Err  error
	Took time.Duration
}

// Try sends a test alarm through all channels at once and returns its id and the outcomes, in the
// order of the channels. source names the scheduler in the alarm, and emails are receivers of the
// mail beside those of every alarm. The time limit of each channel is that of a real alarm. The
// stacks of panics go to logger; nil means slog.Default().
func Try(
	ctx context.Context, channels []Channel, source string, emails []string, logger *slog.Logger,
) (id string, outcomes []Outcome) {
	if logger == nil {
		logger = slog.Default()
	}
	now := time.Now().UTC()
	a := &Alarm{ID: fmt.Sprintf("test-%d", now.UnixMilli()), Kind: Test, At: now, Source: source, Emails: emails, Jobs: []Job{}}
	outcomes = make([]Outcome, len(channels))
	var all sync.WaitGroup
	for i, channel := range channels {
		all.Go(func() {
			limited, cancel := context.WithTimeout(ctx, sendLimit)
			defer cancel()
			err := recovered(
				logger, "alarm channel panicked", channel, func() error { return channel.Send(limited, a) },
			)
			outcomes[i] = Outcome{channel.Name(), err, time.Since(now)}
		})
	}
	all.Wait()
	return a.ID, outcomes
}

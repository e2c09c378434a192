package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// every calls poll at a fixed pace until ctx ends. An error of poll is logged under the message
// trouble and does not change the pace.
func every(
	ctx context.Context, pace time.Duration, logger *slog.Logger, trouble string, poll func(context.Context) error,
) error {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := poll(ctx); err != nil && ctx.Err() == nil {
				logger.Error(trouble, "err", err)
			}
		}
	}
}

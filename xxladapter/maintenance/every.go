package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// every calls look at each end of a pace until ctx ends. A look that fails is
// logged under the words of trouble, and the next one comes at its time.
func every(ctx context.Context, pace time.Duration, logger *slog.Logger, trouble string, look func(context.Context) error) error {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := look(ctx); err != nil && ctx.Err() == nil {
				logger.Error(trouble, "err", err)
			}
		}
	}
}

package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// purgeTarget is how long one chunk should keep the store busy. It is a quarter of the longest
	// acceptable wait, since a chunk may turn out to be more work than the one before.
	purgeTarget = 12 * time.Millisecond

	leastChunk = 10
	mostChunk  = 5000
	firstChunk = 100

	// purgeRest is the shortest pause between two chunks, in which waiting calls proceed.
	purgeRest = 5 * time.Millisecond
	// purgeNews is how often a long purge logs its progress.
	purgeNews = 30 * time.Second
)

// nextChunk returns the size of the next chunk, after a chunk of the given size that kept the store
// busy for held. The size at most doubles, and shrinks at once to what fits into purgeTarget.
func nextChunk(size int, held time.Duration) int {
	switch {
	case held > purgeTarget:
		size = int(int64(size) * int64(purgeTarget) / int64(held))
	case held < purgeTarget/2:
		size *= 2
	}
	return min(max(size, leastChunk), mostChunk)
}

// A Purger deletes log rows in chunks that never block the store for long.
type Purger struct {
	Store xxladapter.PurgeStore
	// NoAlarms says that no alarms are sent, so that failures need not be kept until their alarm
	// was sent.
	NoAlarms bool
	Logger   *slog.Logger
}

// Purge deletes the rows that what selects, and returns how many it deleted. It stops after limit
// (0 means no limit) with done false. Another call continues, also after a crash, since each chunk
// is durable. The audit has one row for each call that deletes anything.
func (p *Purger) Purge(
	ctx context.Context, what xxladapter.LogPurge, limit time.Duration,
) (rows int64, done bool, err error) {
	logger := p.Logger // Purge may be called concurrently
	if err := check(&logger, need{"Purger.Store", p.Store == nil}); err != nil {
		return 0, false, err
	}
	what.Unalarmed = p.NoAlarms
	begin := time.Now()
	news := begin.Add(purgeNews)
	for size := firstChunk; ; {
		purged, err := p.Store.PurgeLogs(ctx, what, size)
		if err != nil {
			return rows, false, err
		}
		rows += int64(purged.Rows)
		if purged.Rows > 0 {
			ctx = xxladapter.WithCall(ctx, "") // the first chunk that deletes rows is audited for all
		}
		if purged.Done {
			return rows, true, nil
		}
		now := time.Now()
		if limit > 0 && now.Sub(begin) >= limit {
			return rows, false, nil
		}
		if now.After(news) {
			logger.Info("deleting log rows", "so_far", rows, "chunk", size, "held", purged.Held)
			news = now.Add(purgeNews)
		}
		what, size = purged.Next, nextChunk(size, purged.Held)
		select {
		case <-ctx.Done():
			return rows, false, ctx.Err()
		case <-time.After(max(purgeRest, purged.Held)):
		}
	}
}

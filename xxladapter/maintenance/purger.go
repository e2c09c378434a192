package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// purgeTarget is how long one chunk should hold the store up. It is a quarter of
	// what others should ever have to wait, since a chunk may turn out to be more
	// work than the one before.
	purgeTarget = 12 * time.Millisecond

	leastChunk = 10
	mostChunk  = 5000
	firstChunk = 100

	// purgeRest is the least pause between two chunks, for those who wait.
	purgeRest = 5 * time.Millisecond
	// purgeNews is how often a long purge tells how far it is.
	purgeNews = 30 * time.Second
)

// nextChunk is the size of the chunk after one that held the store for a time.
// It grows step by step, and shrinks at once to what would have been right.
func nextChunk(size int, held time.Duration) int {
	switch {
	case held > purgeTarget:
		size = int(int64(size) * int64(purgeTarget) / int64(held))
	case held < purgeTarget/2:
		size *= 2
	}
	return min(max(size, leastChunk), mostChunk)
}

// A Purger deletes log rows in chunks that hold up nobody for long.
type Purger struct {
	Store xxladapter.PurgeStore
	// NoAlarms says that nobody sends alarms, so that failures do not stay until
	// theirs is sent.
	NoAlarms bool
	Logger   *slog.Logger
}

// Purge deletes what what selects, and returns how many rows went. It stops
// after limit (0: none) with done false; another call goes on, as does one
// after a crash, since each chunk is durable.
func (p *Purger) Purge(ctx context.Context, what xxladapter.LogPurge, limit time.Duration) (rows int64, done bool, err error) {
	what.Unalarmed = p.NoAlarms
	begin := time.Now()
	news := begin.Add(purgeNews)
	for size := firstChunk; ; {
		purged, err := p.Store.PurgeLogs(ctx, what, size)
		if err != nil {
			return rows, false, err
		}
		rows += int64(purged.Rows)
		if purged.Done {
			return rows, true, nil
		}
		now := time.Now()
		if limit > 0 && now.Sub(begin) >= limit {
			return rows, false, nil
		}
		if now.After(news) {
			p.Logger.Info("log rows are being deleted", "so_far", rows, "chunk", size, "held", purged.Held)
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

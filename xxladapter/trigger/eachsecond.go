package trigger

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// An eachSecond logs the first event of each second as a warning and the others for debugging,
// since one cause can concern thousands of fires. The zero value is ready, and may be used by
// several goroutines.
type eachSecond struct {
	count  atomic.Int64 // of all events
	second atomic.Int64 // the Unix second of the last warning
}

// log counts one event and logs it with the count under a key.
func (e *eachSecond) log(ctx context.Context, logger *slog.Logger, msg, key string, attrs ...any) {
	level, n, second := slog.LevelWarn, e.count.Add(1), time.Now().Unix()
	if e.second.Swap(second) == second {
		level = slog.LevelDebug
	}
	logger.Log(ctx, level, msg, append(attrs, key, n)...)
}

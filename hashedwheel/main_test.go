package hashedwheel

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is the logger of tests that make the timer complain.
var quiet = slog.New(slog.DiscardHandler)

// A logCount counts log records.
type logCount struct{ n atomic.Int64 }

func (l *logCount) logger() *slog.Logger                      { return slog.New(l) }
func (l *logCount) Enabled(context.Context, slog.Level) bool  { return true }
func (l *logCount) Handle(context.Context, slog.Record) error { l.n.Add(1); return nil }
func (l *logCount) WithAttrs([]slog.Attr) slog.Handler        { return l }
func (l *logCount) WithGroup(string) slog.Handler             { return l }

// byHand starts the clock of w, and returns a worker that does only what the caller has it do. All
// callers use one stripe.
func byHand(w *HashedWheelTimer) *worker {
	e := w.engine
	e.intake = intake[*Timeout]{stripes: make([]stripe[*Timeout], 1), shift: 64}
	e.clock.start()
	e.watch = time.AfterFunc(time.Hour, func() {})
	e.mu.current = &worker{engine: e, room: make([]*Timeout, 0, batchLen)}
	e.life.Store(started)
	return e.mu.current
}

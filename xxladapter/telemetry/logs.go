package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/contrib/bridges/otelslog"
)

// Logger returns a logger that writes to logger, and sends the same records to the collector. With
// a nil t it returns logger itself.
func (t *Telemetry) Logger(logger *slog.Logger) *slog.Logger {
	if t == nil {
		return logger
	}
	sending := otelslog.NewHandler(scope, otelslog.WithLoggerProvider(t.logs))
	return slog.New(slog.NewMultiHandler(logger.Handler(), atLevelOf{sending, logger.Handler()}))
}

// atLevelOf is a handler that is enabled for the levels of another one.
type atLevelOf struct {
	slog.Handler
	other slog.Handler
}

// Enabled implements [slog.Handler].
func (h atLevelOf) Enabled(ctx context.Context, level slog.Level) bool {
	return h.other.Enabled(ctx, level)
}

// WithAttrs implements [slog.Handler].
func (h atLevelOf) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLevelOf{h.Handler.WithAttrs(attrs), h.other}
}

// WithGroup implements [slog.Handler].
func (h atLevelOf) WithGroup(name string) slog.Handler {
	return atLevelOf{h.Handler.WithGroup(name), h.other}
}

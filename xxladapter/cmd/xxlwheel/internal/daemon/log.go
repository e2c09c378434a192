package daemon

import (
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// LogFlags configure what a serving process logs about itself, on stderr.
type LogFlags struct {
	LogLevel  string `enum:"debug,info,warn,error" default:"${log_level}" placeholder:"LEVEL" help:"Lowest level to log: debug, info, warn or error (default ${default})."`
	LogFormat string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Format of the log: text (default) or json."`
}

// Logger returns a logger that writes to a stream in the format of the flags.
func (f *LogFlags) Logger(to io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: logLevels[f.LogLevel]}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, opts))
	}
	return slog.New(slog.NewTextHandler(to, opts))
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// OutliveReader lets this process continue when the reader of its log or of its output has gone; by
// default a Go program ends at the next line. The signal is caught, not ignored, because programs
// that this one starts would ignore it too.
func OutliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Stopped logs a clean end, so that it can be told from a crash.
func Stopped(logger *slog.Logger, err error) error {
	if err == nil {
		logger.Info("stopped")
	}
	return err
}

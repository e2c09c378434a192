package executor

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
)

// runHandler writes records as lines of a run's log:
//
//	2026-01-02 15:04:05.000 INFO closed orders=12 shop="north west"
type runHandler struct {
	log    *runLog
	attrs  []byte // from WithAttrs, each with a space before it
	prefix string // from WithGroup, with a dot at its end
}

func (h *runHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *runHandler) Handle(_ context.Context, r slog.Record) error {
	line := make([]byte, 0, 128)
	if !r.Time.IsZero() {
		line = r.Time.Local().AppendFormat(line, lineLayout)
		line = append(line, ' ')
	}
	line = append(line, r.Level.String()...)
	line = append(line, ' ')
	line = append(line, r.Message...)
	line = append(line, h.attrs...)
	r.Attrs(func(a slog.Attr) bool {
		line = appendAttr(line, h.prefix, a)
		return true
	})
	line = append(line, '\n')
	_, err := h.log.Write(line)
	return err
}

func (h *runHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	to := *h
	to.attrs = append([]byte(nil), h.attrs...)
	for _, a := range attrs {
		to.attrs = appendAttr(to.attrs, h.prefix, a)
	}
	return &to
}

func (h *runHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	to := *h
	to.prefix += name + "."
	return &to
}

func appendAttr(line []byte, prefix string, a slog.Attr) []byte {
	a.Value = a.Value.Resolve()
	switch {
	case a.Equal(slog.Attr{}):
		return line
	case a.Value.Kind() == slog.KindGroup:
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, member := range a.Value.Group() {
			line = appendAttr(line, prefix, member)
		}
		return line
	}
	line = append(line, ' ')
	line = append(line, prefix...)
	line = append(line, a.Key...)
	line = append(line, '=')
	text := a.Value.String()
	if text == "" || strings.ContainsAny(text, " \t\r\n\"=") {
		return strconv.AppendQuote(line, text)
	}
	return append(line, text...)
}

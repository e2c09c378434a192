package printing

import "time"

// Time formats an instant of the API in the local zone, and nil, which is unknown, as a hyphen.
func Time(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format(time.RFC3339)
}

// Instant formats a due time, which may have a fraction of a second.
func Instant(t time.Time) string { return t.Local().Format("2006-01-02T15:04:05.999Z07:00") }

// Span formats milliseconds, and nil, which is unknown, as a hyphen.
func Span(ms *int64) string {
	if ms == nil {
		return "-"
	}
	return (time.Duration(*ms) * time.Millisecond).String()
}

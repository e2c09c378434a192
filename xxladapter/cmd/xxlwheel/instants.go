package main

import "time"

// timeText formats an instant of the API in the local zone.
func timeText(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format(time.RFC3339)
}

// instantOf formats a due time, which may have a fraction of a second.
func instantOf(t time.Time) string { return t.Local().Format("2006-01-02T15:04:05.999Z07:00") }

// span formats milliseconds; nil is unknown.
func span(ms *int64) string {
	if ms == nil {
		return "-"
	}
	return (time.Duration(*ms) * time.Millisecond).String()
}

package main

import "time"

// instant parses an RFC 3339 instant, or a duration before now.
func instant(text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	return time.Parse(time.RFC3339, text)
}

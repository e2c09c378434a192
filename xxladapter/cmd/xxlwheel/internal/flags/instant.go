package flags

import "time"

// Instant parses an RFC 3339 instant, or a duration before now.
func Instant(text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	return time.Parse(time.RFC3339, text)
}

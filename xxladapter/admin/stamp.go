package admin

import "time"

// A stamp is an instant in RFC 3339, or empty. A timeline has 40,000 of them, and encoding/json
// parses once more what a [time.Time] encodes to.
type stamp string

func stampOf(t time.Time) stamp {
	if t.IsZero() {
		return ""
	}
	return stamp(t.Format(time.RFC3339Nano))
}

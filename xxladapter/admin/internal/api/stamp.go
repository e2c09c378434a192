package api

import "time"

// A Stamp is an instant in RFC 3339, or empty. It is a text because a timeline may have 50,000 of
// them, and encoding/json parses once more what a [time.Time] encodes to.
type Stamp string

// StampOf returns the stamp of an instant; that of the zero time is empty.
func StampOf(t time.Time) Stamp {
	if t.IsZero() {
		return ""
	}
	return Stamp(t.Format(time.RFC3339Nano))
}

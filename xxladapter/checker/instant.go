package checker

import (
	"math"
	"time"
)

// An Instant is a time in milliseconds since 1970 in UTC; 0 means unknown. It is not a time.Time
// because histories hold tens of millions of them.
type Instant int64

// never is later than every instant of a history.
const never Instant = math.MaxInt64 / 4

// latestInstant is the last millisecond of the year 9999.
const latestInstant Instant = 253402300799999

// At returns the instant of t, truncated to milliseconds, or 0 for the zero time.
func At(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMilli())
}

// Time returns the instant in UTC, or the zero time for 0.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}

// Add returns the instant moved by d, which is truncated to milliseconds.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d.Milliseconds()) }

// Sub returns the time from u to i.
func (i Instant) Sub(u Instant) time.Duration { return time.Duration(i-u) * time.Millisecond }

// String returns the instant in RFC 3339 with milliseconds, or "-" for 0.
func (i Instant) String() string {
	if i == 0 {
		return "-"
	}
	return i.Time().Format("2006-01-02T15:04:05.000Z")
}

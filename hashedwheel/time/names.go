package time

import "time"

// This file has the names of package time that have nothing to do with timers. If a newer Go adds
// some, TestNames names them; they belong in a file with a build constraint.

// The types of package time. They are the same types, so values go from one package to the other.
type (
	Duration   = time.Duration   // a span of nanoseconds
	Location   = time.Location   // a time zone
	Month      = time.Month      // a month of the year, January is 1
	ParseError = time.ParseError // what Parse returns for a text that it cannot read
	Time       = time.Time       // an instant
	Weekday    = time.Weekday    // a day of the week, Sunday is 0
)

// Layouts for Parse and Time.Format.
const (
	Layout      = time.Layout
	ANSIC       = time.ANSIC
	UnixDate    = time.UnixDate
	RubyDate    = time.RubyDate
	RFC822      = time.RFC822
	RFC822Z     = time.RFC822Z
	RFC850      = time.RFC850
	RFC1123     = time.RFC1123
	RFC1123Z    = time.RFC1123Z
	RFC3339     = time.RFC3339
	RFC3339Nano = time.RFC3339Nano
	Kitchen     = time.Kitchen
	Stamp       = time.Stamp
	StampMilli  = time.StampMilli
	StampMicro  = time.StampMicro
	StampNano   = time.StampNano
	DateTime    = time.DateTime
	DateOnly    = time.DateOnly
	TimeOnly    = time.TimeOnly
)

// Common durations.
const (
	Nanosecond  = time.Nanosecond
	Microsecond = time.Microsecond
	Millisecond = time.Millisecond
	Second      = time.Second
	Minute      = time.Minute
	Hour        = time.Hour
)

// The months.
const (
	January   = time.January
	February  = time.February
	March     = time.March
	April     = time.April
	May       = time.May
	June      = time.June
	July      = time.July
	August    = time.August
	September = time.September
	October   = time.October
	November  = time.November
	December  = time.December
)

// The days of the week.
const (
	Sunday    = time.Sunday
	Monday    = time.Monday
	Tuesday   = time.Tuesday
	Wednesday = time.Wednesday
	Thursday  = time.Thursday
	Friday    = time.Friday
	Saturday  = time.Saturday
)

// The locations of package time, as they were when the program started.
var (
	UTC   = time.UTC   // universal time
	Local = time.Local // the system's time zone
)

// Now returns the current local time.
func Now() Time { return time.Now() }

// Since returns the time that has passed since t.
func Since(t Time) Duration { return time.Since(t) }

// Until returns the time until t.
func Until(t Time) Duration { return time.Until(t) }

// Date returns the instant of a date in loc. Values outside their usual ranges are normalised. It
// panics if loc is nil.
func Date(year int, month Month, day, hour, min, sec, nsec int, loc *Location) Time {
	return time.Date(year, month, day, hour, min, sec, nsec, loc)
}

// Unix returns the local time sec seconds and nsec nanoseconds after the beginning of 1970 in UTC.
func Unix(sec int64, nsec int64) Time { return time.Unix(sec, nsec) }

// UnixMilli returns the local time msec milliseconds after the beginning of 1970 in UTC.
func UnixMilli(msec int64) Time { return time.UnixMilli(msec) }

// UnixMicro returns the local time usec microseconds after the beginning of 1970 in UTC.
func UnixMicro(usec int64) Time { return time.UnixMicro(usec) }

// Parse reads a time in the form of layout. Without a zone in value it is in UTC. The error is a
// *ParseError.
func Parse(layout, value string) (Time, error) { return time.Parse(layout, value) }

// ParseInLocation reads a time as Parse does, with loc in place of UTC.
func ParseInLocation(layout, value string, loc *Location) (Time, error) {
	return time.ParseInLocation(layout, value, loc)
}

// ParseDuration reads a duration such as "1h15m30.5s".
func ParseDuration(s string) (Duration, error) { return time.ParseDuration(s) }

// FixedZone returns a Location that is always offset seconds east of UTC and has the given name.
func FixedZone(name string, offset int) *Location { return time.FixedZone(name, offset) }

// LoadLocation returns the Location of a name in the IANA database, of "" or "UTC", or of "Local".
func LoadLocation(name string) (*Location, error) { return time.LoadLocation(name) }

// LoadLocationFromTZData returns a Location with the given name, made from data in the format of
// the IANA database.
func LoadLocationFromTZData(name string, data []byte) (*Location, error) {
	return time.LoadLocationFromTZData(name, data)
}

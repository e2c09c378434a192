package cron

// A field is one column of an expression.
type field struct {
	name     string
	min, max int
	maxStep  int    // largest step in */n and a/n; 0 means no limit
	valueErr string // the rule for a value outside min to max
	stepErr  string // the rule for a step beyond maxStep
	names    []string
	kind     kind
}

type kind uint8

const (
	clockField kind = iota // second, minute, hour, month
	dateField              // day of month
	weekField              // day of week
	yearField
)

// Upstream does not check years. The strict profiles accept four-digit years from the start of Unix
// time on.
const (
	minYear = 1970
	maxYear = 9999
)

var (
	monthNames = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	dayNames   = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
)

var (
	secondField = field{
		name: "second", max: 59, maxStep: 59, valueErr: "must be 0 to 59", stepErr: "has a step above 59",
	}
	minuteField = field{
		name: "minute", max: 59, maxStep: 59, valueErr: "must be 0 to 59", stepErr: "has a step above 59",
	}
	hourField = field{name: "hour", max: 23, maxStep: 23, valueErr: "must be 0 to 23", stepErr: "has a step above 23"}
	domField  = field{
		name: "day of month", min: 1, max: 31, maxStep: 31, valueErr: "must be 1 to 31", stepErr: "has a step above 31",
		kind: dateField,
	}
	monthField = field{
		name: "month", min: 1, max: 12, maxStep: 12, valueErr: "must be 1 to 12 or JAN to DEC",
		stepErr: "has a step above 12", names: monthNames,
	}
	dowField = field{
		name: "day of week", min: 1, max: 7, maxStep: 7, valueErr: "must be 1 to 7 (1 is Sunday) or SUN to SAT",
		stepErr: "has a step above 7", names: dayNames, kind: weekField,
	}
	yrField = field{name: "year", min: minYear, max: maxYear, valueErr: "must be 1970 to 9999", kind: yearField}

	// In Unix, Sunday is both 0 and 7.
	unixDowField = field{
		name: "day of week", min: 0, max: 7, maxStep: 7, valueErr: "must be 0 to 7 (0 and 7 are Sunday) or SUN to SAT",
		stepErr: "has a step above 7", names: dayNames, kind: weekField,
	}
)

// quartzFields and unixFields are the columns in order.
var (
	quartzFields = [7]*field{&secondField, &minuteField, &hourField, &domField, &monthField, &dowField, &yrField}
	unixFields   = [5]*field{&minuteField, &hourField, &domField, &monthField, &unixDowField}
)

// days reports whether f is one of the two fields that may be ?.
func (f *field) days() bool { return f.kind == dateField || f.kind == weekField }

// name3 returns the value of a three-letter name in any case, or false if f has no such name.
//
// REQUIRES: len(s) >= 3.
func (f *field) name3(s string) (int, bool) {
	a, b, c := upper(s[0]), upper(s[1]), upper(s[2])
	for i, n := range f.names {
		if n[0] == a && n[1] == b && n[2] == c {
			return f.min + i, true // the first name has the lowest value
		}
	}
	return 0, false
}

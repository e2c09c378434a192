package xxladapter

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Settings are the settings of a job for which XXL-JOB has no column. With the zero value a job
// behaves as in XXL-JOB, except that no trigger is lost. Stores keep settings beside the job's row,
// so that a Java admin on the same database neither sees nor damages them.
//
// Durations are whole milliseconds, also in JSON. No number may be negative; [Job.Validate] checks
// the ranges.
type Settings struct {
	// Zone is the time zone of the job's cron expression, by its IANA name; empty means the
	// scheduler's.
	Zone string `json:"zone,omitempty"`
	// Calendar is the name of the [Calendar] whose days without work the schedule leaves out; empty
	// means none.
	Calendar string `json:"calendar,omitempty"`

	// MisfireWindow is the longest lateness of a due time that is no misfire, at most 3650 days; 0
	// means the scheduler's window.
	MisfireWindow Milliseconds `json:"misfireWindowMs,omitempty"`
	// MisfireLimit is the number of missed due times, the latest ones, that [MisfireAll] fires, at
	// most [MaxMisfireLimit]; 0 means [DefaultMisfireLimit].
	MisfireLimit int `json:"misfireLimit,omitempty"`
	// MisfireSpacing is the pause between those fires, at most an hour; 0 means none.
	MisfireSpacing Milliseconds `json:"misfireSpacingMs,omitempty"`

	// Ambiguous decides about hand-overs without an answer; empty means [AmbiguousProbe].
	Ambiguous AmbiguousStrategy `json:"ambiguous,omitempty"`

	// RetryBackoff is the pause before the first retry of a failed run. Each further pause is twice
	// as long, up to RetryBackoffLimit (0 means [DefaultRetryBackoffLimit]), and up to half of a
	// pause is subtracted at random. RetryBackoff is at most a day, and RetryBackoffLimit at most a
	// week. With a RetryBackoff of 0 the first retry follows at once, the second after
	// [DefaultRetryBackoff], and so on up to [MaxDefaultRetryBackoff].
	RetryBackoff      Milliseconds `json:"retryBackoffMs,omitempty"`
	RetryBackoffLimit Milliseconds `json:"retryBackoffLimitMs,omitempty"`

	// AlarmOn selects the failures that are reported; empty means [AlarmEach].
	AlarmOn AlarmRule `json:"alarmOn,omitempty"`
	// AlarmAfter is the number of failed runs in a row after which [AlarmInARow] reports, from 1 to
	// 1000. Other rules ignore it, and it may be 0 then.
	AlarmAfter int `json:"alarmAfter,omitempty"`
	// AlarmRecovered also reports the first success after a reported failure.
	AlarmRecovered bool `json:"alarmRecovered,omitempty"`

	// KeepLogs selects the finished runs that keep their log row; empty means [KeepAll].
	KeepLogs LogPolicy `json:"keepLogs,omitempty"`
}

// DefaultMisfireLimit is the number of fires that one misfire gives under [MisfireAll] unless
// [Settings.MisfireLimit] is set.
const DefaultMisfireLimit = 100

// DefaultRetryBackoff and MaxDefaultRetryBackoff are the first and the longest pause between
// retries of a job without [Settings.RetryBackoff]. The latter is the period at which XXL-JOB polls
// for failed runs to retry.
const (
	DefaultRetryBackoff    = time.Second
	MaxDefaultRetryBackoff = 10 * time.Second
)

// DefaultRetryBackoffLimit is the longest pause before a retry unless [Settings.RetryBackoffLimit]
// is set.
const DefaultRetryBackoffLimit = time.Hour

// MaxMisfireLimit bounds [Settings.MisfireLimit], because the fires of one misfire are planned in
// one transaction.
const MaxMisfireLimit = 1000

// maxAlarmAfter bounds [Settings.AlarmAfter].
const maxAlarmAfter = 1000

// An AmbiguousStrategy decides about a hand-over whose outcome is unknown: the request was sent and
// no answer came, or the node that sent it died. The log id stays the same in any case.
type AmbiguousStrategy string

const (
	// AmbiguousProbe reads the executor's log to learn whether the run began. It waits for the run
	// if so, and sends again if it certainly did not.
	AmbiguousProbe AmbiguousStrategy = "PROBE"
	// AmbiguousSkip never sends again, so a run may be missing but never happens twice. The trigger
	// ends as [ResultUnknown]; a later result still counts.
	AmbiguousSkip AmbiguousStrategy = "SKIP"
	// AmbiguousResend sends again, for handlers that are idempotent.
	AmbiguousResend AmbiguousStrategy = "RESEND"
)

// Values lists all strategies.
func (AmbiguousStrategy) Values() []AmbiguousStrategy {
	return []AmbiguousStrategy{AmbiguousProbe, AmbiguousSkip, AmbiguousResend}
}

// An AlarmRule selects the failed runs that raise an alarm.
type AlarmRule string

const (
	AlarmEach      AlarmRule = "EACH"       // every failed attempt, as in XXL-JOB
	AlarmLastRetry AlarmRule = "LAST_RETRY" // a failed run without retries left
	AlarmInARow    AlarmRule = "IN_A_ROW"   // the AlarmAfter-th failed run in a row, then none until a success
	AlarmNever     AlarmRule = "NEVER"
)

// Values lists all alarm rules.
func (AlarmRule) Values() []AlarmRule {
	return []AlarmRule{AlarmEach, AlarmLastRetry, AlarmInARow, AlarmNever}
}

// LogPolicy selects the finished runs of a job that keep their log row.
type LogPolicy string

const (
	KeepAll      LogPolicy = "ALL"
	KeepFailures LogPolicy = "FAILURES" // the row of a successful run is deleted once the daily figures include it
)

// Values lists all values of the setting.
func (LogPolicy) Values() []LogPolicy { return []LogPolicy{KeepAll, KeepFailures} }

// ZoneOf returns the IANA time zone of a name, or its second argument if the name is empty, as for
// [Settings.Zone]. An unknown name, and Local, are refused with an [Error].
func ZoneOf(name string, otherwise *time.Location) (*time.Location, error) {
	if name == "" {
		return otherwise, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || strings.EqualFold(name, "local") {
		return nil, Invalidf(errorrule.Zone, "%s is %q, must be an IANA time zone such as Europe/Berlin", "zone", name)
	}
	return zone, nil
}

// validate checks what [Job.Validate] says about the settings.
func (s *Settings) validate() error {
	if _, err := ZoneOf(s.Zone, nil); err != nil {
		return err
	}
	if s.Calendar != "" {
		if err := checkCalendarName("calendar", s.Calendar); err != nil {
			return err
		}
	}
	for _, d := range []struct {
		field string
		value Milliseconds
		max   time.Duration
	}{
		{"misfireWindowMs", s.MisfireWindow, 10 * 365 * 24 * time.Hour},
		{"misfireSpacingMs", s.MisfireSpacing, time.Hour},
		{"retryBackoffMs", s.RetryBackoff, 24 * time.Hour},
		{"retryBackoffLimitMs", s.RetryBackoffLimit, 7 * 24 * time.Hour},
	} {
		if d.value < 0 || d.value.Duration() > d.max {
			return Invalidf(errorrule.Range, "%s is %d, must be %d to %d", d.field, d.value, 0, d.max.Milliseconds())
		}
	}
	switch {
	case s.MisfireLimit < 0 || s.MisfireLimit > MaxMisfireLimit:
		return Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "misfireLimit", s.MisfireLimit, 0, MaxMisfireLimit)
	case s.AlarmAfter < 0 || s.AlarmAfter > maxAlarmAfter:
		return Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "alarmAfter", s.AlarmAfter, 0, maxAlarmAfter)
	case s.AlarmOn == AlarmInARow && s.AlarmAfter == 0:
		return Invalidf(errorrule.AlarmInARow, "%s is %d, must be %d to %d with alarmOn %s",
			"alarmAfter", 0, 1, maxAlarmAfter, AlarmInARow)
	}
	for _, err := range []error{
		checkOneOfOrEmpty("ambiguous", s.Ambiguous),
		checkOneOfOrEmpty("alarmOn", s.AlarmOn),
		checkOneOfOrEmpty("keepLogs", s.KeepLogs),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Milliseconds is a duration that is stored and shown as a number of whole milliseconds.
type Milliseconds int64

// Duration converts m to a [time.Duration]; a value beyond its range becomes the nearest one in it.
func (m Milliseconds) Duration() time.Duration {
	const limit = Milliseconds(1<<63-1) / Milliseconds(time.Millisecond)
	return time.Duration(min(max(m, -limit), limit)) * time.Millisecond
}

// Text returns the settings as JSON, and an empty text for the zero value.
func (s Settings) Text() string {
	if s == (Settings{}) {
		return ""
	}
	text, _ := json.Marshal(s) // strings and numbers only: cannot fail
	return string(text)
}

package xxladapter

import (
	"encoding/json"
	"time"
)

// Settings are what a job may be told beyond XXL-JOB's own columns. The zero
// value behaves as XXL-JOB does, apart from what it loses. Stores keep them
// beside the job's row, so that a Java admin on the same database neither sees
// nor harms them.
//
// Durations are whole milliseconds; in JSON they are numbers of them.
type Settings struct {
	// Zone is where the job's cron expression is read, by its IANA name; empty:
	// where the scheduler reads them.
	Zone string `json:"zone,omitempty"`

	// MisfireWindow is how late a due time may be found without being a
	// misfire; 0: the scheduler's window.
	MisfireWindow Milliseconds `json:"misfireWindowMs,omitempty"`
	// MisfireLimit is how many of the due times that a misfire concerns
	// [MisfireAll] fires, the latest ones; 0: [DefaultMisfireLimit].
	MisfireLimit int `json:"misfireLimit,omitempty"`
	// MisfireSpacing is the pause between those fires; 0: none.
	MisfireSpacing Milliseconds `json:"misfireSpacingMs,omitempty"`

	// Ambiguous is what becomes of a hand-over without an answer; empty:
	// [AmbiguousProbe].
	Ambiguous AmbiguousPolicy `json:"ambiguous,omitempty"`

	// RetryBackoff is the pause before the first retry of a failed run; each
	// further one waits twice as long, up to RetryBackoffLimit (0:
	// [DefaultRetryBackoffLimit]). Up to half of a pause is taken off at random.
	// 0: the first retry follows at once, the second after [DefaultRetryBackoff], and
	// so on up to [MaxDefaultRetryBackoff].
	RetryBackoff      Milliseconds `json:"retryBackoffMs,omitempty"`
	RetryBackoffLimit Milliseconds `json:"retryBackoffLimitMs,omitempty"`

	// AlarmOn says which failures are reported; empty: [AlarmEach].
	AlarmOn AlarmRule `json:"alarmOn,omitempty"`
	// AlarmAfter is how many failed runs in a row [AlarmInARow] waits for.
	AlarmAfter int `json:"alarmAfter,omitempty"`
	// AlarmRecovered reports the first success after a reported failure too.
	AlarmRecovered bool `json:"alarmRecovered,omitempty"`

	// KeepLogs says which finished runs keep their log row; empty: [KeepAll].
	KeepLogs KeepLogs `json:"keepLogs,omitempty"`
}

// DefaultMisfireLimit is how many fires one misfire gives under [MisfireAll]
// unless [Settings.MisfireLimit] says otherwise.
const DefaultMisfireLimit = 100

// DefaultRetryBackoff and MaxDefaultRetryBackoff are the first and the longest pause
// between retries of a job without [Settings.RetryBackoff]. The latter is how often
// XXL-JOB looks for failed runs to retry.
const (
	DefaultRetryBackoff    = time.Second
	MaxDefaultRetryBackoff = 10 * time.Second
)

// DefaultRetryBackoffLimit is the longest pause before a retry unless
// [Settings.RetryBackoffLimit] says otherwise.
const DefaultRetryBackoffLimit = time.Hour

// MaxMisfireLimit bounds [Settings.MisfireLimit]: the fires of one misfire are
// planned in one transaction.
const MaxMisfireLimit = 1000

// An AmbiguousPolicy says what becomes of a hand-over whose outcome is
// unknown: the request was sent and no answer came, or the node that sent it
// died. The log id stays the same whatever is done.
type AmbiguousPolicy string

const (
	// AmbiguousProbe asks the executor's log whether the run began, waits for
	// it if so, and sends again if surely not.
	AmbiguousProbe AmbiguousPolicy = "PROBE"
	// AmbiguousSkip never sends again: a run too few rather than one too many.
	// The trigger ends as [ResultUnknown]; a result that comes later counts.
	AmbiguousSkip AmbiguousPolicy = "SKIP"
	// AmbiguousResend sends again: for handlers that do no harm twice.
	AmbiguousResend AmbiguousPolicy = "RESEND"
)

// Values lists all policies.
func (AmbiguousPolicy) Values() []AmbiguousPolicy {
	return []AmbiguousPolicy{AmbiguousProbe, AmbiguousSkip, AmbiguousResend}
}

// An AlarmRule says which failed runs raise an alarm.
type AlarmRule string

const (
	AlarmEach      AlarmRule = "EACH"       // every failed attempt, as in XXL-JOB
	AlarmLastRetry AlarmRule = "LAST_RETRY" // a failed run without retries left
	AlarmInARow    AlarmRule = "IN_A_ROW"   // the AlarmAfter-th failed run in a row, and none until a success
	AlarmNever     AlarmRule = "NEVER"
)

// Values lists all alarm rules.
func (AlarmRule) Values() []AlarmRule {
	return []AlarmRule{AlarmEach, AlarmLastRetry, AlarmInARow, AlarmNever}
}

// KeepLogs says which finished runs of a job keep their log row.
type KeepLogs string

const (
	KeepAll      KeepLogs = "ALL"
	KeepFailures KeepLogs = "FAILURES" // the row of a successful run is removed once its day's figures have it
)

// Values lists all values of the setting.
func (KeepLogs) Values() []KeepLogs { return []KeepLogs{KeepAll, KeepFailures} }

// validate is the part of [Job.Validate] that concerns the settings.
func (s *Settings) validate() error {
	if s.Zone != "" {
		if _, err := time.LoadLocation(s.Zone); err != nil || s.Zone == "Local" {
			return Invalidf("zone is %q, must be an IANA time zone such as Europe/Berlin", s.Zone)
		}
	}
	for _, d := range []struct {
		field string
		value Milliseconds
		most  time.Duration
	}{
		{"misfireWindowMs", s.MisfireWindow, 10 * 365 * 24 * time.Hour},
		{"misfireSpacingMs", s.MisfireSpacing, time.Hour},
		{"retryBackoffMs", s.RetryBackoff, 24 * time.Hour},
		{"retryBackoffLimitMs", s.RetryBackoffLimit, 7 * 24 * time.Hour},
	} {
		if d.value < 0 || d.value.Duration() > d.most {
			return Invalidf("%s is %d, must be 0 to %d", d.field, d.value, d.most.Milliseconds())
		}
	}
	switch {
	case s.MisfireLimit < 0 || s.MisfireLimit > MaxMisfireLimit:
		return Invalidf("misfireLimit is %d, must be 0 to %d", s.MisfireLimit, MaxMisfireLimit)
	case s.AlarmAfter < 0 || s.AlarmAfter > 1000:
		return Invalidf("alarmAfter is %d, must be 0 to 1000", s.AlarmAfter)
	case s.AlarmOn == AlarmInARow && s.AlarmAfter == 0:
		return Invalidf("alarmAfter is 0, must be 1 to 1000 with alarmOn %s", AlarmInARow)
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

// Milliseconds is a duration that is stored and shown as a number of whole
// milliseconds.
type Milliseconds int64

// Duration is m as a [time.Duration]; a value beyond its range is cut.
func (m Milliseconds) Duration() time.Duration {
	const most = Milliseconds(1<<63-1) / Milliseconds(time.Millisecond)
	return time.Duration(min(max(m, -most), most)) * time.Millisecond
}

// Text is how stores keep the settings: JSON, and empty for the zero value.
func (s Settings) Text() string {
	if s == (Settings{}) {
		return ""
	}
	text, _ := json.Marshal(s) // strings and numbers only: cannot fail
	return string(text)
}

// ParseSettings reads what [Settings.Text] wrote. Text that another tool broke
// gives the zero value: one broken row must not stop the others.
func ParseSettings(text string) Settings {
	var s Settings
	if text == "" || json.Unmarshal([]byte(text), &s) != nil {
		return Settings{}
	}
	return s
}

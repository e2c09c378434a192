package checker

import (
	"fmt"
	"time"
)

// Options are the limits by which a history is judged. Zero values select the defaults.
type Options struct {
	// Epsilon is how late a run may arrive after its due time. The default is 2s.
	Epsilon time.Duration

	// Grace is how long a hand-over may take: the time between the scheduler's decision and the
	// arrival at the executor, or between the end of a run and the scheduler's reaction. A run that
	// was claimed before a stop was acknowledged may arrive this much after it. The default is 1s.
	Grace time.Duration

	// Skew is how far the executors' clocks may lag behind the scheduler's: a run may arrive this
	// much before its due time. The default is 0, which is right on one machine.
	Skew time.Duration

	// StartSkip is the period after an acknowledged start or edit in which due times may be
	// skipped. Java admins skip five seconds. The default is 0.
	StartSkip time.Duration

	// CatchUp is the time in which a strategy that fires all missed due times has to do so, counted
	// from when the misfire was noticed. The default is 1 minute.
	CatchUp time.Duration

	// NoMisfires ignores misfire records, for histories without a fault that may cause a misfire:
	// each due time must have its run.
	NoMisfires bool

	// End is the instant after which nothing is judged; what was still open then is ignored. The
	// default is the end of the history.
	End Instant

	// MaxViolations is how many violations are kept with the relevant part of the history; all are
	// counted. The default is 100.
	MaxViolations int
}

// withDefaults fills in the defaults, or returns an error that names the invalid field.
func (o Options) withDefaults() (Options, error) {
	for _, f := range []struct {
		name  string
		value *time.Duration
		unset time.Duration
	}{
		{"Epsilon", &o.Epsilon, 2 * time.Second},
		{"Grace", &o.Grace, time.Second},
		{"Skew", &o.Skew, 0},
		{"StartSkip", &o.StartSkip, 0},
		{"CatchUp", &o.CatchUp, time.Minute},
	} {
		if *f.value < 0 {
			return o, fmt.Errorf("checker: Options.%s is %v, must not be negative", f.name, *f.value)
		}
		if *f.value == 0 {
			*f.value = f.unset
		}
	}
	if o.MaxViolations < 0 {
		return o, fmt.Errorf("checker: Options.MaxViolations is %d, must not be negative", o.MaxViolations)
	}
	if o.MaxViolations == 0 {
		o.MaxViolations = 100
	}
	return o, nil
}

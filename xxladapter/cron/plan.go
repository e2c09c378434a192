package cron

import (
	"strings"
	"time"
)

// A Plan says when a job is due next. Next returns the first due time later than after, in the zone
// of the plan, or the zero time if the job is never due again.
//
// Plans are immutable and may be used by any number of goroutines. A plan does not know the job's
// past: the caller passes the instant to count from, which is the last trigger time for FIX_RATE
// and the end of the run for FIX_DELAY.
type Plan interface {
	Next(after time.Time) time.Time
}

// Kinds of plan, spelled as XXL-JOB spells its schedule types. Upstream has FIX_DELAY in name only,
// and no ONCE.
const (
	None     = "NONE"
	Cron     = "CRON"
	FixRate  = "FIX_RATE"
	FixDelay = "FIX_DELAY"
	Once     = "ONCE"
)

// Limits of the period of FIX_RATE and FIX_DELAY. The upper one is upstream's: a number of seconds
// in 32 bits.
const (
	MinPeriod = 100 * time.Millisecond
	MaxPeriod = (1<<31 - 1) * time.Second
)

// ParsePlan parses a schedule type and its configuration:
//
//	NONE       is never due; conf is ignored
//	CRON       an expression, in the Quartz profile unless opts selects another one
//	FIX_RATE   a period in seconds, "30" or "0.1": after plus the period
//	FIX_DELAY  the same, counted from the end of a run
//	ONCE       an instant in RFC 3339, "2026-03-01T09:00:00+08:00"
//
// Periods are 0.1 to 2147483647 seconds and have at most three decimals. A FIX_RATE of whole
// seconds is due at whole seconds: the sum is rounded up, as in XXL-JOB since 3.4.0. (Before that
// release, the fraction of a second at which a job was started remained forever.) Other sums are
// rounded up to the millisecond.
//
// zone is the zone whose clock a CRON plan follows and in which every plan returns its instants;
// nil means time.Local. Upstream has one zone for all jobs.
//
// The error names field, value and rule: for a CRON expression it is the *ParseError, and otherwise
// a *PlanError.
func ParsePlan(kind, conf string, zone *time.Location, opts ...Option) (Plan, error) {
	if zone == nil {
		zone = time.Local
	}
	switch kind {
	case None:
		return never{}, nil
	case Cron:
		s, err := Parse(conf, opts...)
		if err != nil {
			return nil, err
		}
		return s.In(zone), nil
	case FixRate, FixDelay:
		period, err := parsePeriod(conf)
		if err != nil {
			return nil, &PlanError{Field: "period", Type: kind, Text: cut(conf), Rule: err.Error()}
		}
		grain := time.Millisecond
		if kind == FixRate && period%time.Second == 0 {
			grain = time.Second
		}
		return interval{period, grain, zone}, nil
	case Once:
		at, err := time.Parse(time.RFC3339, conf)
		if err != nil {
			return nil, &PlanError{
				Field: "instant", Type: kind, Text: cut(conf),
				Rule: "must be RFC 3339 such as 2026-03-01T09:00:00+08:00",
			}
		}
		return once{at.In(zone)}, nil
	}
	return nil, &PlanError{
		Field: "schedule type", Text: cut(kind), Rule: "must be one of NONE, CRON, FIX_RATE, FIX_DELAY and ONCE",
	}
}

// In returns a plan that follows s on the clock of zone, whatever the location of the instants
// passed to it. A nil zone means time.Local.
func (s *Schedule) In(zone *time.Location) Plan {
	if zone == nil {
		zone = time.Local
	}
	return zoned{s, zone}
}

type zoned struct {
	schedule *Schedule
	zone     *time.Location
}

func (z zoned) Next(after time.Time) time.Time { return z.schedule.Next(after.In(z.zone)) }

type never struct{}

func (never) Next(time.Time) time.Time { return time.Time{} }

type once struct{ at time.Time }

func (o once) Next(after time.Time) time.Time {
	if o.at.After(after) {
		return o.at
	}
	return time.Time{}
}

// interval is due one period later, rounded up to the next multiple of grain.
type interval struct {
	period, grain time.Duration
	zone          *time.Location
}

func (i interval) Next(after time.Time) time.Time {
	t := after.Round(0).Add(i.period)
	if over := time.Duration(t.Nanosecond()) % i.grain; over > 0 {
		t = t.Add(i.grain - over)
	}
	return t.In(i.zone)
}

type periodError string

func (e periodError) Error() string { return string(e) }

// parsePeriod parses decimal seconds without using floating point.
func parsePeriod(conf string) (time.Duration, error) {
	whole, frac, point := strings.Cut(conf, ".")
	if whole == "" || point && frac == "" || !allDigits(whole) || !allDigits(frac) {
		return 0, periodError("must be seconds as decimal digits such as 30 or 0.1")
	}
	if len(frac) > 3 {
		return 0, periodError("must have at most 3 decimals")
	}
	var ms int64
	for _, c := range []byte(whole) {
		ms = min(ms*10+int64(c-'0'), 1<<40)
	}
	for _, c := range []byte((frac + "000")[:3]) {
		ms = ms*10 + int64(c-'0')
	}
	period := time.Duration(min(ms, 1<<42)) * time.Millisecond
	if period < MinPeriod || period > MaxPeriod {
		return 0, periodError("must be 0.1 to 2147483647 seconds")
	}
	return period, nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return true
}

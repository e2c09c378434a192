package preview

import (
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// defaultTimes is the number of due times of a preview whose count is not given.
	defaultTimes = 50
	// maxConf limits a schedule's text in characters, as a job's column does.
	maxConf = 128

	// defaultNext is the number of next times if none is given, and maxNext is the largest number.
	defaultNext, maxNext = 5, 100
	// maxExpr limits a cron expression in bytes. Each character of a valid one is one byte.
	maxExpr = 128
)

// A Request asks for a preview, in the words of a caller.
type Request struct {
	Type    xxladapter.ScheduleType // empty means CRON
	Conf    string
	Zone    string // see [xxladapter.ZoneOf]
	Profile string // see [ProfileOf]
	Count   int    // of due times; 0 means 50
	Months  int    // whose days are counted; 0 means none
}

// Read returns the schedule and the number of due times that a request asks for; zone and profile
// are the defaults if it names none. An invalid parameter is refused with an [xxladapter.Error]
// that names it. Conf is not parsed; [Of] does that.
func (r Request) Read(zone *time.Location, profile cron.Profile) (s Schedule, count int, err error) {
	if r.Type == "" {
		r.Type = xxladapter.ScheduleCron
	}
	if r.Count == 0 {
		r.Count = defaultTimes
	}
	if err := r.check(); err != nil {
		return s, 0, err
	}
	if profile, err = ProfileOf(r.Profile, profile); err != nil {
		return s, 0, err
	}
	if zone, err = xxladapter.ZoneOf(r.Zone, zone); err != nil {
		return s, 0, err
	}
	return Schedule{Type: string(r.Type), Conf: r.Conf, Zone: zone, Profile: profile}, r.Count, nil
}

// check refuses what is out of bounds.
func (r Request) check() error {
	if err := xxladapter.CheckOneOf("scheduleType", r.Type); err != nil {
		return err
	}
	count := utf8.RuneCountInString(r.Conf)
	switch {
	case count > maxConf: // longer ones only cost time
		return xxladapter.Invalidf(errorrule.CharactersAtMost, "%s has %d characters, must have at most %d",
			"scheduleConf", count, maxConf)
	case r.Count < 1 || r.Count > MaxTimes:
		return xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "count", r.Count, 1, MaxTimes)
	case r.Months < 0 || r.Months > MaxMonths:
		return xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "months", r.Months, 0, MaxMonths)
	}
	return nil
}

// NextOf returns how many next times a caller asks for: 5 if count is 0. Negative ones, and more
// than 100, are refused with an [xxladapter.Error].
func NextOf(count int) (int, error) {
	switch {
	case count == 0:
		return defaultNext, nil
	case count < 0 || count > maxNext:
		return 0, xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "count", count, 1, maxNext)
	}
	return count, nil
}

// A CronRequest asks for the next times of a cron expression, in the words of a caller.
type CronRequest struct {
	Expr    string
	Zone    string // see [xxladapter.ZoneOf]
	Profile string // see [ProfileOf]
}

// Read returns the schedule that a request asks for; zone and profile are the defaults if it names
// none. An invalid parameter is refused with an [xxladapter.Error] that names it. Expr is not
// parsed.
func (r CronRequest) Read(zone *time.Location, profile cron.Profile) (s Schedule, err error) {
	if len(r.Expr) > maxExpr { // longer ones only cost time
		return s, xxladapter.Invalidf(errorrule.BytesAtMost, "%s has %d bytes, must have at most %d", "expr", len(r.Expr), maxExpr)
	}
	if profile, err = ProfileOf(r.Profile, profile); err != nil {
		return s, err
	}
	if zone, err = xxladapter.ZoneOf(r.Zone, zone); err != nil {
		return s, err
	}
	return Schedule{Type: cron.Cron, Conf: r.Expr, Zone: zone, Profile: profile}, nil
}

// ProfileOf returns the profile of a name, or the argument otherwise if the name is empty. An
// unknown name is refused with an [xxladapter.Error].
func ProfileOf(name string, otherwise cron.Profile) (cron.Profile, error) {
	if name == "" {
		return otherwise, nil
	}
	profile, err := cron.ParseProfile(name)
	if err != nil {
		return profile, xxladapter.Invalidf(errorrule.Profile, "%[3]v", "profile", name, err)
	}
	return profile, nil
}

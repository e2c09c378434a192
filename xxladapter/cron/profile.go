package cron

import (
	"fmt"
	"strings"
)

// An Option changes how Parse reads an expression. The profiles are options; if several are given,
// the last one counts.
type Option interface {
	apply(config) config
}

// A Profile is a dialect together with its rule for clock changes. The zero value is Quartz, the
// default of Parse.
type Profile uint8

const (
	// Quartz is the dialect of Quartz 2.3 without its faults: strict about text without a meaning,
	// and exact in lists that contain W. A wall-clock time that the clock skips does not fire; a
	// repeated one fires only the second time, so nothing fires during its first pass.
	Quartz Profile = iota

	// XXL34 does what XXL-JOB 3.4 does, including its faults. It accepts everything that release
	// accepts (text after a complete item is ignored, 99 means *, a/0 means a, and so on), and a
	// nearest weekday keeps the time of day at which the search reached it, so that some of its
	// times are skipped. Use it to learn what a stored job does today, or to run it unchanged.
	//
	// XXL34 refuses L as month and a field of commas only, on which XXL-JOB stops the job with an
	// internal error.
	XXL34

	// Sane has Quartz's fields and a more useful rule for clock changes. With fixed hours, a time
	// that the clock skips fires once, right after the gap, and a repeated time fires only the
	// first time. If the hour field has * or a step, the expression follows elapsed time: times in
	// the gap do not exist, and repeated ones fire in both passes.
	Sane

	// Unix has five fields, from minute to day of week; Sunday is 0 or 7. If both day fields
	// exclude days, a day matches if either of them does. Ranges do not wrap, and there are no L,
	// W, # and ?. Clock changes are handled as in Sane.
	Unix
)

// Values lists all profiles.
func (Profile) Values() []Profile { return []Profile{Quartz, XXL34, Sane, Unix} }

// ParseProfile returns the profile of a name: quartz, xxl34, sane or unix. Other names are refused
// with an error that lists these.
func ParseProfile(name string) (Profile, error) {
	var names []string
	for _, p := range Profile(0).Values() {
		if p.Name() == name {
			return p, nil
		}
		names = append(names, p.Name())
	}
	return 0, fmt.Errorf("cron: profile is %q, must be one of %s", cut(name), strings.Join(names, ", "))
}

// UnmarshalText sets p to the profile of a name, as [ParseProfile] does.
func (p *Profile) UnmarshalText(name []byte) (err error) {
	*p, err = ParseProfile(string(name))
	return err
}

func (p Profile) apply(c config) config {
	c.profile = p
	return c
}

// A config holds what the options set. It is passed by value to keep the parser off the heap.
type config struct{ profile Profile }

// String returns the name of the profile as it is spelled in Go.
func (p Profile) String() string {
	switch p {
	case Quartz:
		return "Quartz"
	case XXL34:
		return "XXL34"
	case Sane:
		return "Sane"
	case Unix:
		return "Unix"
	}
	return "Profile(" + itoa(int(p)) + ")"
}

// lenient reports whether the profile ignores what it cannot parse, as upstream does.
func (p Profile) lenient() bool { return p == XXL34 }

// sane reports whether the profile handles clock changes as Sane does.
func (p Profile) sane() bool { return p == Sane || p == Unix }

// Name returns the name that [ParseProfile] takes.
func (p Profile) Name() string { return strings.ToLower(p.String()) }

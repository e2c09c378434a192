package cron

import (
	"iter"
	"math"
	"time"
)

// A Schedule is a parsed expression: a set of wall-clock times. Parse creates it; the zero value
// never fires. It holds neither clock nor zone, is immutable after Parse, and may be used by any
// number of goroutines.
type Schedule struct {
	second, minute uint64 // bits 0 to 59
	hour           uint32 // bits 0 to 23
	month          uint16 // bits 1 to 12

	// The day of month is the union of these. Offsets from the end of the month are bits 0 to 30.
	days        uint32 // d, bits 1 to 31
	nearest     uint32 // dW
	last        uint32 // L-n
	lastNearest uint32 // L-nW
	special     bool   // any of the last three is set

	// The day of week; bit 0 is Sunday.
	weekdays uint8
	nth      uint8 // 0 means every week, 1 to 5 the n-th in the month; or lastOfMonth

	// years is nil if every year matches.
	years []yearRange

	// Invariant: exactly one of byDate and byWeek is set, except in Unix, where both may be. A day
	// field that is not set contains all days.
	byDate, byWeek bool

	// either makes a day match if one of the day fields matches, instead of both.
	either bool

	// hourSteps says that the hour field has * or a step. Sane and Unix use it.
	hourSteps bool

	// daily says that every day of every year matches, so that the calendar need not be computed.
	daily bool

	// never says that the expression is valid but matches no time. Parse sets it.
	never bool

	profile Profile
}

// lastOfMonth is the value of Schedule.nth for the last weekday of its kind in the month.
const lastOfMonth = 6

// A yearRange is the years lo, lo+step, and so on up to hi.
type yearRange struct{ lo, hi, step int32 }

// horizon is how many years a search covers beyond the year of the instant it starts from, so that
// the answer depends on nothing else.
const horizon = 100

// Next returns the first time of s later than the whole second of after (a fraction is dropped
// first), in the location of after. It returns the zero time if there is none within the year of
// after and the following hundred years.
//
// The search follows the wall clock of the location; the profile says what happens at clock
// changes. In Quartz and XXL34 an instant in the first pass of a repeated hour counts as the same
// wall-clock time of the second pass.
//
// Next allocates nothing. The horizon limits its cost, whatever the expression.
//
// The rules are those of CronExpression.getNextValidTimeAfter in Quartz 2.3.2 and XXL-JOB, with the
// year limit described above.
func (s *Schedule) Next(after time.Time) time.Time {
	t, ok := searchable(after)
	if !ok || s.never {
		return time.Time{}
	}
	var at int64
	if s.profile.sane() {
		at, ok = s.nextSane(after.Location(), t)
	} else {
		at, ok = s.nextQuartz(after.Location(), t)
	}
	if !ok {
		return time.Time{}
	}
	return time.Unix(at, 0).In(after.Location())
}

// Prev returns the last time of s that is earlier than before, in the location of before. It
// returns the zero time if there is none within the year of before and the preceding hundred years.
//
// Prev visits the same instants as Next: if t is a time of s, then s.Next(s.Prev(t)) and
// s.Prev(s.Next(t)) are both t. It has the same limit and allocates nothing. In XXL34 with W, where
// the times of Next depend on the instant it starts from, Prev returns the intended times. Quartz
// has no such method (getTimeBefore returns null).
func (s *Schedule) Prev(before time.Time) time.Time {
	t, ok := searchable(before)
	if !ok || s.never {
		return time.Time{}
	}
	if before.Nanosecond() > 0 {
		t++ // the whole second of before is itself earlier than before
	}
	var at int64
	if s.profile.sane() {
		at, ok = s.prevSane(before.Location(), t)
	} else {
		at, ok = s.prevQuartz(before.Location(), t)
	}
	if !ok {
		return time.Time{}
	}
	return time.Unix(at, 0).In(before.Location())
}

// All returns an iterator over the times of s later than after: those that repeated calls of Next
// return. It may be used more than once and by several goroutines; each loop starts from after.
func (s *Schedule) All(after time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for t := s.Next(after); !t.IsZero(); t = s.Next(t) {
			if !yield(t) {
				return
			}
		}
	}
}

// searchable returns the second of t, or false if t is so far away that the arithmetic of the
// search could overflow (some 36 billion years).
func searchable(t time.Time) (int64, bool) {
	u := t.Unix()
	return u, u > math.MinInt64>>3 && u < math.MaxInt64>>3
}

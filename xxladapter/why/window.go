package why

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// defaultWindow is the length of a timeline whose beginning is not given, or is not before now
	// while the end is not given.
	defaultWindow = time.Hour
	// maxWindow is the length of the longest timeline.
	maxWindow = 32 * 24 * time.Hour
)

// WindowOf returns the bounds of a timeline from those that the caller gives, where zero means not
// given: the end is then now, and the beginning an hour before the end. If the beginning is not
// before now and no end is given, the end is an hour after it. A window that is empty or longer
// than 32 days is refused with an [xxladapter.Error].
//
// REQUIRES: now is set if to is zero.
func WindowOf(from, to, now time.Time) (begin, end time.Time, err error) {
	if to.IsZero() {
		if to = now; !from.Before(to) {
			to = from.Add(defaultWindow)
		}
	}
	if from.IsZero() {
		from = to.Add(-defaultWindow)
	}
	switch {
	case !from.Before(to):
		return begin, end, xxladapter.Invalidf(errorrule.Before, "%s is %s, must be before to, %s",
			"from", from.Format(time.RFC3339), to.Format(time.RFC3339))
	case to.Sub(from) > maxWindow:
		return begin, end, xxladapter.Invalidf(errorrule.Span, "%s is %v after from, must be at most %v",
			"to", to.Sub(from), maxWindow)
	}
	return from, to, nil
}

// TimeMeant returns the period that a question about at refers to: a whole minute means that
// minute, and any other instant means the second that contains it. to is exclusive.
func TimeMeant(at time.Time) (from, to time.Time) {
	if at.Truncate(time.Minute).Equal(at) {
		return at, at.Add(time.Minute)
	}
	from = at.Truncate(time.Second)
	return from, from.Add(time.Second)
}

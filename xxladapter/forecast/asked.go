package forecast

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// defaultSpan is the length of a forecast whose hours are not given.
const defaultSpan = 24 * time.Hour

// SpanOf returns the length of a forecast that looks some hours ahead; 0 means 24. Any other number
// below 1 or above MaxSpan is refused with an [xxladapter.Error].
func SpanOf(hours int) (time.Duration, error) {
	const most = int(MaxSpan / time.Hour)
	switch {
	case hours == 0:
		return defaultSpan, nil
	case hours < 1 || hours > most:
		return 0, xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "hours", hours, 1, most)
	}
	return time.Duration(hours) * time.Hour, nil
}

// CheckAt refuses an instant that is in no cell of the forecast with an [xxladapter.Error].
//
// REQUIRES: f is a result of [Of].
func (f Forecast) CheckAt(at time.Time) error {
	begin, end := f.Cells[0].At, f.Cells[len(f.Cells)-1].At.Add(Step)
	if at.Before(begin) || !at.Before(end) {
		return xxladapter.Invalidf(errorrule.Range, "%s is %s, must be within %s and %s",
			"at", at.Format(time.RFC3339), begin.Format(time.RFC3339), end.Format(time.RFC3339))
	}
	return nil
}

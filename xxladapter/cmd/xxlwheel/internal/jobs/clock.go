package jobs

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// clockTime parses what [flags.Instant] parses, or a time of the day, which stands for the last
// instant up to now at which a clock showed it. On a day on which the clock skips that time, it
// stands for the instant that [time.Date] returns.
func clockTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"15:04", time.TimeOnly} {
		of, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		for day := now.Day(); ; day-- {
			at := time.Date(now.Year(), now.Month(), day, of.Hour(), of.Minute(), of.Second(), 0, now.Location())
			for _, shown := range sameOnClock(at) {
				if !shown.After(now) {
					return shown, nil
				}
			}
		}
	}
	at, err := flags.Instant(text)
	if err != nil {
		return at, command.Usagef("--at is %q, must be a time such as 02:00, an RFC 3339 instant such as 2026-01-02T15:04:05Z, or a duration such as 24h", text)
	}
	return at, nil
}

// sameOnClock returns the instants at which a clock shows the same date and time as at a given one,
// the latest first: two if the clock is set back over that time, otherwise the given instant alone.
// [time.Date] may return either of the two.
func sameOnClock(at time.Time) (instants []time.Time) {
	_, before := at.Add(-2 * time.Hour).Zone()
	_, after := at.Add(2 * time.Hour).Zone()
	back := time.Duration(max(before-after, 0)) * time.Second
	for _, shift := range []time.Duration{back, 0, -back} {
		same := at.Add(shift)
		if same.Format(time.DateTime) == at.Format(time.DateTime) && !slices.Contains(instants, same) {
			instants = append(instants, same)
		}
	}
	return instants
}

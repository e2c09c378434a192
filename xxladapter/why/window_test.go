package why_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/why"
)

func TestWindowOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add
	const day = 24 * time.Hour
	var none time.Time
	for _, c := range []struct {
		name             string
		from, to         time.Time
		wantFrom, wantTo time.Time
		err              string
		withoutClock     bool // now is not needed
	}{
		{"nothing given", none, none, at(-time.Hour), now, "", false},
		{"a beginning", at(-2 * day), none, at(-2 * day), now, "", false},
		{"a beginning in the future", at(day), none, at(day), at(day + time.Hour), "", false},
		{"an end", none, at(-day), at(-day - time.Hour), at(-day), "", true},
		{"both", at(-day), at(day), at(-day), at(day), "", true},

		{"the longest", at(-32 * day), now, at(-32 * day), now, "", true},
		{"longer", at(-32*day - 1), now, none, none, "to is 768h0m0.000000001s after from, must be at most 768h0m0s", true},
		{"the shortest", at(-1), now, at(-1), now, "", true},
		{"empty", now, now, none, none, "from is 2026-03-01T12:00:00Z, must be before to, 2026-03-01T12:00:00Z", true},
		{"a beginning that is now", now, none, now, at(time.Hour), "", false},
		{"the wrong way round", now, at(-day), none, none,
			"from is 2026-03-01T12:00:00Z, must be before to, 2026-02-28T12:00:00Z", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := now
			if c.withoutClock {
				clock = none
			}
			from, to, err := why.WindowOf(c.from, c.to, clock)
			if c.err != "" {
				require.EqualError(t, err, c.err)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, c.wantFrom, from)
			require.Equal(t, c.wantTo, to)
		})
	}
}

func TestTimeMeant(t *testing.T) {
	minute := time.Date(2026, 3, 1, 12, 7, 0, 0, time.UTC)
	for _, c := range []struct {
		at, from time.Time
		long     time.Duration
	}{
		{minute, minute, time.Minute},
		{minute.Add(1), minute, time.Second},
		{minute.Add(30 * time.Second), minute.Add(30 * time.Second), time.Second},
		{minute.Add(time.Minute - 1), minute.Add(59 * time.Second), time.Second},
	} {
		from, to := why.TimeMeant(c.at)
		require.Equal(t, c.from, from, c.at)
		require.Equal(t, c.long, to.Sub(from), c.at)
	}
}

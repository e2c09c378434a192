package jobs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestATimeOfTheDayIsTheLastOne checks that --at 02:00 asks about the night that has passed.
func TestATimeOfTheDayIsTheLastOne(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	noon := time.Date(2026, 3, 29, 12, 0, 0, 0, zone)
	for text, want := range map[string]string{
		"02:00":                "2026-03-29T03:00:00+02:00", // the clock skips it that night
		"01:59:59":             "2026-03-29T01:59:59+01:00",
		"12:00":                "2026-03-29T12:00:00+02:00",
		"12:00:01":             "2026-03-28T12:00:01+01:00",
		"23:30":                "2026-03-28T23:30:00+01:00",
		"2026-01-02T15:04:05Z": "2026-01-02T15:04:05Z",
	} {
		at, err := clockTime(text, noon)
		require.NoError(t, err, text)
		require.Equal(t, want, at.Format(time.RFC3339), text)
	}
	// West of Greenwich, time.Date returns the first of two instants.
	west, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	at, err := clockTime("01:30", time.Date(2026, 11, 1, 12, 0, 0, 0, west))
	require.NoError(t, err)
	require.Equal(t, "2026-11-01T01:30:00-05:00", at.Format(time.RFC3339))
	// In Berlin the clock shows 02:30 twice in this night.
	night := time.Date(2026, 10, 25, 0, 0, 0, 0, zone)
	for _, c := range []struct {
		after time.Duration // since midnight
		want  string
	}{
		{13 * time.Hour, "2026-10-25T02:30:00+01:00"}, // noon
		{3*time.Hour + 30*time.Minute, "2026-10-25T02:30:00+01:00"},
		{3*time.Hour + 15*time.Minute, "2026-10-25T02:30:00+02:00"}, // 02:15 for the second time
		{2*time.Hour + 30*time.Minute, "2026-10-25T02:30:00+02:00"},
		{2*time.Hour + 15*time.Minute, "2026-10-24T02:30:00+02:00"},
	} {
		at, err := clockTime("02:30", night.Add(c.after))
		require.NoError(t, err)
		require.Equal(t, c.want, at.Format(time.RFC3339), night.Add(c.after))
	}
	for _, text := range []string{"24:00", "2:61", "noon", ""} {
		_, err := clockTime(text, noon)
		require.ErrorContains(t, err, "must be a time such as 02:00", text)
	}
}

package forecast

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpanOf(t *testing.T) {
	for _, c := range []struct {
		hours int
		want  time.Duration
		err   string
	}{
		{0, 24 * time.Hour, ""},
		{1, time.Hour, ""},
		{168, MaxSpan, ""},
		{169, 0, "hours is 169, must be 1 to 168"},
		{-1, 0, "hours is -1, must be 1 to 168"},
		{math.MaxInt32, 0, "hours is 2147483647, must be 1 to 168"},
	} {
		span, err := SpanOf(c.hours)
		require.Equal(t, c.want, span, c.hours)
		if c.err == "" {
			require.NoError(t, err, c.hours)
		} else {
			require.EqualError(t, err, c.err)
		}
	}
}

// TestCheckAt looks an hour ahead at 12:07:30. The forecast has the five cells from 12:00 to 13:15.
func TestCheckAt(t *testing.T) {
	f := Of(nil, now, time.Hour, opts)
	noon := now.Truncate(time.Hour)
	for _, c := range []struct {
		at  time.Time
		err string
	}{
		{noon.Add(-1), "at is 2026-03-01T11:59:59Z, must be within 2026-03-01T12:00:00Z and 2026-03-01T13:15:00Z"},
		{noon, ""},
		{noon.Add(75*time.Minute - 1), ""},
		{noon.Add(75 * time.Minute),
			"at is 2026-03-01T13:15:00Z, must be within 2026-03-01T12:00:00Z and 2026-03-01T13:15:00Z"},
	} {
		err := f.CheckAt(c.at)
		if c.err == "" {
			require.NoError(t, err, c.at)
		} else {
			require.EqualError(t, err, c.err)
		}
	}
}

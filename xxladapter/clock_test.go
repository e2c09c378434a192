package xxladapter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAClockEstimateIsCorrectedNoMoreThanItIsKnown reads a clock in a call of 40 ms, ten seconds
// after an earlier reading.
func TestAClockEstimateIsCorrectedNoMoreThanItIsKnown(t *testing.T) {
	const took = 40 * time.Millisecond
	start := time.Now()
	asked := start.Add(10 * time.Second)
	answered := asked.Add(took)
	earlier := ClockEstimate{}.Seen(start.Add(time.Hour), start, start)
	known := earlier.At(answered)

	// The reading is the estimate at the end of the call plus what the case says.
	for name, c := range map[string]struct{ shown, change time.Duration }{
		"at the end of the call":           {0, 0},
		"in the middle of it":              {-took / 2, 0},
		"at its start":                     {-took, 0},
		"the clock was set forward":        {time.Nanosecond, time.Nanosecond},
		"an hour":                          {time.Hour, time.Hour},
		"the clock was set back":           {-took - time.Nanosecond, -took - time.Nanosecond},
		"an hour, with nothing left ahead": {-time.Hour, -time.Hour},
	} {
		got := earlier.Seen(known.Add(c.shown), asked, answered)
		require.Equal(t, known.Add(c.change), got.At(answered), name)
		require.Equal(t, known.Add(c.change+time.Minute), got.At(answered.Add(time.Minute)), "%s, and it runs on", name)
		require.Equal(t, c.change == 0, got == earlier, name)
	}
}

// TestTheFirstReadingCountsFromTheEndOfTheCall checks that the estimate is not ahead.
func TestTheFirstReadingCountsFromTheEndOfTheCall(t *testing.T) {
	require.False(t, ClockEstimate{}.Known())
	asked := time.Now()
	answered := asked.Add(time.Second)
	e := ClockEstimate{}.Seen(time.Unix(1000, 0), asked, answered)
	require.True(t, e.Known())
	require.Equal(t, time.Unix(1000, 0), e.At(answered))
	require.Equal(t, time.Unix(999, 0), e.At(asked))
}

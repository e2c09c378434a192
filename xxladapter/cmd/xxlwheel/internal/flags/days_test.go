package flags

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpansOfDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 30 * 24 * time.Hour, "0": 0, "-1": -1, "0d": 0, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute,
	} {
		var d Days
		require.NoError(t, d.UnmarshalText([]byte(text)), text)
		require.Equal(t, Days(want), d, text)
	}
	for _, text := range []string{"", "d", "30", "1.5d", "thirty", "999999999d", "1w"} {
		var d Days
		require.ErrorContains(t, d.UnmarshalText([]byte(text)), "must be", text)
	}
}

package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLatenessSharesTheClock checks that fires share a reading of the clock while they follow each
// other within clockSpan, and that each has its own while they do not.
func TestLatenessSharesTheClock(t *testing.T) {
	var l lateness
	now := int64(clockSpan)
	for range 20 {
		l.sample(now)
		now += clockSpan / 2
	}
	require.Equal(t, clockEvery, l.left)
	for range 20 {
		l.sample(now)
		now += clockSpan
	}
	require.Equal(t, 1, l.left)
}

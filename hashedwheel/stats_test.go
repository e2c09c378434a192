package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where many run in a microsecond they share a reading of the clock; one that takes long has its
// own.
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

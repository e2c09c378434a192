package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheBeginningOfAConnectionOutlastsASetback checks that times after the beginning compare as
// later even if the clock was set back in between: by the monotonic reading, which String shows.
func TestTheBeginningOfAConnectionOutlastsASetback(t *testing.T) {
	var s Since
	require.Zero(t, s.Time())
	require.False(t, s.End())
	require.True(t, s.Begin())
	began := s.Time()
	require.Contains(t, began.String(), " m=")
	require.False(t, s.Begin())
	require.Equal(t, began, s.Time())
	require.True(t, s.End())
	require.Zero(t, s.Time())
}

package database

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestAddressesThatHaveNoRoomAreLeftOutWhole(t *testing.T) {
	require.Empty(t, FitAddresses(nil))
	sixteen := slices.Repeat([]string{"http://10.0.0.1/"}, xxladapter.MaxRowText)
	got := FitAddresses(sixteen)
	require.Len(t, got, (xxladapter.MaxRowText+1)/17)
	full := strings.Join(got, ",")
	require.LessOrEqual(t, len(full), xxladapter.MaxRowText)
	require.Greater(t, len(full)+17, xxladapter.MaxRowText)
	require.Equal(t, got, FitAddresses(got), "what fits stays")
}

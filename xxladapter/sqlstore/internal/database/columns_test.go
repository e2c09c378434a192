package database

import (
	"slices"
	"strings"
	"testing"
	"time"

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

func TestDatetimesStayWithinTheYearsOfTheColumn(t *testing.T) {
	shanghai := time.FixedZone("UTC+8", 8*60*60)
	const first, last = "1000-01-01 00:00:00", "9999-12-31 23:59:59"
	for _, c := range []struct {
		at   string
		zone *time.Location
		want any
	}{
		{"0001-01-01T00:00:00Z", time.UTC, nil},
		{"0001-01-01T00:00:00Z", shanghai, nil},
		{"0001-01-01T00:00:01Z", time.UTC, first},
		{"0999-12-31T23:59:59Z", time.UTC, first},
		{"0999-12-31T15:59:59Z", shanghai, first},
		{"0999-12-31T16:00:01Z", shanghai, "1000-01-01 00:00:01"},
		{"2026-03-01T10:00:00.9Z", shanghai, "2026-03-01 18:00:00"},
		{"9999-12-31T23:59:58.9Z", time.UTC, "9999-12-31 23:59:58"},
		{"9999-12-31T15:59:58Z", shanghai, "9999-12-31 23:59:58"},
		{"9999-12-31T16:00:00Z", shanghai, last},
		{"9999-12-31T23:59:59-01:00", time.UTC, last},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, DatetimeText(at, c.zone), "%s in %s", c.at, c.zone)
	}
}

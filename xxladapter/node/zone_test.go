package node

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestANodeInAnotherZoneDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		start := func(zone string) error {
			t.Helper()
			at, err := time.LoadLocation(zone)
			require.NoError(t, err)
			n, err := New(Options{Store: store, Zone: at, RunTexts: xxladapter.TextsOff, Logger: slog.New(slog.DiscardHandler)})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			return n.Schedule(ctx)
		}
		require.NoError(t, start("Asia/Shanghai"))
		require.NoError(t, start("PRC"), "is the same zone")
		require.EqualError(t, start("Asia/Tokyo"), "zone is Asia/Tokyo, must be Asia/Shanghai as the store's schedulers have agreed; "+
			"xxlwheel migrate --zone changes it while none of them runs")
		require.NoError(t, store.ChangeZone(t.Context(), "Asia/Tokyo"))
		require.NoError(t, start("Asia/Tokyo"))
	})
}

// A lateZones answers about zones after some failures.
type lateZones struct {
	xxladapter.Store
	failures int
}

func (l *lateZones) AgreeZone(ctx context.Context, zone string) (string, error) {
	if l.failures--; l.failures >= 0 {
		return "", errors.New("connection refused")
	}
	return l.Store.AgreeZone(ctx, zone)
}

// A stoppedZones is asked about zones at the moment of a stop.
type stoppedZones struct {
	xxladapter.Store
	stop func()
}

func (s *stoppedZones) AgreeZone(ctx context.Context, zone string) (string, error) {
	s.stop()
	return s.Store.AgreeZone(ctx, zone)
}

// TestAStopWhileZonesAreComparedIsNoError checks that a node that is stopped right after its start
// logs nothing.
func TestAStopWhileZonesAreComparedIsNoError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	opts := Options{Store: &stoppedZones{memstore.New(time.Now), cancel}, Zone: time.UTC, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	require.NoError(t, agreeZone(ctx, &opts))
	require.Empty(t, log.String())
}

// TestANodeWaitsForTheStoreToCompareZones checks that a node without an answer does not schedule.
func TestANodeWaitsForTheStoreToCompareZones(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		_, err := store.AgreeZone(t.Context(), "Asia/Tokyo")
		require.NoError(t, err)
		opts := Options{Store: &lateZones{store, 3}, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler)}
		begun := time.Now()
		require.ErrorContains(t, agreeZone(t.Context(), &opts), "zone is UTC, must be Asia/Tokyo")
		require.Equal(t, 3*time.Second, time.Since(begun))
	})
}

func TestZonesAreTheSameIfTheirClocksAre(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"UTC", "Etc/UTC", true},
		{"UTC", "UTC+00:00", true},
		{"Asia/Shanghai", "UTC+08:00", true},
		{"Asia/Kolkata", "UTC+05:30", true},
		{"Europe/Berlin", "Europe/Paris", true},

		{"Europe/Berlin", "UTC+01:00", false},
		{"America/New_York", "America/Havana", false}, // they change within hours of each other
		{"Asia/Shanghai", "Asia/Tokyo", false},
		{"Asia/Shanghai", "Nowhere/Else", false},
	} {
		require.Equal(t, tt.same, sameZone(tt.a, tt.b), "%s and %s", tt.a, tt.b)
	}
	require.True(t, sameZone("Nowhere/Else", "Nowhere/Else"), "a zone of another machine's tables")
}

func TestThisMachinesZoneHasAName(t *testing.T) {
	none := func(string) (string, error) { return "", errors.New("no such file") }
	link := func(to string) func(string) (string, error) {
		return func(string) (string, error) { return to, nil }
	}
	env := func(value string, set bool) func(string) (string, bool) {
		return func(string) (string, bool) { return value, set }
	}
	require.Equal(t, "Asia/Shanghai", localName(env("Asia/Shanghai", true), link("/usr/share/zoneinfo/Europe/Berlin")))
	require.Equal(t, "Asia/Shanghai", localName(env(":Asia/Shanghai", true), none))
	require.Equal(t, "UTC", localName(env("", true), link("/usr/share/zoneinfo/Europe/Berlin")))
	require.Equal(t, "Europe/Berlin", localName(env("", false), link("/usr/share/zoneinfo/Europe/Berlin")))
	require.Equal(t, "Europe/Berlin", localName(env("CST6CDT,somewhere", true), link("../usr/share/zoneinfo/Europe/Berlin")))
	require.Regexp(t, `^UTC[+-]\d\d:\d\d$`, localName(env("", false), none))
	require.Equal(t, "Asia/Tokyo", ZoneName(mustLoad(t, "Asia/Tokyo")))
	require.NotEqual(t, "Local", ZoneName(nil))
}

func mustLoad(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	return zone
}

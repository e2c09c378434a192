package database

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestServerClockIsNeverAhead reads a clock over a slow network. The request takes a tenth of the
// round trip, or nine tenths.
func TestServerClockIsNeverAhead(t *testing.T) {
	for _, there := range []time.Duration{10 * time.Millisecond, 90 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			const trip = 100 * time.Millisecond
			c, err := NewServerClock(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) (time.Time, error) {
				time.Sleep(there)
				now := time.Now()
				time.Sleep(trip - there)
				return now, nil
			})
			require.NoError(t, err)
			defer c.Close()
			for range 3 {
				behind := time.Since(c.Now())
				require.GreaterOrEqual(t, behind, time.Duration(0))
				require.LessOrEqual(t, behind, trip)
				time.Sleep(clockEvery)
			}
		})
	}
}

// TestServerClockRunsOn takes the server away and moves its clock.
func TestServerClockRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64
		var away atomic.Bool
		ahead.Store(int64(time.Hour))
		c, err := NewServerClock(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) (time.Time, error) {
			if away.Load() {
				return time.Time{}, errors.New("away")
			}
			return time.Now().Add(time.Duration(ahead.Load())), nil
		})
		require.NoError(t, err)
		defer c.Close()
		isAhead := func(want time.Duration) { require.WithinDuration(t, time.Now().Add(want), c.Now(), 0) }
		isAhead(time.Hour)
		away.Store(true)
		time.Sleep(10 * clockEvery)
		synctest.Wait()
		isAhead(time.Hour)
		ahead.Store(int64(2 * time.Hour))
		away.Store(false)
		time.Sleep(clockEvery)
		synctest.Wait() // for the reading at this very moment
		isAhead(2 * time.Hour)
	})
}

// TestNowIsRightAfterASleep lets a machine sleep for an hour: its monotonic clock stands still, and
// its wall clock and the server's continue. Later calls of Now no longer ask the server.
func TestNowIsRightAfterASleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead, asked atomic.Int64
		db := new(DB)
		require.NoError(t, db.FollowServer(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) (time.Time, error) {
			asked.Add(1)
			return time.Now().Add(time.Duration(ahead.Load())), nil
		}))
		defer db.Server.Close()
		time.Sleep(clockEvery / 2)
		before := asked.Load()
		_, err := db.Now(t.Context())
		require.NoError(t, err)
		require.Equal(t, before, asked.Load(), "nothing has happened")

		const sleep = time.Hour
		ahead.Store(int64(sleep))
		db.Server.mu.Lock()
		db.Server.wall = db.Server.wall.Add(-sleep) // so the wall clock has continued by an hour more
		db.Server.mu.Unlock()
		for range 3 {
			now, err := db.Now(t.Context())
			require.NoError(t, err)
			require.WithinDuration(t, time.Now().Add(sleep), now, 0)
			require.Equal(t, before+1, asked.Load())
		}
	})
}

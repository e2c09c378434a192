package sqlstore

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestServerClockIsCorrectedNoMoreThanItIsKnown(t *testing.T) {
	t.Parallel()
	server := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const sent, received = 10 * time.Second, 10*time.Second + 40*time.Millisecond
	earliest, latest := server.Add(-received), server.Add(-sent)
	for name, c := range map[string]struct {
		before time.Time
		known  bool
		want   time.Time
	}{
		"the first reading is taken in the middle of the round trip": {time.Time{}, false, server.Add(-sent - 20*time.Millisecond)},
		"what agrees with the reading stays":                         {earliest.Add(time.Millisecond), true, earliest.Add(time.Millisecond)},
		"a clock that is behind goes as far as it must":              {earliest.Add(-time.Hour), true, earliest},
		"a clock that is ahead as well":                              {latest.Add(time.Hour), true, latest},
	} {
		require.True(t, c.want.Equal(corrected(c.before, c.known, server, sent, received)), name)
	}
}

// TestServerClockRunsOn takes the server away and moves its clock.
func TestServerClockRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64
		var away atomic.Bool
		ahead.Store(int64(time.Hour))
		c, err := newServerClock(t.Context(), quiet, func(context.Context) (time.Time, error) {
			if away.Load() {
				return time.Time{}, errors.New("away")
			}
			return time.Now().Add(time.Duration(ahead.Load())), nil
		})
		require.NoError(t, err)
		defer c.close()
		isAhead := func(want time.Duration) { require.WithinDuration(t, time.Now().Add(want), c.now(), 0) }
		isAhead(time.Hour)
		away.Store(true)
		time.Sleep(10 * clockEvery)
		synctest.Wait()
		isAhead(time.Hour)
		ahead.Store(int64(2 * time.Hour))
		away.Store(false)
		time.Sleep(clockEvery)
		synctest.Wait() // for the reading of this very moment
		isAhead(2 * time.Hour)
	})
}

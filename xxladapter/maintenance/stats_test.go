package maintenance

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A runCounter has runs to count, and fails the first call.
type runCounter struct {
	calls atomic.Int64
	left  int // used only on the caller's goroutine
}

func (c *runCounter) FoldStats(_ context.Context, limit int) (xxladapter.StatWork, error) {
	switch calls := c.calls.Add(1); {
	case calls == 1:
		return xxladapter.NoStatWork, errors.New("no connection")
	case c.left > limit:
		time.Sleep(time.Second) // in the bubble's own time: what a chunk takes
		c.left -= limit
		return xxladapter.MoreStatWork, nil
	case c.left > 0:
		c.left = 0
		return xxladapter.LaterStatWork, nil
	}
	return xxladapter.NoStatWork, nil
}

// TestABacklogIsCountedInChunksWithRests counts the calls of a backlog, of its end, and of a time
// without runs.
func TestABacklogIsCountedInChunksWithRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		store := &runCounter{left: 10*statChunk + 1}
		s := &Stats{Store: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		begin := time.Now()
		at := func(after time.Duration, calls int) {
			time.Sleep(time.Until(begin.Add(after))) // in the bubble's own time
			require.EqualValues(t, calls, store.calls.Load(), "after %v", after)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		at(statPace+time.Millisecond, 1)
		at(2*statPace+time.Millisecond, 2)
		const backlog = 2*statPace + 20*time.Second // ten chunks of a second and as many rests
		at(backlog-time.Millisecond, 11)
		at(backlog+time.Millisecond, 12)
		at(backlog+statPace+time.Millisecond, 13)
		at(backlog+statPace+statRest-time.Millisecond, 13)
		at(backlog+statPace+statRest+time.Millisecond, 14)
		stop()
		require.NoError(t, <-ended)
		require.Zero(t, store.left)
		require.Contains(t, logged.String(), "no connection")
	})
}

// TestAFireEndsARest checks that runs are counted within ten seconds after a fire.
func TestAFireEndsARest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fired atomic.Int64
		store := &runCounter{}
		store.calls.Store(1) // past its failure
		s := &Stats{Store: store, Fired: fired.Load, Logger: slog.New(slog.DiscardHandler)}
		go func() { assert.NoError(t, s.Run(t.Context())) }()
		time.Sleep(statPace + time.Millisecond) // in the bubble's own time, as below
		require.EqualValues(t, 2, store.calls.Load())
		time.Sleep(3 * statPace)
		require.EqualValues(t, 2, store.calls.Load(), "nothing has happened")
		fired.Add(1)
		time.Sleep(statPace)
		require.EqualValues(t, 3, store.calls.Load())
		time.Sleep(statRest - statPace)
		require.EqualValues(t, 3, store.calls.Load(), "a rest of its own")
		time.Sleep(statPace)
		require.EqualValues(t, 4, store.calls.Load(), "other nodes may have fired")
	})
}

// TestOldMisfiresGoWithTheLog has one old misfire more than a transaction deletes, and a young one.
func TestOldMisfiresGoWithTheLog(t *testing.T) {
	const old = auditChunk + 1
	for keep, left := range map[time.Duration]int{0: old + 1, -1: old + 1, time.Hour: 1, 48 * time.Hour: old + 1} {
		synctest.Test(t, func(t *testing.T) {
			b := newLogbook(t, xxladapter.Settings{})
			b.miss(old)
			time.Sleep(26 * time.Hour) // in the bubble's own time
			b.miss(1)
			r := &Retention{Store: b, Keep: keep, Logger: slog.New(slog.DiscardHandler)}
			runFor(t, retentionStart+time.Second, r.Run)
			misfires, err := b.Misfires(t.Context(), xxladapter.MisfireFilter{})
			require.NoError(t, err)
			require.Len(t, misfires, left, "%v", keep)
		})
	}
}

// TestOldStatisticsGoAtNight checks that they stay longer than the rows that they count.
func TestOldStatisticsGoAtNight(t *testing.T) {
	for keep, left := range map[time.Duration]int{0: 1, -1: 1, 24 * time.Hour: 0, 48 * time.Hour: 1} {
		synctest.Test(t, func(t *testing.T) {
			b := newLogbook(t, xxladapter.Settings{})
			b.run(xxladapter.ResultOK)
			time.Sleep(26 * time.Hour) // in the bubble's own time
			r := &Retention{Store: b, Keep: time.Hour, NoAlarms: true, KeepStats: keep, Logger: slog.New(slog.DiscardHandler)}
			for range 2 { // the first run deletes the row; the deletion counts it
				runFor(t, retentionStart+time.Second, r.Run)
			}
			require.Empty(t, b.rows())
			stats, err := b.Stats(t.Context(), xxladapter.StatFilter{From: time.Now().AddDate(0, 0, -7), To: time.Now(), By: xxladapter.StatByHour})
			require.NoError(t, err)
			require.Len(t, stats, left, "%v", keep)
		})
	}
}

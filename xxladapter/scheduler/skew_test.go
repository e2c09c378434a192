package scheduler

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestSkewIsWhatTheAskingCannotExplain(t *testing.T) {
	for _, tt := range []struct {
		before, after, store, want time.Duration
	}{
		{0, 0, 0, 0},
		{0, 30, 10, 0},
		{0, 30, 0, 0},
		{0, 30, 30, 0},
		{0, 30, -5, 5},
		{0, 30, 35, -5},
		{0, -10, -3, 0}, // set back while it asked
	} {
		at := func(ms time.Duration) time.Time { return noon.Add(ms * time.Millisecond) }
		require.Equal(t, tt.want*time.Millisecond, skewOf(at(tt.before), at(tt.after), at(tt.store)), "%+v", tt)
	}
}

// A movedWall is a wall clock that is ahead by off, in nanoseconds.
type movedWall struct{ off atomic.Int64 }

func (w *movedWall) now() time.Time { return time.Now().Add(time.Duration(w.off.Load())).Round(0) }

func TestANodeWhoseClockIsOffClaimsNothingUntilItIsBack(t *testing.T) {
	for _, off := range []time.Duration{-time.Hour, -3 * time.Second, 3 * time.Second, time.Hour} {
		inBubble(t, func(b *fixture) {
			start := time.Now()
			b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
			wall := new(movedWall)
			one := b.start("one", func(o *Options) { o.Wall = wall.now })
			two := b.start("two", nil)
			time.Sleep(5500 * time.Millisecond)
			require.False(t, one.Stats().Skewed)

			wall.off.Store(int64(off))
			time.Sleep(2 * leasePace)
			stats := one.Stats()
			require.True(t, stats.Skewed)
			require.Equal(t, off, stats.Skew)
			require.False(t, stats.Holds)
			require.Zero(t, one.Held())
			require.Equal(t, xxladapter.AllPartitions, two.Stats().Partitions, "its partitions are not left alone")
			leases, err := b.store.Leases(t.Context())
			require.NoError(t, err)
			require.Len(t, leases, 1, "it has given its lease back, so no list shows it")
			before := len(one.pool.fires())
			time.Sleep(10 * time.Second)
			require.Len(t, one.pool.fires(), before)

			wall.off.Store(int64(time.Second)) // within the limit
			time.Sleep(5 * time.Second)
			require.True(t, one.Stats().Holds)
			require.False(t, one.Stats().Skewed)
			require.Equal(t, time.Second, one.Stats().Skew)
			one.stop()
			two.stop()
			once(t, dues(t, one, two), start.Truncate(time.Second).Add(time.Second), 20)
		})
	}
}

// A stubborn line loses the first call of Resign.
type stubborn struct {
	*line
	lost atomic.Bool
}

func (s *stubborn) Resign(ctx context.Context, term xxladapter.Term) error {
	if !s.lost.Swap(true) {
		return errors.New("connection reset by peer")
	}
	return s.line.Resign(ctx, term)
}

// TestANodeWhoseClockIsBackPlansAgain loses the statement that ends the term of a node whose clock
// is off, and mends the clock before the lease lapses.
func TestANodeWhoseClockIsBackPlansAgain(t *testing.T) {
	inBubble(t, func(b *fixture) {
		wall := new(movedWall)
		one := b.start("one", func(o *Options) { o.Wall, o.Store = wall.now, &stubborn{line: o.Store.(*line)} })
		two := b.start("two", nil)
		time.Sleep(5500 * time.Millisecond)
		term, _ := one.Term()
		wall.off.Store(int64(time.Hour))
		time.Sleep(leasePace)
		require.False(t, one.Fit())
		leases, err := b.store.Leases(t.Context())
		require.NoError(t, err)
		require.Len(t, leases, 2, "its lease could not be given back")
		wall.off.Store(0)
		time.Sleep(3 * leasePace)
		again, holds := one.Term()
		require.True(t, holds)
		require.Greater(t, again.Number, term.Number)
		require.True(t, one.Fit())
		require.Equal(t, xxladapter.Partitions/2, one.Stats().Partitions.Len())
		require.Equal(t, xxladapter.Partitions/2, two.Stats().Partitions.Len())
	})
}

func TestANegativeSkewLimitAllowsAnyClock(t *testing.T) {
	inBubble(t, func(b *fixture) {
		wall := new(movedWall)
		wall.off.Store(int64(time.Hour))
		one := b.start("one", func(o *Options) { o.Wall, o.SkewLimit = wall.now, -1 })
		time.Sleep(time.Second)
		require.True(t, one.Stats().Holds)
		require.Equal(t, time.Hour, one.Stats().Skew)
		one.stop()
	})
}

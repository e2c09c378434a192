package scheduler

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestWhatWasKnownOfTheStoresClockStaysWhileItAgrees(t *testing.T) {
	const took = 30 * time.Millisecond
	for _, c := range []struct {
		name string
		seen time.Duration // against the time that was known
		want time.Duration
	}{
		{"read at the end of the call", 0, 0},
		{"read in the middle of it", -took / 2, 0},
		{"read at its start", -took, 0},
		{"set forward", time.Millisecond, time.Millisecond},
		{"set back", -took - time.Millisecond, -took - time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := new(storeClock)
			clock.seen(time.Now().Add(time.Hour), time.Now())
			time.Sleep(time.Second)
			asked := time.Now()
			time.Sleep(took)
			known := clock.now()
			require.Equal(t, time.Now().Add(time.Hour).UnixNano(), known.UnixNano(), c.name)
			clock.seen(known.Add(c.seen), asked)
			require.Equal(t, c.want, clock.now().Sub(known), c.name)
			time.Sleep(time.Second)
			require.Equal(t, c.want+time.Second, clock.now().Sub(known), c.name)
		})
	}
}

// A slowClaim reads its clock long before it locks the jobs.
type slowClaim struct{ *memstore.Store }

func (s slowClaim) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	const locking = 40 * time.Millisecond
	time.Sleep(locking) // before the call, which locks the whole store in memory
	return s.Store.ClaimDue(ctx, by, ahead, limit, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		return decide(now.Add(-locking), due)
	})
}

// TestAClaimThatTakesLongMakesNoFireLate checks that fires are armed by the present time and not by
// the time that the claim read.
func TestAClaimThatTakesLongMakesNoFireLate(t *testing.T) {
	inBubble(t, func(b *fixture) {
		sched, err := New(Options{
			Store: slowClaim{b.store}, Pool: b.pool, Node: "node-1", Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		b.sched, b.pool.term = sched, sched.Term
		b.addJob(xxladapter.ScheduleFixRate, "1", 7*time.Second)
		b.run(20 * time.Second)
		fires := b.pool.fires()
		require.NotEmpty(t, fires)
		for _, f := range fires {
			require.False(t, f.at.Before(f.fire.Due), "early")
			require.LessOrEqual(t, f.at.Sub(f.fire.Due), ringLate)
		}
	})
}

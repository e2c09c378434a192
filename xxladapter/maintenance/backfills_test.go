package maintenance

import (
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

// crashing is a store that ends its process after a number of advances: the store has accepted the
// last one, and the caller never learns it.
type crashing struct {
	*memstore.Store
	left int
	die  context.CancelFunc
}

func (c *crashing) AdvanceBackfill(ctx context.Context, b *xxladapter.Backfill) ([]xxladapter.Fire, error) {
	planned, err := c.Store.AdvanceBackfill(ctx, b)
	if c.left--; c.left == 0 {
		c.die()
		return nil, context.Canceled
	}
	return planned, err
}

// TestABackfillGoesThroughNodesThatDie lets one node after the other begin a part of a backfill and
// die between the store's commit and its answer, while an executor runs what is planned: each due
// time runs exactly once, and never more of them at once than the limit.
func TestABackfillGoesThroughNodesThatDie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, job := withJob(t)
		var dues []time.Time
		for i := range 40 {
			dues = append(dues, time.Now().Add(-time.Duration(i+1)*time.Hour).Truncate(time.Millisecond).UTC())
		}
		b := &xxladapter.Backfill{JobID: job, Dues: dues}
		b.Parallel = 3
		id, err := store.CreateBackfill(t.Context(), b)
		require.NoError(t, err)
		lease, err := store.Lease(t.Context(), "executor", 24*time.Hour)
		require.NoError(t, err)
		logger := slog.New(slog.DiscardHandler)

		var ran []time.Time
		most := 0
		execute := func() { // runs everything that is planned
			open, err := store.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			most = max(most, len(open))
			for _, f := range open {
				claimed, err := store.ClaimFire(t.Context(), lease.Term, f.ID, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
				require.NoError(t, err)
				ran = append(ran, f.Due)
				code := xxladapter.ResultOK
				if len(ran)%4 == 0 {
					code = xxladapter.ResultFail
				}
				_, _, err = store.FinishRun(t.Context(), xxladapter.RunResult{LogID: claimed[0].LogID, Code: code})
				require.NoError(t, err)
			}
		}
		for range 100 {
			ctx, die := context.WithCancel(t.Context())
			node := NewBackfills(&crashing{store, 2, die}, func([]xxladapter.Fire) {}, isFit, logger)
			ended := make(chan error, 1)
			go func() { ended <- node.Run(ctx) }()
			for range 3 {
				time.Sleep(2 * time.Second) // in the bubble's own time
				execute()
			}
			die()
			require.NoError(t, <-ended)
		}
		is, err := store.Backfill(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, xxladapter.BackfillDone, is.State)
		require.Equal(t, 30, is.Succeeded)
		require.Equal(t, 10, is.Failed)
		require.Zero(t, is.Dropped)
		require.ElementsMatch(t, dues, ran)
		require.LessOrEqual(t, most, 3)
	})
}

func isFit() bool { return true }

// unlisted is a store that refuses to list backfills a number of times.
type unlisted struct {
	*memstore.Store
	left int
}

func (u *unlisted) Backfills(ctx context.Context, f xxladapter.BackfillFilter) ([]*xxladapter.Backfill, error) {
	if u.left > 0 {
		u.left--
		return nil, errors.New("the store is away")
	}
	return u.Store.Backfills(ctx, f)
}

// TestABackfillDoesNotWaitAfterAFailedPoll checks that a backfill begins soon though the store
// refuses the first polls.
func TestABackfillDoesNotWaitAfterAFailedPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, job := withJob(t)
		b := &xxladapter.Backfill{JobID: job, Dues: []time.Time{time.Now().Add(-time.Hour)}}
		b.Parallel = 1
		id, err := store.CreateBackfill(t.Context(), b)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		node := NewBackfills(&unlisted{store, 2}, func([]xxladapter.Fire) {}, isFit, slog.New(slog.DiscardHandler))
		ended := make(chan error, 1)
		go func() { ended <- node.Run(ctx) }()
		time.Sleep(2*backfillRetry + time.Second) // in the bubble's own time
		is, err := store.Backfill(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, 1, is.Planned)
		stop()
		require.NoError(t, <-ended)
	})
}

// TestADrainedNodeLeavesBackfillsToOthers checks that a node that may not plan begins a backfill,
// hands nothing out, and plans nothing more. A fit one continues.
func TestADrainedNodeLeavesBackfillsToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, job := withJob(t)
		b := &xxladapter.Backfill{JobID: job}
		for i := range 3 {
			b.Dues = append(b.Dues, time.Now().Add(-time.Duration(i+1)*time.Hour))
		}
		b.Parallel = 1
		id, err := store.CreateBackfill(t.Context(), b)
		require.NoError(t, err)
		lease, err := store.Lease(t.Context(), "n", 24*time.Hour)
		require.NoError(t, err)
		settle := func() {
			open, err := store.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			require.Len(t, open, 1)
			_, err = store.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{FireID: open[0].ID})
			require.NoError(t, err)
		}
		fit, handedOut := false, 0
		node := NewBackfills(store, func([]xxladapter.Fire) { handedOut++ }, func() bool { return fit }, slog.New(slog.DiscardHandler))
		planned := func() int {
			running, err := node.poll(t.Context())
			require.NoError(t, err)
			require.True(t, running)
			is, err := store.Backfill(t.Context(), id)
			require.NoError(t, err)
			return is.Planned
		}
		require.Equal(t, 1, planned(), "others may not know of it")
		settle()
		require.Equal(t, 1, planned())
		require.Zero(t, handedOut)
		fit = true
		require.Equal(t, 2, planned())
		require.Equal(t, 1, handedOut)
	})
}

// TestARemovedRunIsDropped checks that a due time counts as dropped if its fire is gone and has
// left no run.
func TestARemovedRunIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, job := withJob(t)
		b := &xxladapter.Backfill{JobID: job, Dues: []time.Time{time.Now().Add(-time.Hour)}}
		b.Parallel = 1
		id, err := store.CreateBackfill(t.Context(), b)
		require.NoError(t, err)
		lease, err := store.Lease(t.Context(), "n", 24*time.Hour)
		require.NoError(t, err)
		var planned []xxladapter.Fire
		node := NewBackfills(store, func(fires []xxladapter.Fire) { planned = append(planned, fires...) }, isFit, slog.New(slog.DiscardHandler))
		running, err := node.poll(t.Context())
		require.NoError(t, err)
		require.True(t, running)
		require.Len(t, planned, 1)
		_, err = store.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{FireID: planned[0].ID})
		require.NoError(t, err)
		_, err = node.poll(t.Context())
		require.NoError(t, err)
		is, err := store.Backfill(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, xxladapter.BackfillDone, is.State)
		require.Equal(t, 1, is.Dropped)
		running, err = node.poll(t.Context())
		require.NoError(t, err)
		require.False(t, running)
	})
}

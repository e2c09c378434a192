package records

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// queries reads rows that say when their query began, one second each.
type queries struct {
	mu  sync.Mutex
	ids [][]int64
}

func (q *queries) read(_ context.Context, ids []int64) (map[int64]*time.Time, error) {
	q.mu.Lock()
	q.ids = append(q.ids, ids)
	q.mu.Unlock()
	began := time.Now()
	time.Sleep(time.Second)
	found := map[int64]*time.Time{}
	for _, id := range ids {
		if id > 0 {
			found[id] = &began
		}
	}
	return found, nil
}

func (q *queries) made() [][]int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.ids)
}

func TestCallsShareTheNextRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			shared sharedReads[time.Time]
			reads  queries
		)
		get := func(id int64) {
			came := time.Now()
			began, err := shared.get(t.Context(), id, reads.read)
			if err != nil || began == nil || began.Before(came) {
				t.Errorf("call for %d at %v: read at %v, %v", id, came, began, err)
			}
		}
		go get(9)
		synctest.Wait()
		time.Sleep(time.Millisecond) // the query has begun
		for _, id := range []int64{3, 1, 9, 3} {
			go get(id)
		}
		synctest.Wait()
		require.Equal(t, [][]int64{{9}}, reads.made())
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, [][]int64{{9}, {1, 3, 9}}, reads.made())
		time.Sleep(time.Second)
		shared.wait()

		get(5)
		require.Equal(t, [][]int64{{9}, {1, 3, 9}, {5}}, reads.made(), "after nobody had waited")
		none, err := shared.get(t.Context(), -1, reads.read)
		require.NoError(t, err)
		require.Nil(t, none)
	})
}

func TestACallerMayLeaveASharedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			shared sharedReads[time.Time]
			reads  queries
			others sync.WaitGroup
		)
		get := func(id int64) {
			others.Go(func() {
				if began, err := shared.get(t.Context(), id, reads.read); err != nil || began == nil {
					t.Errorf("read at %v, %v", began, err)
				}
			})
			synctest.Wait()
		}
		get(1)
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		others.Go(func() {
			time.Sleep(time.Millisecond)
			get(3)
		})
		_, err := shared.get(ctx, 2, reads.read)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		others.Wait()
		require.Equal(t, [][]int64{{1}, {2, 3}}, reads.made(), "the one that left took its query along")
	})
}

func TestALoneCallerReadsByItsOwnContext(t *testing.T) {
	var shared sharedReads[time.Time]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := shared.get(ctx, 1, func(ctx context.Context, _ []int64) (map[int64]*time.Time, error) { return nil, ctx.Err() })
	require.ErrorIs(t, err, context.Canceled)
}

func TestASharedReadFailsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			shared  sharedReads[time.Time]
			callers sync.WaitGroup
			broken  = errors.New("broken")
		)
		for range 3 {
			callers.Go(func() {
				_, err := shared.get(t.Context(), 1, func(context.Context, []int64) (map[int64]*time.Time, error) {
					time.Sleep(time.Second)
					return nil, broken
				})
				if !errors.Is(err, broken) {
					t.Errorf("got %v", err)
				}
			})
		}
		callers.Wait()
		shared.wait()
	})
}

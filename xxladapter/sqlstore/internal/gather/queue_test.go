package gather

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A record lists the batches that a queue of numbers has run. Each batch takes a second.
type record struct {
	mu      sync.Mutex
	batches [][]int
}

func (r *record) run(batch []int) {
	r.mu.Lock()
	r.batches = append(r.batches, slices.Clone(batch))
	r.mu.Unlock()
	time.Sleep(time.Second) // in a bubble
}

func (r *record) all() [][]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.batches)
}

// enqueue makes the calls one after the other, each without waiting for its answer.
func enqueue(ctx context.Context, q *Queue[int], calls ...int) (errs []chan error) {
	for _, call := range calls {
		err := make(chan error, 1)
		go func() { err <- q.Do(ctx, call) }()
		synctest.Wait()
		errs = append(errs, err)
	}
	return errs
}

func TestCallsShareTheNextBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		q := &Queue[int]{Run: r.run}
		began := time.Now()
		errs := enqueue(t.Context(), q, 1, 2, 3)
		waiting, running := q.Load()
		require.Equal(t, 2, waiting)
		require.True(t, running)
		for _, err := range errs {
			require.NoError(t, <-err)
		}
		require.Equal(t, 2*time.Second, time.Since(began))
		require.NoError(t, q.Do(t.Context(), 4))
		require.Equal(t, [][]int{{1}, {2, 3}, {4}}, r.all())
		q.Wait()
		waiting, running = q.Load()
		require.Zero(t, waiting)
		require.False(t, running)
	})
}

// TestACallMayBeLeft leaves one call while it waits and one while its batch runs.
func TestACallMayBeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, stay := range []bool{false, true} {
			var r record
			q := &Queue[int]{Run: r.run, Stay: stay}
			began := time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			runs := enqueue(ctx, q, 1)[0]
			waits := enqueue(ctx, q, 2)[0]
			stays := enqueue(t.Context(), q, 3)[0]
			cancel()
			err := <-waits
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, ErrRunning)
			require.Zero(t, time.Since(began))
			err = <-runs
			if stay {
				require.NoError(t, err)
				require.Equal(t, time.Second, time.Since(began))
			} else {
				require.ErrorIs(t, err, context.Canceled)
				require.ErrorIs(t, err, ErrRunning)
				require.Zero(t, time.Since(began))
			}
			require.NoError(t, <-stays)
			require.Equal(t, [][]int{{1}, {3}}, r.all(), "what was left while it waited never runs")
		}
	})
}

func TestWaitIsForCallsThatWereLeftToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		q := &Queue[int]{Run: r.run}
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		left := enqueue(ctx, q, 1)[0]
		cancel()
		require.ErrorIs(t, <-left, ErrRunning)
		q.Wait()
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestABatchHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		q := &Queue[int]{Run: r.run, Limit: 2}
		enqueue(t.Context(), q, 1, 2, 3, 4, 5, 6)
		q.Wait()
		require.Equal(t, [][]int{{1}, {2, 3}, {4, 5}, {6}}, r.all())
	})
}

// TestRefusedCallsAreTheNextBatch admits numbers up to a sum of 10 to each batch.
func TestRefusedCallsAreTheNextBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		q := &Queue[int]{Run: r.run, Admit: func() func(int) bool {
			sum := 0
			return func(call int) bool {
				if sum+call > 10 {
					return false
				}
				sum += call
				return true
			}
		}}
		enqueue(t.Context(), q, 1, 50, 6, 5, 4, 60)
		q.Wait()
		require.Equal(t, [][]int{{1}, {50, 6, 4}, {5}, {60}}, r.all(), "the first of a batch joins in any case")
	})
}

// TestACallThatMeetsNoOtherRunsForItself checks the context and the goroutine of a lone call.
func TestACallThatMeetsNoOtherRunsForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		var alone []int
		q := &Queue[int]{Run: r.run, Alone: func(ctx context.Context, call int) {
			require.Equal(t, "mine", ctx.Value(&r))
			alone = append(alone, call)
			time.Sleep(time.Second)
			if call < 0 {
				panic("below zero")
			}
		}}
		mine := context.WithValue(t.Context(), &r, "mine")
		errs := enqueue(mine, q, 1, 2, 3)
		for _, err := range errs {
			require.NoError(t, <-err)
		}
		q.Wait()
		require.Panics(t, func() { _ = q.Do(mine, -1) })
		require.NoError(t, q.Do(mine, 4), "after the panic")
		require.Equal(t, []int{1, -1, 4}, alone)
		require.Equal(t, [][]int{{2, 3}}, r.all())
	})
}

// TestAQueueRestsForMoreCalls makes a queue rest after batches of at least two, for as long as they
// took.
func TestAQueueRestsForMoreCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		q := &Queue[int]{Run: r.run, Rest: func(batch []int, took time.Duration) time.Duration {
			if len(batch) < 2 {
				return 0
			}
			return took
		}}
		began := time.Now()
		errs := enqueue(t.Context(), q, 1, 2, 3)
		require.NoError(t, <-errs[2])
		require.Equal(t, 2*time.Second, time.Since(began), "the rest holds up no answer")
		enqueue(t.Context(), q, 4)
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, [][]int{{1}, {2, 3}}, r.all())
		enqueue(t.Context(), q, 5)
		q.Wait()
		require.Equal(t, [][]int{{1}, {2, 3}, {4, 5}}, r.all())
	})
}

// TestEveryCallRunsOnceOrNever has many callers, some of whom leave.
func TestEveryCallRunsOnceOrNever(t *testing.T) {
	type call struct{ runs atomic.Int32 }
	var batches atomic.Int32
	q := &Queue[*call]{Limit: 8, Run: func(batch []*call) {
		batches.Add(1)
		for _, c := range batch {
			c.runs.Add(1)
		}
	}}
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for range 500 {
				var c call
				ctx, cancel := context.WithCancel(t.Context())
				if rand.IntN(4) == 0 {
					go cancel()
				}
				err := q.Do(ctx, &c)
				if runs := c.runs.Load(); runs > 1 || err == nil && runs != 1 {
					t.Errorf("run %d times, answered with %v", runs, err)
				}
				cancel()
			}
		})
	}
	callers.Wait()
	q.Wait()
	require.Positive(t, batches.Load())
}

// TestSeveralCallsOfOneCallerShareABatch makes three calls at once. The limit leaves one of them to
// the next batch.
func TestSeveralCallsOfOneCallerShareABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		q := &Queue[int]{Run: r.run, Limit: 2}
		began := time.Now()
		require.NoError(t, q.DoAll(t.Context(), []int{1, 2, 3}))
		require.Equal(t, 2*time.Second, time.Since(began))
		require.NoError(t, q.DoAll(t.Context(), nil))
		require.Equal(t, [][]int{{1, 2}, {3}}, r.all())

		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		err := q.DoAll(ctx, []int{4, 5, 6})
		require.ErrorIs(t, err, ErrRunning, "the first two may have run")
		q.Wait()
		require.Equal(t, [][]int{{1, 2}, {3}, {4, 5}}, r.all())
	})
}

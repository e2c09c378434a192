package records

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// batchesOf returns a queue that records its batches; each call is "s" or "f" for a settlement or a
// result. Each batch ends with again and err.
func batchesOf(batches *[]string, again bool, err error) *fireQueue {
	return NewFireQueue(func(_ context.Context, batch []*FireCall) (bool, error) {
		var kinds string
		for _, c := range batch {
			if c.Settle != nil {
				kinds += "s"
			} else {
				kinds += "f"
			}
		}
		*batches = append(*batches, kinds)
		return again, err
	})
}

func settlement(log int64) *FireCall {
	return &FireCall{FireID: log, LogID: log, Settle: &xxladapter.Settlement{FireID: log, LogID: log, Code: xxladapter.ResultOK, AwaitResult: true}}
}

func result(log int64) *FireCall {
	return &FireCall{LogID: log, Finish: &xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK}}
}

func TestASettlementWaitsForItsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []string
		q := batchesOf(&batches, false, nil)
		settled := make(chan error)
		begun := time.Now()
		go func() { settled <- q.settle(t.Context(), settlement(7)) }()
		synctest.Wait()
		require.NoError(t, q.finish(t.Context(), result(8)), "of another run")
		time.Sleep(time.Millisecond) // in the bubble
		require.NoError(t, q.finish(t.Context(), result(7)))
		require.NoError(t, <-settled)
		require.Equal(t, []string{"f", "fs"}, batches)
		require.Equal(t, time.Millisecond, time.Since(begun))

		begun = time.Now()
		require.NoError(t, q.settle(t.Context(), settlement(9)))
		require.Equal(t, settleHold, time.Since(begun), "no result comes")
		require.NoError(t, q.finish(t.Context(), result(9)))
		require.Equal(t, []string{"f", "fs", "s", "f"}, batches)
		q.Close()
	})
}

// Only a success that the caller lets wait is held back.
func TestOtherSettlementsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches []string
		q := batchesOf(&batches, false, nil)
		begun := time.Now()
		for _, change := range []func(*xxladapter.Settlement){
			func(s *xxladapter.Settlement) { s.AwaitResult = false },
			func(s *xxladapter.Settlement) { s.Code = xxladapter.ResultFail },
			func(s *xxladapter.Settlement) { s.State = xxladapter.FireAmbiguous },
		} {
			c := settlement(7)
			change(c.Settle)
			require.NoError(t, q.settle(t.Context(), c))
		}
		require.Equal(t, begun, time.Now())
		require.Len(t, batches, 3)
		q.Close()
	})
}

// Whatever becomes of the result's call, the settlement's call ends and is made once.
func TestASettlementOutlivesItsResultsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, goOn := make(chan int), make(chan struct{})
		q := NewFireQueue(func(_ context.Context, batch []*FireCall) (bool, error) {
			begun <- len(batch)
			<-goOn
			return false, nil
		})
		settle := func(ctx context.Context, log int64) chan error {
			ended := make(chan error, 1)
			go func() { ended <- q.settle(ctx, settlement(log)) }()
			synctest.Wait()
			return ended
		}
		other := make(chan error, 1)
		go func() { other <- q.finish(t.Context(), result(1)) }()
		require.Equal(t, 1, <-begun)

		settled := settle(t.Context(), 7)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- q.finish(ctx, result(7)) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		require.ErrorIs(t, <-settled, ErrAlone, "the result's call has left before its batch")

		gone, leave := context.WithCancel(t.Context())
		settled = settle(gone, 8)
		go func() { left <- q.finish(t.Context(), result(8)) }()
		synctest.Wait()
		leave() // too late
		goOn <- struct{}{}
		require.NoError(t, <-other)
		require.Equal(t, 2, <-begun)
		goOn <- struct{}{}
		require.NoError(t, <-left)
		require.NoError(t, <-settled)

		gone, leave = context.WithCancel(t.Context())
		settled = settle(gone, 9)
		leave() // in time
		require.ErrorIs(t, <-settled, context.Canceled)
		q.Close()
	})
}

func TestAFailedBatchFailsItsSettlements(t *testing.T) {
	broken := errors.New("broken")
	for again, want := range map[bool]error{true: ErrAlone, false: broken} {
		synctest.Test(t, func(t *testing.T) {
			var batches []string
			q := batchesOf(&batches, again, broken)
			settled := make(chan error)
			go func() { settled <- q.settle(t.Context(), settlement(7)) }()
			synctest.Wait()
			require.ErrorIs(t, q.finish(t.Context(), result(7)), want)
			require.ErrorIs(t, <-settled, want)
			q.Close()
		})
	}
}

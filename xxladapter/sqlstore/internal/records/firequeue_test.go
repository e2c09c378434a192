package records

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestWhoLeavesABatchIsInDoubt cancels one call before its batch starts, so that it has no effect,
// and one while its batch runs, so that its outcome is in doubt.
func TestWhoLeavesABatchIsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, goOn := make(chan int), make(chan struct{})
		q := NewFireQueue(func(_ context.Context, batch []*FireCall) (bool, error) {
			begun <- len(batch)
			<-goOn
			return false, nil
		})
		call := func() (cancel func(), ended chan error) {
			ctx, cancel := context.WithCancel(t.Context())
			ended = make(chan error, 1)
			go func() { ended <- q.call(ctx, &FireCall{Finish: &xxladapter.RunResult{}}) }()
			synctest.Wait()
			return cancel, ended
		}
		leaves, left := call()
		<-begun
		waits, waited := call()
		stays, stayed := call()
		waits()
		err := <-waited
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, xxladapter.ErrInDoubt)
		leaves()
		err = <-left
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, xxladapter.ErrInDoubt)
		goOn <- struct{}{}
		require.Equal(t, 1, <-begun, "without the one that left")
		goOn <- struct{}{}
		require.NoError(t, <-stayed)
		stays()
		q.Close()
	})
}

package memstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// A scheduling is a store without the half that manages.
type scheduling struct{ xxladapter.SchedulingStore }

// TestSchedulingStore checks that the cases of scheduling need no more than their half of a store.
func TestSchedulingStore(t *testing.T) {
	storetest.RunScheduling(t, func(_ *testing.T, clock func() time.Time) xxladapter.SchedulingStore {
		return scheduling{memstore.New(clock)}
	})
}

func TestALeaseWithoutANodeOrALife(t *testing.T) {
	store := memstore.New(time.Now)
	_, err := store.Lease(t.Context(), "", time.Second)
	require.EqualError(t, err, `memstore: node is "" and life 1s, must be set and at least 1ms`)
	_, err = store.Lease(t.Context(), "n1", time.Microsecond)
	require.EqualError(t, err, `memstore: node is "n1" and life 1µs, must be set and at least 1ms`)
}

// Goroutines that still wait at the end of the bubble fail the test.
func TestCloseEndsThePresences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(nil)
		term := xxladapter.Term{Node: "n1", Number: 1}
		ended := make(chan error, 3)
		for range 2 { // one holds it, and one waits for it
			go func() { ended <- store.HoldPresence(context.Background(), term) }()
		}
		synctest.Wait()
		go func() {
			_, err := store.AwaitAbsence(context.Background(), term)
			ended <- err
		}()
		synctest.Wait()
		require.NoError(t, store.Close())
		require.NoError(t, store.Close())
		for range 3 {
			require.EqualError(t, <-ended, "memstore: closed")
		}
	})
}

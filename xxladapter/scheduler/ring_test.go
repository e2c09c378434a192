package scheduler

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestTheRingWaitsOutAClockThatWasSetBack: the wheel counts monotonic time, the
// due time is the store's.
func TestTheRingWaitsOutAClockThatWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(storeClock)
		fired := make(chan time.Time, 10)
		r, err := newRing(clock, func(_ xxladapter.Fire, done func()) bool {
			fired <- clock.now()
			done()
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		due := time.Now().Add(2 * time.Second)
		require.NoError(t, r.arm(xxladapter.Fire{ID: 1, Due: due}))

		time.Sleep(time.Second)
		clock.seen(time.Now().Add(-10 * time.Second))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Empty(t, fired, "a second remains by the clock that was set back")
		time.Sleep(time.Second + 2*ringTick)
		synctest.Wait()
		require.Len(t, fired, 1)
		require.False(t, (<-fired).Before(due))
		require.Zero(t, r.len())
	})
}

func TestTheRingHoldsAFireOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(storeClock)
		fired := make(chan int64, 10)
		r, err := newRing(clock, func(f xxladapter.Fire, done func()) bool {
			fired <- f.ID
			done()
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		f := xxladapter.Fire{ID: 1, Due: time.Now().Add(time.Second)}
		require.NoError(t, r.arm(f))
		require.NoError(t, r.arm(f))
		require.Equal(t, 1, r.len())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Len(t, fired, 1)
	})
}

package hashedwheel

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// newTestTimer returns a timer that the test stops at its end.
func newTestTimer(t *testing.T, opts Options) *HashedWheelTimer {
	t.Helper()
	w, err := New(opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := w.Stop()
		require.NoError(t, err)
	})
	return w
}

func TestTimeoutNeverFiresEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		var fired atomic.Bool
		_, err := w.NewTimeout(TaskFunc(func(*Timeout) { fired.Store(true) }), 95*time.Millisecond)
		require.NoError(t, err)

		time.Sleep(100*time.Millisecond - time.Nanosecond) // past the deadline, inside its tick
		synctest.Wait()
		require.False(t, fired.Load(), "fired before the tick that holds the deadline ended")

		time.Sleep(time.Nanosecond) // the tick boundary
		synctest.Wait()
		require.True(t, fired.Load(), "not fired at the end of the tick that holds the deadline")
	})
}

func TestEveryKeepsItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		start := time.Now()
		var at []time.Duration
		p := w.Every(7*time.Second/3, func() { at = append(at, time.Since(start)) })
		time.Sleep(time.Hour)
		require.True(t, p.Cancel())
		synctest.Wait()
		require.InDelta(t, 1542, len(at), 1)
		for i, d := range at {
			late := d - time.Duration(i+1)*(7*time.Second/3)
			require.GreaterOrEqual(t, late, time.Duration(0))
			require.Less(t, late, time.Millisecond)
		}
	})
}

package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Stop may cancel a task whose Cancelled method calls Stop, too, such as a connection that shuts
// down its server.
func TestStopInsideCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := New(Options{})
		require.NoError(t, err)
		told := 0
		stop := func() {
			unprocessed, err := w.Stop()
			require.NoError(t, err)
			require.Empty(t, unprocessed)
		}
		mustNew(t, w, tellFunc(func(*Timeout) { told++; stop() }), time.Hour)
		mustNew(t, w, tellFunc(func(*Timeout) { // waits for another goroutine that stops
			told++
			done := make(chan struct{})
			go func() { stop(); close(done) }()
			<-done
		}), time.Hour)
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		require.Len(t, unprocessed, 2)
		require.Equal(t, 2, told)
	})
}

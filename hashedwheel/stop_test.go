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

// While Stop waits for a task, what was pending still is, and Reset says so.
func TestResetWhileStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := New(Options{})
		require.NoError(t, err)
		ran := 0
		w.AfterFunc(0, func() { time.Sleep(time.Hour) })
		pending := []*Timeout{w.AfterFunc(2*time.Hour, func() { ran++ }), w.Every(2*time.Hour, func() { ran++ })}
		over := w.AfterFunc(2*time.Hour, func() { ran++ })
		time.Sleep(time.Minute)
		over.Cancel()
		stopped := make(chan []*Timeout)
		go func() {
			unprocessed, err := w.Stop()
			require.NoError(t, err)
			stopped <- unprocessed
		}()
		synctest.Wait()
		for _, x := range pending {
			require.True(t, x.Reset(time.Minute))
			require.False(t, x.IsCancelled())
		}
		require.False(t, over.Reset(time.Minute))
		require.True(t, over.IsCancelled())
		require.ElementsMatch(t, pending, <-stopped)
		for _, x := range pending {
			require.True(t, x.IsCancelled())
			require.False(t, x.Reset(time.Minute))
		}
		time.Sleep(24 * time.Hour)
		require.Zero(t, ran)
	})
}

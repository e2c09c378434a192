package command

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWorkThatTakesLongSaysHowLong(t *testing.T) {
	failure := errors.New("no")
	for took, want := range map[time.Duration]string{
		900 * time.Millisecond:  "",
		2500 * time.Millisecond: "\rapplying, 1s\x1b[K\rapplying, 2s\x1b[K\r\x1b[K",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			err := Waiting(&out, true, Doing("applying"), func() error { time.Sleep(took); return failure })
			require.ErrorIs(t, err, failure)
			require.Equal(t, want, out.String())
			require.NoError(t, Waiting(&out, false, Doing("applying"), func() error { time.Sleep(time.Hour); return nil }))
			require.Equal(t, want, out.String(), "not a terminal")
		})
	}
}

func TestWaitingShowsWhatIsDoneNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		var step atomic.Value
		step.Store("first")
		require.NoError(t, Waiting(&out, true, func() string { return step.Load().(string) }, func() error {
			time.Sleep(1500 * time.Millisecond)
			step.Store("second")
			time.Sleep(time.Second)
			return nil
		}))
		require.Equal(t, "\rfirst, 1s\x1b[K\rsecond, 2s\x1b[K\r\x1b[K", out.String())
	})
}

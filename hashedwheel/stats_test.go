package hashedwheel

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLatenessSharesTheClock checks that fires share a reading of the clock while they follow each
// other within clockSpan, and that each has its own while they do not.
func TestLatenessSharesTheClock(t *testing.T) {
	var l lateness
	now := int64(clockSpan)
	for range 20 {
		l.sample(now)
		now += clockSpan / 2
	}
	require.Equal(t, clockEvery, l.left)
	for range 20 {
		l.sample(now)
		now += clockSpan
	}
	require.Equal(t, 1, l.left)
}

// TestASparseLogWritesALineInAPause checks that lines within logPause are counted and left out,
// unless the clock was set back.
func TestASparseLogWritesALineInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		l := sparseLog{logger: slog.New(slog.NewTextHandler(&written, nil))}
		expect := func(lines ...string) {
			t.Helper()
			l.warn("often")
			require.Equal(t, len(lines), strings.Count(written.String(), "often"))
			for _, line := range lines {
				require.Contains(t, written.String(), line)
			}
			written.Reset()
		}
		expect("left_out=0")
		time.Sleep(logPause - 1) // in the bubble's own time
		expect()
		time.Sleep(time.Nanosecond)
		expect("left_out=1")
		l.last.Store(time.Now().Add(time.Hour).UnixNano()) // as after a clock was set back
		expect("left_out=0")
		expect()
	})
}

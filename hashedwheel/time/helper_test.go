package time_test

import (
	"log/slog"
	"runtime"
	"testing"
	standard "time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// The package comment tells users of goleak to do the same.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/xxlwheel/xxlwheel/hashedwheel.(*worker).work"))
}

// quiet is the logger of the tests' wheels. It discards all lines.
var quiet = slog.New(slog.DiscardHandler)

// on returns a Clock on a wheel of the test's own, which ends with the test.
func on(t testing.TB, opts hashedwheel.Options) (time.Clock, *hashedwheel.HashedWheelTimer) {
	t.Helper()
	if opts.TickDuration == 0 {
		opts.TickDuration = time.Millisecond
	}
	opts.Logger = quiet
	w, err := hashedwheel.New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = w.Stop() })
	return time.On(w), w
}

// procs runs test with 1, 2 and 8 processors for goroutines.
func procs(t *testing.T, test func(t *testing.T)) {
	for _, n := range []int{1, 2, 8} {
		t.Run("procs="+string(rune('0'+n)), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			test(t)
		})
	}
}

// received returns the time in c and whether there was one.
func received(c <-chan standard.Time) (standard.Time, bool) {
	select {
	case at := <-c:
		return at, true
	default:
		return standard.Time{}, false
	}
}

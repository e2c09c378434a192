package node_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// Not in parallel: these settings are the process's.
func TestTune(t *testing.T) {
	procs, percent, limit := runtime.GOMAXPROCS(0), debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
	})

	t.Setenv("GOMAXPROCS", "1")
	t.Setenv("GOGC", "100")
	t.Setenv("GOMEMLIMIT", "")
	node.Tune()
	require.Equal(t, procs, runtime.GOMAXPROCS(0), "the environment has the last word")
	require.Equal(t, 100, debug.SetGCPercent(100))
	require.Equal(t, limit, debug.SetMemoryLimit(-1), "a GOGC of the environment is not undone by a limit")

	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "1GiB")
	node.Tune()
	require.Equal(t, 400, debug.SetGCPercent(100))
	require.Equal(t, limit, debug.SetMemoryLimit(-1), "the environment has the last word")

	t.Setenv("GOMAXPROCS", "")
	t.Setenv("GOMEMLIMIT", "")
	node.Tune()
	require.Equal(t, procs+2, runtime.GOMAXPROCS(0))
	require.Equal(t, 400, debug.SetGCPercent(100))

	const mib = 1 << 20
	// Each collection adjusts the limit a moment after its end, and tests before this one may have
	// left much.
	becomes := func(why string, ok func(limit int64) bool) {
		require.Eventually(t, func() bool {
			runtime.GC()
			return ok(debug.SetMemoryLimit(-1))
		}, time.Minute, time.Millisecond, why)
	}
	least := func(limit int64) bool { return limit == 112*mib }
	becomes("a small heap", least)
	large := make([]byte, 100*mib)
	becomes("a large heap may double", func(limit int64) bool { return limit >= 2*int64(len(large)) })
	runtime.KeepAlive(large)
	becomes("and the limit falls with it", least)
}

package node_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// Not in parallel: these settings are the process's.
func TestTune(t *testing.T) {
	procs, percent := runtime.GOMAXPROCS(0), debug.SetGCPercent(100)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
	})

	t.Setenv("GOMAXPROCS", "1")
	t.Setenv("GOGC", "100")
	node.Tune()
	require.Equal(t, procs, runtime.GOMAXPROCS(0), "the environment has the last word")
	require.Equal(t, 100, debug.SetGCPercent(100))

	t.Setenv("GOMAXPROCS", "")
	t.Setenv("GOGC", "")
	node.Tune()
	require.Equal(t, procs+2, runtime.GOMAXPROCS(0))
	require.Equal(t, 400, debug.SetGCPercent(100))
}

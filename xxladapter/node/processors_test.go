package node_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// Not in parallel: GOMAXPROCS is the process's.
func TestSpareProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })

	t.Setenv("GOMAXPROCS", "1")
	node.SpareProcessors()
	require.Equal(t, before, runtime.GOMAXPROCS(0), "the environment has the last word")

	t.Setenv("GOMAXPROCS", "")
	node.SpareProcessors()
	require.Equal(t, before+2, runtime.GOMAXPROCS(0))
}

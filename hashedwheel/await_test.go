package hashedwheel

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// settles waits until is reports true, in real time: goroutines race on real processors or sockets,
// which a bubble would order.
func settles(t testing.TB, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 30*time.Second, time.Millisecond)
}

// collects runs the garbage collector until is reports true. The runtime alone decides when it has
// found an object and runs its cleanup.
func collects(t testing.TB, is func() bool) {
	t.Helper()
	require.Eventually(t, func() bool { runtime.GC(); return is() }, 30*time.Second, time.Millisecond)
}

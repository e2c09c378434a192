package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// TestWhichSleepsAreDeep checks that the worker seems to be awake to callers if it sleeps for no
// longer than a tick: otherwise each call would wake it while a timeout is due at the next tick.
func TestWhichSleepsAreDeep(t *testing.T) {
	const tick = 100
	for _, c := range []struct {
		active, next, until uint64
		deep, sleeps        bool
	}{
		{0, wheel.Never, wheel.Never, true, true},
		{0, tick + 2, tick + 2, true, true},
		{0, tick + 1, tick + 1, false, true},
		{0, tick, tick, false, false},
		{tick, wheel.Never, tick + 1, false, true},
		{tick, tick + 1, tick + 1, false, true},
		{tick, tick, tick, false, false},
		{tick - awakeTicks + 1, wheel.Never, tick + 1, false, true},
		{tick - awakeTicks, wheel.Never, wheel.Never, true, true},
	} {
		var k clock
		until, sleeps := k.beginSleep(tick, c.active, c.next, func() bool { return true })
		require.Equal(t, c.until, until, c)
		require.Equal(t, c.sleeps, sleeps, c)
		require.Equal(t, c.deep, k.parked.Load()&deep != 0, c)
	}
}

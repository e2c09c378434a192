package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAClaimIsAsLargeAsItsTimeAllows(t *testing.T) {
	const (
		ms     = time.Millisecond
		window = 6 * time.Second
		early  = 5 * time.Second
		late   = 4 * time.Second
	)
	for _, c := range []struct {
		name string
		claim
		limit int
		want  int
	}{
		{"in time", claim{1000, 1000, claimTarget, early, 0}, 5000, 1000},
		{"a little slow", claim{1000, 1000, claimTarget * 5 / 4, early, 0}, 5000, 800},
		{"much too slow", claim{1000, 1000, 900 * ms, early, 0}, 5000, 500},
		{"a little quick", claim{1000, 1000, claimTarget * 4 / 5, early, 0}, 5000, 1250},
		{"much quicker", claim{1000, 1000, ms, early, 0}, 5000, 2000},
		{"no time at all", claim{1000, 1000, 0, early, 0}, 5000, 2000},
		{"no larger than the limit", claim{4000, 4000, ms, early, 0}, 5000, 5000},
		{"no smaller than pays", claim{150, 150, 900 * ms, early, 0}, 5000, leastClaim},
		{"a limit below that", claim{10, 10, 900 * ms, early, 0}, 10, 10},
		{"not full and in time", claim{1000, 999, ms, early, 0}, 5000, 1000},
		{"not full and slow", claim{1000, 800, 2 * claimTarget, early, 0}, 5000, 500},
		{"hardly anything, held up", claim{1000, leastClaim - 1, time.Second, early, 0}, 5000, 1000},
		{"nothing", claim{1000, 0, time.Second, 0, 0}, 5000, 1000},
		{"behind", claim{1000, 1000, lateTarget / 2, late - 1, 0}, 5000, 2000},
		{"behind, and in time", claim{1000, 1000, lateTarget, late - 1, 0}, 5000, 1000},
		{"behind, and slow even so", claim{1000, 1000, lateTarget * 2, late - 1, 0}, 5000, 500},
		{"just not behind", claim{1000, 1000, lateTarget / 2, late, 0}, 5000, 500},
		{"behind, with nothing more to do", claim{1000, 999, time.Second, -time.Second, 0}, 5000, 500},
		{"behind, at the limit", claim{4000, 4000, ms, -time.Second, 0}, 5000, 5000},
	} {
		require.Equal(t, c.want, nextClaim(c.claim, window, c.limit), c.name)
	}
}

// TestTheSizeOfClaimsSettles checks that claims come to take claimTarget, whatever each job costs.
func TestTheSizeOfClaimsSettles(t *testing.T) {
	const window = 5 * time.Second
	for _, perJob := range []time.Duration{5 * time.Microsecond, 10 * time.Microsecond, 30 * time.Microsecond} {
		size := firstClaim
		var took time.Duration
		for range 20 {
			took = time.Millisecond + time.Duration(size)*perJob
			size = nextClaim(claim{size, size, took, window, 0}, window, 5000)
		}
		require.InDelta(t, claimTarget, took, float64(claimTarget/10), "%v for each job", perJob)
	}
}

// TestWhoIsBehindClaimsMore feeds a hundred thousand jobs that are due at one instant to claims
// with a high fixed cost. In claims of leastClaim jobs, the window would be enough for fewer than
// 27,000.
func TestWhoIsBehindClaimsMore(t *testing.T) {
	const window = 5 * time.Second
	now, size, done := time.Duration(0), firstClaim, 0
	for done < 100_000 {
		took := 18*time.Millisecond + time.Duration(size)*8*time.Microsecond
		now += took
		done += size
		size = nextClaim(claim{size, size, took, window - now, 0}, window, 5000)
	}
	require.Less(t, now, window)
}

func TestIdleLooksTwiceInAWindow(t *testing.T) {
	for window, want := range map[time.Duration]time.Duration{
		time.Second: busyPace, 3 * time.Second: busyPace, 5 * time.Second: 2 * time.Second, 10 * time.Second: idlePace, time.Hour: idlePace,
	} {
		require.Equal(t, want, idle(window), "%v", window)
	}
}

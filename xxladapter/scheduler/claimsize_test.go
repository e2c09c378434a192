package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAClaimIsAsLargeAsItsTimeAllows(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name      string
		size, due int
		took      time.Duration
		most      int
		want      int
	}{
		{"in time", 1000, 1000, claimAim, 5000, 1000},
		{"a little slow", 1000, 1000, claimAim * 5 / 4, 5000, 800},
		{"much too slow", 1000, 1000, 900 * ms, 5000, 500},
		{"a little quick", 1000, 1000, claimAim * 4 / 5, 5000, 1250},
		{"much quicker", 1000, 1000, ms, 5000, 2000},
		{"no time at all", 1000, 1000, 0, 5000, 2000},
		{"no larger than the limit", 4000, 4000, ms, 5000, 5000},
		{"no smaller than pays", 300, 300, 900 * ms, 5000, leastClaim},
		{"a limit below that", 10, 10, 900 * ms, 10, 10},
		{"not full and in time", 1000, 999, ms, 5000, 1000},
		{"not full and slow", 1000, 800, 2 * claimAim, 5000, 500},
		{"hardly anything, held up", 1000, leastClaim - 1, time.Second, 5000, 1000},
		{"nothing", 1000, 0, time.Second, 5000, 1000},
	} {
		require.Equal(t, c.want, nextClaim(c.size, c.due, c.took, c.most), c.name)
	}
}

// TestTheSizeOfClaimsSettles where each costs a fixed part and one for each job.
func TestTheSizeOfClaimsSettles(t *testing.T) {
	for _, perJob := range []time.Duration{10 * time.Microsecond, 30 * time.Microsecond, 60 * time.Microsecond} {
		size := firstClaim
		var took time.Duration
		for range 20 {
			took = 2*time.Millisecond + time.Duration(size)*perJob
			size = nextClaim(size, size, took, 5000)
		}
		require.InDelta(t, claimAim, took, float64(claimAim/10), "%v for each job", perJob)
	}
}

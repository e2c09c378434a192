package route

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestNextRound checks where a count begins, and where it begins again (XXL-JOB 2.4.2,
// ExecutorRouteRound.java).
func TestNextRound(t *testing.T) {
	start := constant(t, 100, 42)
	for _, test := range []struct {
		count int
		ok    bool
		intn  func(int) int
		want  int
	}{
		// No count yet; the value is ignored.
		{0, false, start, 42},
		{77, false, start, 42},

		// Continues; even from maxCount itself.
		{0, true, noRandom, 1},
		{99, true, noRandom, 100},
		{999_999, true, noRandom, 1_000_000},
		{1_000_000, true, noRandom, 1_000_001},

		// Above maxCount.
		{1_000_001, true, start, 42},
	} {
		require.Equal(t, test.want, nextRound(test.count, test.ok, test.intn), "%+v", test)
	}
}

func TestChooseRound(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	r := testRoutes(nil, &now, 0)
	r.intn = constant(t, 100, 4)
	choose := func(jobID int64, addrs []string) string {
		addr, err := r.Choose(t.Context(), xxladapter.RouteRound, jobID, addrs)
		require.NoError(t, err)
		return addr
	}

	// The first count is used as it is.
	require.Equal(t, abc[4%3], choose(1, abc))
	require.Equal(t, abc[5%3], choose(1, abc))

	// Another job has its own count.
	require.Equal(t, abc[4%3], choose(2, abc))

	// The count survives a change of the list.
	require.Equal(t, abc[6%2], choose(1, abc[:2]))
	require.Equal(t, abc[7%3], choose(1, abc))

	// All counts start anew after 24 hours.
	now = now.Add(24 * time.Hour)
	require.Equal(t, abc[8%3], choose(1, abc))
	now = now.Add(1)
	require.Equal(t, abc[4%3], choose(1, abc))
	require.Equal(t, abc[4%3], choose(2, abc))
}

// TestChooseRoundSpreadsStarts checks that the random start spreads the first triggers of many
// jobs.
func TestChooseRoundSpreadsStarts(t *testing.T) {
	now := time.Unix(0, 0)
	r := testRoutes(nil, &now, 3)
	r.intn = rand.New(rand.NewPCG(3, 0)).IntN
	got := map[string]int{}
	for jobID := range int64(3000) {
		addr, err := r.Choose(t.Context(), xxladapter.RouteRound, jobID, abc)
		require.NoError(t, err)
		got[addr]++
	}
	for _, addr := range abc {
		require.InDelta(t, 1000, got[addr], 120, addr)
	}
}

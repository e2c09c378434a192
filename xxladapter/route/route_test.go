package route

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var abc = []string{"http://a/", "http://b/", "http://c/"}

// testRoutes returns Routes whose clock shows *now and whose random numbers come from the seed.
func testRoutes(p Prober, now *time.Time, seed uint64) *Routes {
	r := New(p)
	r.now = func() time.Time { return *now }
	r.intn = rand.New(rand.NewPCG(seed, 0)).IntN
	return r
}

// constant returns a source of random numbers that always returns value, and checks that it is
// called with wantN.
func constant(t *testing.T, wantN, value int) func(int) int {
	return func(n int) int {
		require.Equal(t, wantN, n, "range of the random number")
		return value
	}
}

func noRandom(n int) int { panic(fmt.Sprintf("unexpected random number below %d", n)) }

var allStrategies = []xxladapter.RouteStrategy{
	xxladapter.RouteFirst, xxladapter.RouteLast, xxladapter.RouteRound, xxladapter.RouteRandom,
	xxladapter.RouteConsistentHash, xxladapter.RouteLFU, xxladapter.RouteLRU,
	xxladapter.RouteFailover, xxladapter.RouteBusyover, xxladapter.RouteShardingBroadcast,
}

func TestChooseEmptyList(t *testing.T) {
	r := New(&fakeProber{})
	for _, s := range allStrategies {
		for _, addrs := range [][]string{nil, {}} {
			addr, err := r.Choose(t.Context(), s, 1, addrs)
			require.ErrorIs(t, err, ErrNoAddress, s)
			require.Empty(t, addr, s)
		}
	}
}

func TestChooseSingleAddress(t *testing.T) {
	r := New(&fakeProber{})
	for _, s := range allStrategies {
		for jobID := range int64(50) {
			addr, err := r.Choose(t.Context(), s, jobID, abc[1:2])
			require.NoError(t, err, s)
			require.Equal(t, abc[1], addr, s)
		}
	}
}

func TestChooseUnknownStrategy(t *testing.T) {
	for _, s := range []xxladapter.RouteStrategy{"", "first", "WEIGHTED"} {
		addr, err := New(&fakeProber{}).Choose(t.Context(), s, 1, abc)
		require.EqualError(t, err, fmt.Sprintf("route: unknown strategy %q", s))
		require.Empty(t, addr)
	}
}

// TestChooseFixed tests the strategies that choose by the list alone (XXL-JOB 2.4.2,
// ExecutorRouteFirst.java and ExecutorRouteLast.java; a broadcast is not routed,
// XxlJobTrigger.java).
func TestChooseFixed(t *testing.T) {
	r := New(nil)
	for _, test := range []struct {
		s    xxladapter.RouteStrategy
		want string
	}{
		{xxladapter.RouteFirst, abc[0]},
		{xxladapter.RouteLast, abc[2]},
		{xxladapter.RouteShardingBroadcast, abc[0]},
	} {
		for jobID := range int64(20) {
			addr, err := r.Choose(t.Context(), test.s, jobID, abc)
			require.NoError(t, err)
			require.Equal(t, test.want, addr, test.s)
		}
	}
}

// TestRandom checks that each number chooses its address (XXL-JOB 2.4.2, ExecutorRouteRandom.java).
func TestRandom(t *testing.T) {
	for i, want := range abc {
		require.Equal(t, want, random(abc, constant(t, 3, i)))
	}
}

func TestChooseRandomReachesAllEvenly(t *testing.T) {
	now := time.Unix(0, 0)
	r := testRoutes(nil, &now, 1)
	got := map[string]int{}
	for range 30_000 {
		addr, err := r.Choose(t.Context(), xxladapter.RouteRandom, 7, abc)
		require.NoError(t, err)
		got[addr]++
	}
	for _, addr := range abc {
		require.InDelta(t, 10_000, got[addr], 500, addr)
	}
}

func TestChooseLeavesListAlone(t *testing.T) {
	r := New(&fakeProber{})
	for _, s := range allStrategies {
		addrs := []string{"http://b/", "http://a/", "http://c/", "http://a/"}
		for range 10 {
			_, err := r.Choose(t.Context(), s, 1, addrs)
			require.NoError(t, err)
		}
		require.Equal(t, []string{"http://b/", "http://a/", "http://c/", "http://a/"}, addrs, s)
	}
}

// TestChooseKeepsNoList checks that a caller may reuse the memory of its list.
func TestChooseKeepsNoList(t *testing.T) {
	r := New(&fakeProber{})
	for _, s := range allStrategies {
		addrs := []string{"http://x/", "http://y/"}
		_, err := r.Choose(t.Context(), s, 1, addrs)
		require.NoError(t, err)
		copy(addrs, abc)
		for range 4 {
			addr, err := r.Choose(t.Context(), s, 1, []string{"http://x/", "http://y/"})
			require.NoError(t, err)
			require.Contains(t, []string{"http://x/", "http://y/"}, addr, s)
		}
	}
}

// TestChooseConcurrentlyCountsEachOnce checks that concurrent triggers of one job are each counted
// once. Upstream loses or doubles counts then, since its maps are not synchronised (XXL-JOB 2.4.2,
// ExecutorRouteRound.java, ExecutorRouteLFU.java, ExecutorRouteLRU.java).
func TestChooseConcurrentlyCountsEachOnce(t *testing.T) {
	const goroutines, calls = 8, 1200
	for _, test := range []struct {
		s xxladapter.RouteStrategy
		// LFU starts its counts anywhere from 0 to n-1, so the numbers of uses may differ by that
		// much.
		spread int
	}{
		{xxladapter.RouteRound, 0},
		{xxladapter.RouteLRU, 0},
		{xxladapter.RouteLFU, len(abc)},
	} {
		t.Run(string(test.s), func(t *testing.T) {
			r := New(nil)
			got := map[int64]map[string]int{1: {}, 2: {}}
			for _, addr := range chooseConcurrently(t, goroutines, calls, func(i int) (string, error) {
				jobID := int64(1 + i%2)
				addr, err := r.Choose(context.Background(), test.s, jobID, abc)
				return fmt.Sprint(jobID, " ", addr), err
			}) {
				var jobID int64
				var a string
				_, err := fmt.Sscan(addr, &jobID, &a)
				require.NoError(t, err)
				got[jobID][a]++
			}
			for jobID, uses := range got {
				for _, addr := range abc {
					require.InDelta(t, goroutines*calls/2/len(abc), uses[addr], float64(test.spread), "job %d, %s", jobID, addr)
				}
			}
		})
	}
}

func TestChooseConcurrentlyWithChangingLists(t *testing.T) {
	r := New(&fakeProber{fail: map[string]error{abc[0]: errors.New("dead")}})
	r.rings.max = 5
	r.counts.max, r.orders.max, r.rounds.max = 8, 8, 2
	lists := [][]string{abc, abc[:2], abc[1:], {abc[2], abc[1]}}
	chooseConcurrently(t, 8, 1000, func(i int) (string, error) {
		addrs := lists[i/3%len(lists)]
		addr, err := r.Choose(context.Background(), allStrategies[i%len(allStrategies)], int64(i%7), addrs)
		for _, a := range addrs {
			if a == addr {
				return addr, err
			}
		}
		return "", fmt.Errorf("%q is not in %q: %w", addr, addrs, err)
	})
}

// chooseConcurrently calls choose in each of several goroutines, and returns all choices.
func chooseConcurrently(t *testing.T, goroutines, calls int, choose func(i int) (string, error)) []string {
	t.Helper()
	chosen := make([][]string, goroutines)
	errs := make([]error, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range calls {
				addr, err := choose(i)
				if err != nil {
					errs[g] = err
					return
				}
				chosen[g] = append(chosen[g], addr)
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	var all []string
	for _, c := range chosen {
		all = append(all, c...)
	}
	return all
}

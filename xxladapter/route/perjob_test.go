package route

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// touch uses the state of a job, which counts its uses, and returns the number of earlier uses.
func touch(p *perJob[int], jobID int64, now time.Time) (before int) {
	p.update(jobID, now, func(uses int, ok bool) (int, string) {
		if ok {
			before = uses
		}
		return before + 1, ""
	})
	return before
}

// TestPerJobForgetsAllAfter24Hours checks that all jobs are forgotten together when the clock is
// past the expiry, and that the next expiry counts from that use (XXL-JOB 2.4.2,
// ExecutorRouteRound.java, ExecutorRouteLFU.java, ExecutorRouteLRU.java).
func TestPerJobForgetsAllAfter24Hours(t *testing.T) {
	p := newPerJob(func(int) int { return 1 })
	start := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	require.Equal(t, 0, touch(p, 1, start))
	require.Equal(t, 0, touch(p, 2, start.Add(23*time.Hour)))

	// Just before the expiry, and at it.
	require.Equal(t, 1, touch(p, 1, start.Add(24*time.Hour-1)))
	require.Equal(t, 2, touch(p, 1, start.Add(24*time.Hour)))
	require.Equal(t, 1, touch(p, 2, start.Add(24*time.Hour)))

	// Past the expiry: the use of one job forgets the other too.
	again := start.Add(24*time.Hour + 1)
	require.Equal(t, 0, touch(p, 1, again))
	require.Len(t, p.states, 1)
	require.Equal(t, 1, p.weight)
	require.Equal(t, 0, touch(p, 2, again))

	require.Equal(t, 1, touch(p, 1, again.Add(24*time.Hour)))
	require.Equal(t, 0, touch(p, 1, again.Add(24*time.Hour+1)))
}

func TestPerJobClockStepsBack(t *testing.T) {
	p := newPerJob(func(int) int { return 1 })
	start := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	touch(p, 1, start)
	require.Equal(t, 1, touch(p, 1, start.Add(-48*time.Hour)))
}

func TestPerJobBound(t *testing.T) {
	p := newPerJob(func(int) int { return 1 })
	p.max = 10
	now := time.Unix(0, 0)
	for jobID := range int64(1000) {
		touch(p, jobID, now)
		require.Len(t, p.states, int(min(jobID+1, 10)), "too little was forgotten, or more than needed")
		require.Contains(t, p.states, jobID, "the job in use was forgotten")
	}
}

// TestPerJobHeavyState checks that a single state over the limit is kept, alone.
func TestPerJobHeavyState(t *testing.T) {
	p := newPerJob(func(s int) int { return s })
	p.max = 10
	now := time.Unix(0, 0)
	put := func(jobID int64, weight int) {
		p.update(jobID, now, func(int, bool) (int, string) { return weight, "" })
	}
	put(1, 4)
	put(2, 4)
	put(3, 50)
	require.Equal(t, map[int64]int{3: 50}, p.states)
	put(3, 2)
	put(4, 8)
	require.Equal(t, map[int64]int{3: 2, 4: 8}, p.states)
}

func TestPerJobWeightIsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPerJob(func(s int) int { return s })
		p.max = 20
		now := time.Unix(0, 0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "hours")) * time.Hour)
			jobID := rapid.Int64Range(1, 8).Draw(t, "job")
			weight := rapid.IntRange(0, 12).Draw(t, "weight")
			p.update(jobID, now, func(int, bool) (int, string) { return weight, "" })
			sum := 0
			for _, s := range p.states {
				sum += s
			}
			if p.weight != sum || sum > p.max || p.states[jobID] != weight {
				t.Fatalf("weight %d, states %v, job %d with %d", p.weight, p.states, jobID, weight)
			}
		}
	})
}

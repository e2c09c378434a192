//go:build linux

package faults

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var (
	lasting = flag.Duration("for", 0, "in a soak: how long each test makes faults on each store; 0 means until it has made them all")
	// Half of the runs belong to jobs that are due every second. Two thousand jobs would lead to a
	// thousand runs a second, too many for schedulers, database and executors on two cores.
	jobs   = flag.Int("jobs", 1000, "in a soak: how many jobs are under load; a thousand lead to five hundred runs a second")
	slower = flag.Int("slower", 1, "how many times as long the periods of jobs are; 1, 2, 3, 4 or 6")
	seed   = flag.Uint64("seed", 0, "what the moments of the faults are drawn from; 0 means 1, or in a soak a new one")
)

// pick returns the size of something: short, or lengthy in a soak.
func pick[T any](short, lengthy T) T {
	if testserver.Soak() {
		return lengthy
	}
	return short
}

// rounds yields the numbers of a test's faults, from 0: as many as short says, or as many as
// lengthy says in a soak, unless the flag -for ends them earlier.
func rounds(short, lengthy int) iter.Seq[int] {
	begin, n := time.Now(), pick(short, lengthy)
	return func(yield func(int) bool) {
		for i := range n {
			if testserver.Soak() && *lasting > 0 && time.Since(begin) > *lasting || !yield(i) {
				return
			}
		}
	}
}

// longestPeriod returns the longest period among mixed. Jobs that were created together are due
// together, so there may be no run for about as long.
func longestPeriod() time.Duration { return time.Duration(*slower) * 5 * time.Second }

// random returns the source of what varies in a test. If the test fails, its seed is printed, which
// repeats the draws, though not the interleaving.
func random(t *testing.T) *rand.Rand {
	s := *seed
	if s == 0 {
		s = pick(1, uint64(time.Now().UnixNano()))
	}
	t.Cleanup(func() {
		if t.Failed() {
			fmt.Printf("%s: again with -seed %d\n", t.Name(), s)
		}
	})
	return rand.New(rand.NewPCG(s, 0))
}

// between draws a duration from least to most.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)+1))
}

//go:build linux

package faults

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	long    = flag.Bool("long", false, "many rounds of each fault instead of a few")
	lasting = flag.Duration("for", 0, "with -long: for how long each test makes faults on each store; 0: until it has made them all")
	// Half of their runs are those of jobs that are due every second. Two thousand
	// would lead to a thousand runs a second, which schedulers, database and
	// executors cannot do on two cores.
	jobs = flag.Int("jobs", 1000, "with -long: how many jobs are under load; a thousand lead to five hundred runs a second")
	seed = flag.Uint64("seed", 0, "what the moments of the faults are drawn from; 0: 1, or with -long a new one")
)

// pick is the size of something in a short run and in a long one.
func pick[T any](short, lengthy T) T {
	if *long {
		return lengthy
	}
	return short
}

// rounds counts the faults of a test, from 0: a few in a short run, and in a
// long one all of them, or as many as there is time for.
func rounds(short, lengthy int) iter.Seq[int] {
	begin, n := time.Now(), pick(short, lengthy)
	return func(yield func(int) bool) {
		for i := range n {
			if *long && *lasting > 0 && time.Since(begin) > *lasting || !yield(i) {
				return
			}
		}
	}
}

// atOnce is how many tests run at the same time. Those of a short run wait for
// most of their time, whatever the number of processors; the load of a long
// one takes a machine.
func atOnce() string { return pick("6", "1") }

// random draws what varies in a test. The seed is printed, and makes the same
// draws again, though not the same interleaving.
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

// between draws a duration.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)+1))
}

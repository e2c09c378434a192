//go:build linux

package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	long = flag.Bool("long", false, "many rounds of each fault instead of a few")
	seed = flag.Uint64("seed", 0, "what the moments of the faults are drawn from; 0: 1, or with -long a new one")
)

// pick is the size of something in a short run and in a long one.
func pick[T any](short, lengthy T) T {
	if *long {
		return lengthy
	}
	return short
}

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

package spread

import (
	"hash/fnv"
	"math/rand/v2"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Choice chooses one of several nodes for each fire. It is used by one goroutine at a time.
type Choice struct {
	by    xxladapter.Spread
	seeds []uint64 // by node
	turn  int
}

// NewChoice returns a Choice among nodes with these names, by the given way. With
// [xxladapter.SpreadNone] it always chooses the first.
//
// REQUIRES: there is a node.
func NewChoice(by xxladapter.Spread, names []string) *Choice {
	c := &Choice{by: by, seeds: make([]uint64, len(names))}
	for i, name := range names {
		h := fnv.New64a()
		_, _ = h.Write([]byte(name)) // never fails
		c.seeds[i] = h.Sum64()
	}
	return c
}

// Of returns the index of the node for a fire of a job.
func (c *Choice) Of(jobID int64) int {
	switch c.by {
	case xxladapter.SpreadHash:
		return rendezvous(jobID, c.seeds)
	case xxladapter.SpreadRandom:
		return rand.IntN(len(c.seeds))
	case xxladapter.SpreadRound:
		c.turn = (c.turn + 1) % len(c.seeds)
		return c.turn
	}
	return 0
}

// rendezvous returns the index of the node with the highest weight for the job. The weight depends
// only on the job and that node, so a node that joins takes jobs from all others and moves none
// among them, and the jobs of one that leaves go to all others.
func rendezvous(jobID int64, seeds []uint64) (best int) {
	var highest uint64
	for i, seed := range seeds {
		if weight := mix(seed ^ mix(uint64(jobID))); i == 0 || weight > highest {
			best, highest = i, weight
		}
	}
	return best
}

// mix returns a number in which each bit depends on each bit of x: the last step of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

package scheduler

import "time"

const (
	// claimTarget is the time that one claim of due jobs should take. A claim is a transaction, and
	// on some databases the only one that writes meanwhile, so fires that are due wait for it.
	claimTarget = 4 * time.Millisecond

	// lateTarget is the same for a node that is behind: larger claims take less time for each job,
	// up to a point.
	lateTarget = 200 * time.Millisecond

	// firstClaim is the size of the first claim, in jobs, and leastClaim the smallest size: below
	// it, the fixed cost of a transaction outweighs what is gained.
	firstClaim = 500
	leastClaim = 100
)

// A claim describes one call of ClaimDue and its result.
type claim struct {
	size   int           // how many jobs it could take
	due    int           // how many it took
	took   time.Duration // from the decisions to the end of the call
	lead   time.Duration // from the store's now to the first due time among them
	locked int           // how many more were due, in the hands of another session
}

// full reports whether more may be due than was taken.
func (c claim) full() bool { return c.due >= c.size }

// nextClaim returns how many jobs the claim after c takes, at most limit. It is a pure function.
//
// The size follows the time for each job, by a factor of two at most, so that a single claim that
// was held up does not make many small ones. Where a third of the window has gone by and there is
// still more, being in time comes first, and the claims may take longer. A scan that keeps its pace
// meets its jobs before that: with a fifth of the window gone by.
func nextClaim(c claim, window time.Duration, limit int) int {
	size, target := c.size, claimTarget
	if c.full() && c.lead < window*2/3 {
		target = lateTarget
	}
	switch {
	case c.due < min(leastClaim, size): // says little
	case !c.full() && c.took <= target: // says nothing about a larger one
	default:
		fits := int(target * time.Duration(c.due) / max(c.took, 1))
		size = min(max(fits, size/2), 2*size)
	}
	return min(max(size, leastClaim), limit)
}

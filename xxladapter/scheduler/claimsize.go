package scheduler

import "time"

const (
	// claimAim is how long one claim of due jobs should take. It is a transaction,
	// and on some databases the only one that writes meanwhile.
	claimAim = 20 * time.Millisecond

	// firstClaim is how many jobs the first claim takes, and leastClaim how many
	// each one takes at least: below that, what a transaction costs whatever it
	// does outweighs what is gained.
	firstClaim = 500
	leastClaim = 250
)

// nextClaim is how many jobs the next claim takes, after one that could take
// size, found due, and took so long; most is the limit. It is a pure function.
//
// The size follows the time for each job, by a factor of two at most, so that a
// single claim that was held up does not make many small ones.
func nextClaim(size, due int, took time.Duration, most int) int {
	switch {
	case due < min(leastClaim, size): // says little
	case due < size && took <= claimAim: // says nothing about a larger one
	default:
		fits := int(claimAim * time.Duration(due) / max(took, 1))
		size = min(max(fits, size/2), 2*size)
	}
	return min(max(size, leastClaim), most)
}

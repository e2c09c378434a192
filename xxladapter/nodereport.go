package xxladapter

import "time"

// A NodeReport is what a node tells others about itself, for people to look at. The zero value is that of
// a node that has told nothing.
type NodeReport struct {
	// Skew is how far the node's clock is ahead of the store's, in whole milliseconds; negative if
	// it is behind.
	Skew time.Duration
	// Fast and Slow are the parts of the pool that hands fires over.
	Fast, Slow PoolReport
}

// A PoolReport counts the places of a part of a pool, and the fires that have one or wait for one.
type PoolReport struct{ Places, InFlight, Waiting int }

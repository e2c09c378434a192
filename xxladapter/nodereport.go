package xxladapter

import "time"

// A NodeReport is what a node reports about itself, for people to look at. The zero value stands
// for a node that has reported nothing.
type NodeReport struct {
	// Skew is how far the node's clock is ahead of the store's, in whole milliseconds; negative if
	// it is behind.
	Skew time.Duration
	// Fast and Slow are the parts of the pool that hands fires over.
	Fast, Slow PoolReport
}

// A PoolReport counts the places of a part of a pool, and the fires that have one or wait for one.
type PoolReport struct{ Places, InFlight, Waiting int }

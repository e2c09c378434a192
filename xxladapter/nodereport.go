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
	// Address is the URL under which other nodes reach this one, at most [MaxNodeAddress] bytes. If
	// it is empty, a leader gives the node no fires.
	Address string
	// Spread is what the node does with fires while it leads. It is empty outside of
	// [SchedulingLeader].
	Spread Spread
	// Fires counts the fires that were spread.
	Fires SpreadReport
}

// MaxNodeAddress limits [NodeReport].Address, in bytes.
const MaxNodeAddress = 255

// A PoolReport counts the places of a part of a pool, and the fires that have one or wait for one.
type PoolReport struct{ Places, InFlight, Waiting int }

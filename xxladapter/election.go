package xxladapter

import "fmt"

// An Election is what an elector outside of the store says about a node in [SchedulingLeader]: the
// number of the node's leadership, which is positive, or one of the constants below. It decides
// which node takes the partitions. It fences nothing: what a node may write depends on its term
// alone.
type Election int64

const (
	// ElectionNone means that no elector is asked. The node takes partitions that no live node has.
	ElectionNone Election = 0
	// ElectionWaits means that the elector has not elected the node. The node takes no partitions.
	// It keeps those that it has until an elected node renews.
	ElectionWaits Election = -1
	// ElectionAway means that the elector does not answer. It works like ElectionNone, so that jobs
	// are planned while the elector is down.
	ElectionAway Election = -2
)

// Validate refuses an election that is neither a number nor one of the constants.
func (e Election) Validate() error {
	if e < ElectionAway {
		return fmt.Errorf("election is %d, must be at least %d", int64(e), int64(ElectionAway))
	}
	return nil
}

// An ElectionState is an [Election] without its number, for people to look at.
type ElectionState string

// The states.
const (
	ElectionStateNone    ElectionState = "none"    // no elector is asked
	ElectionStateElected ElectionState = "elected" // the elector has elected the node
	ElectionStateWaits   ElectionState = "waits"   // it has not
	ElectionStateAway    ElectionState = "away"    // it does not answer
)

// Values returns the states.
func (ElectionState) Values() []ElectionState {
	return []ElectionState{ElectionStateNone, ElectionStateElected, ElectionStateWaits, ElectionStateAway}
}

// State returns the state.
//
// REQUIRES: Validate accepts e.
func (e Election) State() ElectionState {
	switch e {
	case ElectionNone:
		return ElectionStateNone
	case ElectionWaits:
		return ElectionStateWaits
	case ElectionAway:
		return ElectionStateAway
	}
	return ElectionStateElected
}

// A Candidate is a live node that takes part in [DealToLeader].
type Candidate struct {
	Node     string
	Election Election
}

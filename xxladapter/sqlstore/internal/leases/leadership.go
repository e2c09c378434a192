package leases

import "github.com/xxlwheel/xxlwheel/xxladapter"

// A leadership is the column leads of xxlwheel_lease: the mode of a term, and in SchedulingLeader
// what an elector last said of its node.
type leadership int64

const (
	sharesJobs leadership = 0 // SchedulingAll

	// withoutElector is ElectionNone. ElectionWaits and ElectionAway are the two numbers after it,
	// and the leadership with the number 1 comes next.
	withoutElector leadership = 1
	numbersAfter   leadership = withoutElector - leadership(xxladapter.ElectionAway)
)

// leadsBy returns what stands for an election.
//
// REQUIRES: e is valid.
func leadsBy(e xxladapter.Election) leadership {
	if e > 0 {
		return numbersAfter + leadership(e)
	}
	return withoutElector - leadership(e)
}

func (l leadership) mode() xxladapter.SchedulingMode {
	if l == sharesJobs {
		return xxladapter.SchedulingAll
	}
	return xxladapter.SchedulingLeader
}

func (l leadership) election() xxladapter.Election {
	switch {
	case l == sharesJobs:
		return xxladapter.ElectionNone
	case l > numbersAfter:
		return xxladapter.Election(l - numbersAfter)
	}
	return xxladapter.Election(withoutElector - l)
}

// stand adds a node to the candidates, unless it is in SchedulingAll.
func (l leadership) stand(candidates []xxladapter.Candidate, node string) []xxladapter.Candidate {
	if l == sharesJobs {
		return candidates
	}
	return append(candidates, xxladapter.Candidate{Node: node, Election: l.election()})
}

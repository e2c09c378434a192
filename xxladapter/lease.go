package xxladapter

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"
	"time"
)

// A Term is one uninterrupted period of a scheduler node's life, as the store saw it. It begins
// with the node's first lease and ends for good when a lease lapses or is given back. What a node
// claims belongs to its term, not to its name, so that a node that slept through its lease cannot
// act on what it knew before.
type Term struct {
	Node string
	// Number is issued by the store and larger than every number issued before. The first is 1.
	Number int64
}

// A Lease is a node's right to claim and settle fires for a while.
type Lease struct {
	Term
	// Until is the instant when the lease lapses unless it is renewed, by the store's clock. The
	// lease is valid strictly before that instant.
	Until time.Time
	// Mode is how the node takes part, for as long as the term lasts.
	Mode SchedulingMode
	// Election is what an elector said of the node at its last renewal by [LeaseStore.Lead].
	Election Election
	// Retired is true if the node takes no partitions for the rest of its term.
	Retired bool
	// Partitions is the node's part of the jobs, see [Deal] and [DealToLeader]. It is empty if the
	// node has retired or stands by, and may be empty if there are more than [Partitions] nodes.
	Partitions PartitionSet
	// Dead lists the terms that are over and still own fires, by node, then number. It may contain
	// an earlier term of the same node.
	Dead []Term
	// NextLapse is the instant when the first of the other nodes' leases lapses, unless it is
	// renewed or was renewed since the store looked. Zero means that there is no other node. A node
	// that renews at that instant takes over from a dead one as early as possible.
	NextLapse time.Time
	// Others lists the terms of the other nodes that hold leases and have not retired, by number.
	// Some of them may have lapsed since the store looked.
	Others []Term
	// Quiet is true if no open fire was due. False says nothing: the store may not have looked.
	Quiet bool
	// Report is the node's last report, see [LeaseStore.ReportNode]. Only [LeaseStore.Leases] sets
	// it.
	Report NodeReport
}

// A LeaseStore is the part of [Store] that decides which nodes may act, and deals the partitions
// out among them.
type LeaseStore interface {
	// Lease gives node the right to claim and settle for life from now, or renews it. The term
	// stays the same while the node renews before its lease lapses; afterwards it is a new one. The
	// partitions are dealt among the nodes whose leases hold, without the retired ones: by
	// [DealToLeader] if all of them are in [SchedulingLeader], else by [Deal]. A new term is in
	// [SchedulingAll].
	//
	// When the clock was set back, a lease that was given before holds for no longer than its life
	// from the next call on.
	//
	// REQUIRES: node is not empty and life is at least a millisecond; anything else is refused.
	Lease(ctx context.Context, node string, life time.Duration) (Lease, error)
	// Lead gives or renews a lease as Lease does, for a node that plans all jobs or none: a new
	// term is in [SchedulingLeader]. A term keeps the mode in which it began, whichever of the two
	// renews it. e replaces the election of the node's last renewal; Lease leaves it.
	//
	// REQUIRES: e is valid; anything else is refused.
	Lead(ctx context.Context, node string, life time.Duration, e Election) (Lease, error)
	// Retire takes a term's partitions away for good, and keeps why as a [PartitionMove] if it had
	// any. The lease still holds, can be renewed, and settles what it has claimed. A term that is
	// over is no error. With [MoveDrained], nothing changes and the error is [ErrConflict] if no
	// other node holds a lease and has not retired; of two nodes that are drained at once, one
	// stays.
	Retire(ctx context.Context, term Term, why MoveCause) error
	// Resign ends a term at once: its partitions are free and its fires may be taken over.
	// Partitions that it still had are a [PartitionMove] with the cause [MoveStopped]. A term that
	// is over already is no error.
	Resign(ctx context.Context, term Term) error
	// Leases lists the leases that hold, by node, with Term, Until, Mode, Election, Retired,
	// Partitions and Report alone. It gives and renews none.
	Leases(ctx context.Context) ([]Lease, error)
	// ReportNode replaces the report of a term's node. A term that is over is no error.
	ReportNode(ctx context.Context, term Term, r NodeReport) error
}

// Partitions is the number of parts into which jobs are divided among nodes. It is part of the
// stored data: all nodes of a store have to agree on it.
const Partitions = 64

// PartitionOf returns the partition of a job.
func PartitionOf(jobID int64) int { return int(uint64(jobID) % Partitions) }

// A PartitionSet is a set of partitions, with bit i for partition i. The zero value is empty.
type PartitionSet uint64

// AllPartitions has every partition.
const AllPartitions PartitionSet = 1<<Partitions - 1

// HasJob reports whether the job's partition is in the set.
func (s PartitionSet) HasJob(jobID int64) bool { return s&(1<<PartitionOf(jobID)) != 0 }

// With returns the set with one more partition.
//
// REQUIRES: 0 <= partition < Partitions.
func (s PartitionSet) With(partition int) PartitionSet { return s | 1<<partition }

// Len returns the number of partitions in the set.
func (s PartitionSet) Len() int { return bits.OnesCount64(uint64(s)) }

// All yields the partitions in ascending order.
func (s PartitionSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(uint64(s))) {
				return
			}
		}
	}
}

// A SchedulingMode says which schedulers of a store plan jobs.
type SchedulingMode string

// The modes. Nodes of one store should all have the same; while they differ, all of them plan jobs.
const (
	// SchedulingAll lets each node plan a part of the jobs.
	SchedulingAll SchedulingMode = "all"
	// SchedulingLeader lets one node plan all jobs. The others stand by: they hand over what is
	// triggered or overdue, and one of them takes all jobs when the leader's lease ends.
	SchedulingLeader SchedulingMode = "leader"
)

// Values returns the modes.
func (SchedulingMode) Values() []SchedulingMode {
	return []SchedulingMode{SchedulingAll, SchedulingLeader}
}

// Validate refuses a mode that is none of [SchedulingMode.Values], as an [Error] with
// [CodeInvalid].
func (m SchedulingMode) Validate() error { return CheckOneOf("scheduling", m) }

// A NodeRole is what a node does with the jobs of a store.
type NodeRole string

// The roles.
const (
	NodePlans   NodeRole = "plans"   // plans a part of the jobs, beside others
	NodeLeads   NodeRole = "leads"   // plans all jobs, in SchedulingLeader
	NodeStandby NodeRole = "standby" // plans none until the leader's lease ends
	NodeRetired NodeRole = "retired" // plans none for the rest of its term
)

// Values returns the roles.
func (NodeRole) Values() []NodeRole {
	return []NodeRole{NodePlans, NodeLeads, NodeStandby, NodeRetired}
}

// Role returns what the node does with the jobs under this lease.
func (l Lease) Role() NodeRole {
	switch {
	case l.Retired:
		return NodeRetired
	case l.Mode == SchedulingLeader && l.Partitions == AllPartitions:
		return NodeLeads
	case l.Mode == SchedulingLeader && l.Partitions == 0:
		return NodeStandby
	}
	return NodePlans
}

// DealToLeader gives all partitions to one node, the leader, when node renews its lease. owners
// holds the node of each partition, or "" for none, and is changed; live lists the nodes that take
// part, node among them.
//
// The leader is the live node that was elected with the largest number. If none is elected, it is
// the live node that has the most partitions, the first by name among equals. If no live node has
// any, it is node, unless that waits for its election; then the partitions stay as they are. So a
// leader stays the leader while its lease holds and no other node is elected, and after its death
// the first node that renews and may take partitions succeeds it.
func DealToLeader(owners *[Partitions]string, live []Candidate, node string) {
	held := make(map[string]int, len(live))
	for _, owner := range owners {
		held[owner]++
	}
	var leader Candidate
	for _, c := range live {
		before := cmp.Or(
			cmp.Compare(max(c.Election, 0), max(leader.Election, 0)), cmp.Compare(held[c.Node], held[leader.Node]),
			cmp.Compare(leader.Node, c.Node),
		)
		if leader.Node == "" || before > 0 {
			leader = c
		}
	}
	if leader.Election <= 0 && held[leader.Node] == 0 {
		i := slices.IndexFunc(live, func(c Candidate) bool { return c.Node == node })
		if live[i].Election == ElectionWaits {
			return
		}
		leader = live[i]
	}
	for partition := range owners {
		owners[partition] = leader.Node
	}
}

// Deal gives node its part of the partitions when it renews its lease. owners holds the node of
// each partition, or "" for none, and is changed; live lists the nodes that take part, node among
// them.
//
// Two rules apply. First, each partition whose owner is not live goes to the live node with the
// fewest partitions. Then node takes partitions one by one from the node with the most, while that
// has at least two more. So after any renewal every partition has a live owner; once every node has
// renewed, no node has more than one partition above any other; and a death moves little but the
// partitions of the dead node.
//
// A node learns at its next renewal what it was given; all survivors renew when a lease lapses. A
// node with too many partitions loses them to the renewals of others and may use them until its own
// next renewal. Two nodes then hold the same planned fire, and the store gives it to one of them.
func Deal(owners *[Partitions]string, live []string, node string) {
	names := slices.Sorted(slices.Values(live))
	held := make(map[string]int, len(live))
	for _, name := range names {
		held[name] = 0
	}
	var free []int
	for partition, owner := range owners {
		if _, lives := held[owner]; lives {
			held[owner]++
		} else {
			free = append(free, partition)
		}
	}
	for _, partition := range free {
		poorest := node // among equals, since it acts at once
		for _, name := range names {
			if held[name] < held[poorest] {
				poorest = name
			}
		}
		owners[partition] = poorest
		held[poorest]++
	}
	for {
		richest := node
		for _, name := range names {
			if held[name] > held[richest] {
				richest = name
			}
		}
		if held[richest] < held[node]+2 {
			return
		}
		owners[slices.Index(owners[:], richest)] = node
		held[richest]--
		held[node]++
	}
}

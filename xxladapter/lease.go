package xxladapter

import (
	"context"
	"iter"
	"math/bits"
	"slices"
	"time"
)

// A Term is one uninterrupted stretch of a scheduler node's life, as the store
// saw it: it begins with the node's first lease and is over for ever once a
// lease has lapsed or was given back. What a node claims belongs to its term
// and not to its name, so that a node which slept through its lease cannot act
// on what it knew before.
type Term struct {
	Node string
	// Number is issued by the store, and larger than every number issued
	// before. The first one is 1.
	Number int64
}

// A Lease is a node's right to claim and settle fires for a while.
type Lease struct {
	Term
	// Until is when the lease lapses unless it is renewed, by the store's clock:
	// it holds before that instant, and no more at it.
	Until time.Time
	// Shards are the node's part of the jobs, see [Deal]. It is empty if the
	// node has retired, or if there are more than [Shards] nodes.
	Shards ShardSet
	// Dead are the terms that are over and still own fires, by node, then
	// number. An earlier term of the same node may be among them.
	Dead []Term
	// NextLapse is when the first of the other nodes' leases lapses unless it is
	// renewed, or was since the store has looked; zero: there is no other. Whoever renews right then takes over from
	// a node that has died as soon as that may be done.
	NextLapse time.Time
	// Quiet says that no fire was open which was due. False says nothing: the store
	// has not looked.
	Quiet bool
}

// A LeaseStore is the part of [Store] that decides which nodes may act, and deals the shards out
// among them.
type LeaseStore interface {
	// Lease gives node the right to claim and settle for life from now, or renews it. The term
	// stays the same while the node renews before its lease lapses; afterwards it is a new one.
	// The shards are dealt by [Deal] among the nodes whose leases hold, without the retired ones.
	// When the clock was set back, a lease that was given before holds for no longer than its
	// life from the next call on. REQUIRES: node is not empty and life is at least a millisecond;
	// anything else is refused.
	Lease(ctx context.Context, node string, life time.Duration) (Lease, error)
	// Retire takes a term's shards away for good, for a node that is about to stop. The lease
	// still holds, can be renewed, and settles what it has claimed. A term that is over is no
	// error.
	Retire(ctx context.Context, term Term) error
	// Resign ends a term at once: its shards are free and its fires may be taken over. A term
	// that is over already is no error.
	Resign(ctx context.Context, term Term) error
	// Leases lists the leases that hold, by node, with Term, Until and Shards alone. It gives
	// and renews none.
	Leases(ctx context.Context) ([]Lease, error)
}

// Shards is the number of parts in which jobs are dealt out to nodes. It is
// part of the stored data: all nodes of a store have to agree on it.
const Shards = 64

// ShardOf is the shard of a job.
func ShardOf(jobID int64) int { return int(uint64(jobID) % Shards) }

// A ShardSet is a set of shards: bit i stands for shard i. The zero value is
// empty.
type ShardSet uint64

// AllShards has every shard.
const AllShards ShardSet = 1<<Shards - 1

// HasJob reports whether the job's shard is in the set.
func (s ShardSet) HasJob(jobID int64) bool { return s&(1<<ShardOf(jobID)) != 0 }

// With is the set with one more shard. REQUIRES: 0 <= shard < Shards.
func (s ShardSet) With(shard int) ShardSet { return s | 1<<shard }

// Len is how many shards the set has.
func (s ShardSet) Len() int { return bits.OnesCount64(uint64(s)) }

// All yields the shards in ascending order.
func (s ShardSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(uint64(s))) {
				return
			}
		}
	}
}

// Deal gives node its part of the shards, as it renews its lease. owners has the
// node of each shard, or "" for none; live has the nodes that take part, node
// among them. It changes owners.
//
// Two rules: each shard whose owner is not live goes to the live node that has
// fewest, and then node takes one by one from the node that has most, while that
// has at least two more. So no shard is without a live owner after any renewal,
// once every node has renewed nobody has more than one above any other, and a
// death moves little but the shards of the dead. A node learns at its own next
// renewal what it was given; all survivors renew when a lease lapses. A node that
// has too many loses them to the others' renewals, and may go on for the rest of
// its own lease period as if they were its own: two nodes then hold the same
// planned fire, and the store gives it to one.
func Deal(owners *[Shards]string, live []string, node string) {
	names := slices.Sorted(slices.Values(live))
	held := make(map[string]int, len(live))
	for _, name := range names {
		held[name] = 0
	}
	var free []int
	for shard, owner := range owners {
		if _, lives := held[owner]; lives {
			held[owner]++
		} else {
			free = append(free, shard)
		}
	}
	for _, shard := range free {
		poorest := node // among equals, since it acts at once
		for _, name := range names {
			if held[name] < held[poorest] {
				poorest = name
			}
		}
		owners[shard] = poorest
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

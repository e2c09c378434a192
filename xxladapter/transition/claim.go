package transition

import (
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Claim makes the planned fire id the term's own. It returns the claimed fires, one for each log
// row that the caller inserts: the first one replaces the planned fire, further ones are shards
// of a broadcast and new rows, with an ID of 0. The store sets LogID, since it assigns the ids. If
// the type of the fire is [xxladapter.TriggerType.Ordered], the store also adds the log ids to the
// order.
//
// now is the store's clock itself, not an estimate of it: no fire is claimed before it is due,
// and Claimed becomes that instant in whole milliseconds.
//
// Claim reads the fields Holds and Fire of r. The error is [xxladapter.ErrFenced] if the term is
// over, [xxladapter.ErrConflict] if the fire is no longer planned, and [xxladapter.ErrEarly] if it
// is not due. Without a log row, or with several for one shard, the error is none of these.
func Claim(r Rows, by xxladapter.Term, id int64, logs int, now time.Time) ([]xxladapter.Fire, error) {
	now = now.UTC().Truncate(time.Millisecond)
	switch {
	case logs == 0:
		return nil, fmt.Errorf("fire %d is claimed with 0 log rows, must have one for each shard", id)
	case !r.Holds:
		return nil, Fenced(by)
	case r.Fire == nil || r.Fire.State != xxladapter.FirePlanned:
		return nil, xxladapter.Conflictf(errorrule.FireClaimed, "fire %d is no longer planned", id)
	case r.Fire.ShardTotal > 0 && logs > 1:
		return nil, fmt.Errorf("fire %d is one shard and is claimed with %d log rows, must have one", id, logs)
	case now.Before(r.Fire.Due):
		return nil, &xxladapter.EarlyError{FireID: id, Due: r.Fire.Due, Now: now}
	}
	claimed := make([]xxladapter.Fire, logs)
	for i := range claimed {
		shard := *r.Fire
		shard.Addresses = slices.Clone(r.Fire.Addresses)
		if shard.Param != nil {
			param := *shard.Param
			shard.Param = &param
		}
		shard.State, shard.Owner, shard.Claimed = xxladapter.FireClaimed, by, now
		if shard.ShardTotal == 0 { // otherwise it is the retry of that one shard
			shard.ShardIndex, shard.ShardTotal = i, logs
		}
		if i > 0 {
			shard.ID = 0
		}
		claimed[i] = shard
	}
	return claimed, nil
}

// TakeFire reports whether a claimed or ambiguous fire of the term from may become the caller's:
// it may if from is over, or the caller's own. formerHolds says whether from still holds.
//
// TakeFire reads the fields Holds and Fire of r. The error is [xxladapter.ErrFenced] if the
// caller's term is over; it is [xxladapter.ErrConflict] if the fire is no longer from's, or if from
// holds and is not the caller's own.
func TakeFire(r Rows, by xxladapter.Term, id int64, from xxladapter.Term, formerHolds bool) error {
	switch {
	case !r.Holds:
		return Fenced(by)
	case r.Fire == nil || r.Fire.State == xxladapter.FirePlanned || r.Fire.Owner != from:
		return xxladapter.Conflictf(errorrule.FireOwner, "fire %d is no longer owned by node %q in term %d",
			id, from.Node, from.Number)
	case from != by && formerHolds:
		return xxladapter.Conflictf(errorrule.FireOwner, "fire %d is owned by node %q, whose term %d holds",
			id, from.Node, from.Number)
	}
	return nil
}

package xxladapter

import (
	"context"
	"time"
)

// A FireState is where a fire stands between its due time being consumed and
// its hand-over being settled.
type FireState string

const (
	// FirePlanned: written in the transaction that moved the job's next
	// trigger time. Any node may claim it.
	FirePlanned FireState = "planned"
	// FireClaimed: a node is about to send it, or died doing so. It has its
	// log rows.
	FireClaimed FireState = "claimed"
	// FireAmbiguous: it was sent, or may have been, and no answer came.
	FireAmbiguous FireState = "ambiguous"
)

// Values lists all states.
func (FireState) Values() []FireState { return []FireState{FirePlanned, FireClaimed, FireAmbiguous} }

// Validate refuses a state that does not exist; the empty one means any.
func (s FireState) Validate() error { return checkOneOfOrEmpty("state", s) }

// A Fire is the durable promise that a due time gives one trigger.
//
// Invariant: (JobID, Due, ShardIndex) is unique among open fires, and since
// Due only moves forward with the job's next trigger time, a due time never
// gets a second one. A settled fire leaves the store; its log row stays.
type Fire struct {
	ID    int64
	JobID int64
	// GroupID is the group of the job, by which fires queue for their executor app. The store
	// sets it from the job's row when the fire is planned, whatever the caller has set, and
	// moves it with the job; 0 if there is no such job. It may lag behind a move that happens at
	// the same time, or that another program makes: addresses and log rows therefore come from
	// the job's own group.
	GroupID int64
	Due     time.Time // whole milliseconds
	Type    TriggerType
	State   FireState

	// ShardIndex and ShardTotal are 0 and 0 until the fire is claimed, and for
	// a fire that is not a broadcast afterwards 0 and 1. A planned fire with a
	// ShardTotal above 0 is the retry of that one shard.
	ShardIndex int
	ShardTotal int

	RetryCount int      // attempts left; negative: take the job's
	Param      *string  // nil: take the job's
	Addresses  []string // empty: take the group's

	Owner   Term      // the term it was claimed in, or taken over
	LogID   int64     // set when claimed
	Claimed time.Time // zero until claimed
}

// A FireFilter selects open fires; zero fields do not restrict.
type FireFilter struct {
	JobID     int64
	State     FireState
	Owner     Term      // claimed in
	Shards    ShardSet  // of the job; empty: all
	DueBefore time.Time // exclusive
	// AfterDue and AfterID name a fire; only those that the list has after it
	// are given, whether it is still open or not. They go together.
	AfterDue time.Time
	AfterID  int64
	Limit    int // 0: all
}

// A Settlement is the known outcome of a hand-over.
type Settlement struct {
	FireID int64
	LogID  int64
	// State is empty when the outcome is certain, and the fire is removed; or
	// [FireAmbiguous].
	State FireState
	// Code and Msg go into the trigger columns of the log row; 0 leaves them.
	Code int
	Msg  string
	// Next are fires to plan in the same transaction, as PlanFires does, if it
	// is this call that removed the fire.
	Next []Fire
	// Resume is done in the same transaction, if it is this call that removed
	// the fire.
	Resume Resume
}

// A FireStore is the part of [Store] that keeps fires from their planning to their settlement.
//
// A scheduler acts in its term. ClaimFire, TakeOver and SettleFire return [ErrFenced], and write
// nothing, if by is not its node's current term or the lease has lapsed.
type FireStore interface {
	// PlanFires stores fires that do not come from a schedule, and returns them as stored: with
	// ids, planned, and without an owner. A fire whose due time is taken by another fire of the
	// job is moved to the next free millisecond. The job need not exist.
	PlanFires(ctx context.Context, fires []Fire) ([]Fire, error)
	// OpenFires lists the fires that f selects among those that are not settled, by due time,
	// then id.
	OpenFires(ctx context.Context, f FireFilter) ([]Fire, error)
	// ClaimFire makes a planned fire the term's own and inserts its log rows, one for each
	// shard, in one transaction; further shards become fires of their own. It returns the claimed
	// fires in the order of logs, with LogID set. Fires of any job may be claimed, also outside
	// of the term's shards. [ErrConflict] if the fire is no longer planned, or is gone.
	// [ErrEarly] if it is not due yet by the store's clock itself, not by an earlier reading of
	// it. REQUIRES: len(logs) > 0, and 1 for a fire that is the retry of one shard.
	ClaimFire(ctx context.Context, by Term, id int64, logs []*Log) ([]Fire, error)
	// TakeOver makes by the owner of a claimed or ambiguous fire of from, a term that is over.
	// With from equal to by it only checks that the fire is by's own. [ErrConflict] if the fire
	// is not from's any more, or if from still holds.
	TakeOver(ctx context.Context, by Term, id int64, from Term) error
	// SettleFire stores the outcome of a hand-over: it writes the trigger columns of the log row
	// and removes the fire, or keeps it as ambiguous. [ErrConflict], and nothing is written, if
	// the fire belongs to another term. A fire that is gone is no error, because a result may
	// settle it first; the log row gets its columns still. A planned fire belongs to nobody: it
	// can be removed, but not become ambiguous. planned are the fires of s.Next as PlanFires
	// returns them, if it is this call that removed the fire, and else none.
	SettleFire(ctx context.Context, by Term, s Settlement) (planned []Fire, err error)
}

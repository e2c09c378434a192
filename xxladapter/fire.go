package xxladapter

import (
	"context"
	"time"
)

// A FireState is the progress of a fire from its planning to its settlement.
type FireState string

const (
	// FirePlanned is a fire that any node may claim. A scheduled one was written in the
	// transaction that moved the job's next trigger time.
	FirePlanned FireState = "planned"
	// FireClaimed is a fire that a node is about to send, or died while sending. It has its log
	// row.
	FireClaimed FireState = "claimed"
	// FireAmbiguous is a fire that was sent, or may have been, and got no answer.
	FireAmbiguous FireState = "ambiguous"
)

// ReasonUnknown begins the message of a hand-over that ended without anyone knowing whether the
// executor got the run.
const ReasonUnknown = "outcome unknown"

// Values lists all states.
func (FireState) Values() []FireState { return []FireState{FirePlanned, FireClaimed, FireAmbiguous} }

// Validate refuses a state that does not exist; the empty one means any.
func (s FireState) Validate() error { return checkOneOfOrEmpty("state", s) }

// A Fire is the durable promise that a due time gives one trigger. A settled fire leaves the store;
// its log row stays.
//
// Invariant: (JobID, Due, ShardIndex) is unique among open fires. A schedule gives a due time no
// second fire, because the job's next trigger time has moved past it; a [Backfill] may give one.
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

	// ShardIndex and ShardTotal are 0 and 0 until the fire is claimed. Then they are 0 and 1 for a
	// fire that is not a broadcast. A planned fire with a ShardTotal above 0 retries that one
	// shard.
	ShardIndex int
	ShardTotal int

	RetryCount int      // attempts left; negative means the job's
	Param      *string  // nil means the job's
	Addresses  []string // empty means the group's

	// Attempt is 1 for a first attempt and one more with each retry; 0 counts as 1.
	Attempt int
	// Parent is the log row of the run that this fire retries or follows; 0 if there is none.
	Parent int64

	Owner   Term      // the term that claimed it or took it over
	LogID   int64     // set when claimed
	Claimed time.Time // zero until claimed
}

// A FireFilter selects open fires; zero fields do not restrict.
type FireFilter struct {
	JobID int64
	// Groups selects fires whose job is in one of these groups now; nil means all, and an empty
	// list none.
	Groups     []int64
	State      FireState
	Owner      Term         // the term that owns the fire
	IDs        []int64      // ids of fires; nil means all, and an empty list none
	Partitions PartitionSet // the partitions of jobs; empty means all
	DueBefore  time.Time    // exclusive
	// AfterDue and AfterID name a position in the list: the due time and id of a fire, which
	// may no longer be open. The fires behind it are listed. Both are set, or neither.
	AfterDue time.Time
	AfterID  int64
	Limit    int // 0 means no limit
}

// A Settlement is the known outcome of a hand-over.
type Settlement struct {
	FireID int64
	LogID  int64
	// State is empty if the outcome is certain; the fire is then removed. Otherwise it is
	// [FireAmbiguous].
	State FireState
	// Code and Msg are written to the trigger columns of the log row; a Code of 0 leaves both as
	// they are.
	Code int
	Msg  string
	// AwaitResult lets the store wait for a fraction of a second for the result of the run, so that
	// both are written together. It counts only if State is empty and Code is [ResultOK]. Meanwhile
	// the fire is claimed, as it was during the hand-over.
	AwaitResult bool
	// Sent is when the request left for the executor, and Acknowledged when its answer arrived, by
	// the store's clock. Zero adds nothing to the run's history.
	Sent, Acknowledged time.Time
	// Next are fires to plan in the same transaction, as PlanFires does, if this call removes the
	// fire. The store sets their Parent to LogID, and the Attempt of a retry to one more than that
	// of the fire.
	Next []Fire
	// Resume is done in the same transaction, if this call removes the fire.
	Resume Resume
}

// A FireStore is the part of [Store] that keeps fires from their planning to their settlement.
//
// A scheduler acts in its term. ClaimFire, TakeFire and SettleFire return [ErrFenced], and write
// nothing, if by is not its node's current term or the lease has lapsed.
type FireStore interface {
	// PlanFires stores fires that do not come from a schedule, and returns them as stored: with
	// ids, planned, and without an owner. A fire whose due time is taken by another fire of the
	// job is moved to the next free millisecond. The job need not exist.
	PlanFires(ctx context.Context, fires []Fire) ([]Fire, error)
	// OpenFires lists the fires that f selects among those that are not settled, by due time,
	// then id.
	OpenFires(ctx context.Context, f FireFilter) ([]Fire, error)
	// ClaimFire makes a planned fire the term's own and inserts its log rows, one for each shard,
	// in one transaction; further shards become fires of their own. It returns the claimed fires in
	// the order of logs, with LogID set. Fires of any job may be claimed, also outside of the
	// term's partitions. The error is [ErrConflict] if the fire is gone or no longer planned. It is
	// [ErrEarly] if the store's clock, read for this call, is before its due time.
	//
	// REQUIRES: len(logs) > 0, and 1 for a fire that is the retry of one shard.
	ClaimFire(ctx context.Context, by Term, id int64, logs []*Log) ([]Fire, error)
	// TakeFire moves a claimed or ambiguous fire from the term from, which is over, to the term by.
	// If from is by, it only checks that by owns the fire. The error is [ErrConflict] if from no
	// longer owns the fire, or if its lease still holds.
	TakeFire(ctx context.Context, by Term, id int64, from Term) error
	// SettleFire stores the outcome of a hand-over: it writes the trigger columns of the log row
	// and removes the fire, or keeps it as ambiguous. The error is [ErrConflict], and nothing is
	// written, if the fire belongs to another term. A fire that is gone is no error, because a
	// result may settle it first; the columns of the log row are written all the same, unless an
	// executor has taken the run from a queue meanwhile, it has no result, and s.Code is not
	// [ResultOK]. A planned fire has no owner: it can be removed, but not become ambiguous. planned
	// are the fires of s.Next as PlanFires returns them if this call removed the fire, and none
	// otherwise.
	SettleFire(ctx context.Context, by Term, s Settlement) (planned []Fire, err error)
}

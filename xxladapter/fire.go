package xxladapter

import "time"

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

// A Fire is the durable promise that a due time gives one trigger.
//
// Invariant: (JobID, Due, ShardIndex) is unique among open fires, and since
// Due only moves forward with the job's next trigger time, a due time never
// gets a second one. A settled fire leaves the store; its log row stays.
type Fire struct {
	ID    int64
	JobID int64
	Due   time.Time // whole milliseconds
	Type  TriggerType
	State FireState

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

// A Misfire records due times that gave no fire of their own, and the policy
// that decided so.
type Misfire struct {
	ID     int64
	JobID  int64
	Due    time.Time // the first due time concerned
	Until  time.Time // the last one
	Policy MisfireStrategy
	At     time.Time // when it was noticed, by the store's clock
}

// A Decision is what becomes of one due job: fires to plan, misfires to
// record, and the job's new times. All of it is stored in one transaction.
type Decision struct {
	JobID    int64
	Fires    []Fire
	Misfires []Misfire
	Last     time.Time // new TriggerLast
	Next     time.Time // new TriggerNext; REQUIRES: later than the one before, or zero with Stop
	Stop     bool      // the schedule has ended: the job is switched off
	Reason   string    // why, for people
}

package checker

import "github.com/xxlwheel/xxlwheel/xxladapter"

// A History is all that is known about what jobs should have done and what they did. The order
// inside its slices has no meaning.
type History struct {
	Changes  []Change
	Runs     []Run
	Misfires []Misfire
	Losses   []Loss
	Triggers []Trigger
	Resends  []Resend
	Results  []Result
	Acks     []Ack
	Logs     []Log

	// End is the time of the final read: nothing later was recorded. 0 means the latest instant of
	// the runs, changes, misfires, losses and results.
	End Instant

	// Writers names the recorders of runs; see Run.By.
	Writers []string

	// Cut counts the lines that a kill cut off. They are ignored.
	Cut int
}

// An Op is what a change does to a job.
type Op string

const (
	OpCreate Op = "create" // the job exists, stopped
	OpStart  Op = "start"  // the schedule is on, counted from the moment of the change
	OpStop   Op = "stop"   // the schedule is off
	OpEdit   Op = "edit"   // a new definition; a new schedule counts from the moment of the change
	OpRemove Op = "remove" // the job is gone
)

// A Change is one step in the life of a job.
type Change struct {
	Job int64
	Op  Op

	// The change took effect at one instant from Asked, when it was requested, to Acked, when its
	// success was known. Acked is 0 if no answer came; then the change took effect before the job's
	// next change was requested, or never. A change that was refused is not recorded.
	Asked, Acked Instant

	// First is the first due time that a start or an edit led to; 0 means unknown.
	First Instant

	// The definition, for OpCreate and OpEdit. Zone is an IANA name; empty means UTC. An edit that
	// keeps type, configuration and zone, and has no First, does not touch the schedule.
	Type     xxladapter.ScheduleType
	Conf     string
	Zone     string
	Children []int64 // triggered by every successful run
	Retries  int     // how many runs may follow a failed one
}

// A Run is one arrival of a trigger at an executor.
type Run struct {
	Job int64
	Log int64   // the scheduler's id of the run; 0 means unknown
	Due Instant // 0 means unknown, as from executors that do not learn it

	At    Instant // when it arrived
	Start Instant // when its code started; 0 means that it did not
	End   Instant // when its code ended; 0 means that it did not
	Code  int32   // the result, once it has ended

	// Shard and Shards are the index and the total of a sharding broadcast. For any other run the
	// index is 0 and the total 0 or 1.
	Shard, Shards int32

	By int32 // index into History.Writers; negative means unknown
}

// A Misfire is the scheduler's record of due times without a run of their own, with the misfire
// strategy that caused that. [xxladapter.MisfireStoreLost] means that each of them may have a run.
type Misfire struct {
	Job        int64
	Due, Until Instant // the first and the last due time concerned
	Strategy   xxladapter.MisfireStrategy
	At         Instant // when it was noticed
}

// A Loss is the scheduler's record that its store may have lost what was stored from Since to
// Until.
type Loss struct{ Since, Until Instant }

// A Trigger is a reason for a run other than the schedule, or, with a Log, the reason for that run,
// whatever it is.
type Trigger struct {
	Job  int64
	Type xxladapter.TriggerType
	Log  int64 // the run it led to; 0 means unknown
	Of   int64 // the run that failed or ended before it; 0 means none or unknown

	// When it was requested and acknowledged. Acked is 0 if no answer came. Both may be 0 if Log is
	// known.
	Asked, Acked Instant
}

// A Resend says that a hand-over whose outcome was unknown was sent again with the same log id.
type Resend struct {
	Log int64
	At  Instant
}

// A Result says that the scheduler has applied the result of a run.
type Result struct {
	Log  int64
	Code int32
	At   Instant
}

// An Ack says that the executor of a run has learnt that the scheduler has its result.
type Ack struct {
	Log int64
	At  Instant
}

// A Log is a row of the scheduler's log table at the final read. A history contains either all rows
// or none.
type Log struct {
	Log         int64
	Job         int64
	Due         Instant // 0 means unknown
	TriggerCode int32
	HandleCode  int32
	Handled     Instant // when the result was stored; 0 means unknown
}

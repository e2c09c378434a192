package xxladapter

import (
	"context"
	"time"
)

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

// A MisfireFilter selects misfires; zero fields do not restrict.
type MisfireFilter struct {
	JobID int64
	// AfterID is a position in the listed order, as in [LogFilter].
	AfterID int64
	// Newest lists the newest misfires first.
	Newest bool
	Limit  int // 0: all
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

// A Resume lets the schedule of a job go on that waits for the end of its runs:
// Next becomes its TriggerNext, if it is [AfterRun], the job is running, and
// nothing of its last due time is left: no open fire of the job, and no run
// without a result that an executor took since. The zero value does nothing.
type Resume struct {
	JobID int64
	Next  time.Time
}

// A ScheduleStore is the part of [Store] that turns schedules into fires.
type ScheduleStore interface {
	// AgreeZone returns the time zone in which all schedulers of the store read schedules. The
	// first call stores the given zone; later calls return that one and store nothing.
	AgreeZone(ctx context.Context, zone string) (string, error)
	// ChangeZone replaces the agreed zone. Jobs keep the next times that they have.
	// [ErrConflict] while the lease of any node holds.
	ChangeZone(ctx context.Context, zone string) error

	// ClaimDue takes the running jobs of the term's shards whose next trigger time is at most
	// ahead from now, and of all shards those whose time is nearer than a fifth of that: their
	// owner is gone or late, and shards spread load; they must not delay overdue jobs. A term
	// without shards takes none. At most limit jobs are taken, earliest first, and no other
	// scheduler takes the same ones.
	//
	// ClaimDue calls decide once with the store's clock and the jobs, and again if the
	// transaction has to be repeated; decide is not called if nothing is due. It must be a pure
	// function; it may change the jobs that it gets, and decisions about other jobs are ignored.
	// The decisions are stored. planned are the fires that they planned, with ids; a due time
	// that has a fire already gives none. due is the number of jobs that were due: those that
	// decide got, and those that another session holds locked, where the store skips them.
	//
	// [ErrFenced], and nothing is written, if by is over.
	ClaimDue(ctx context.Context, by Term, ahead time.Duration, limit int,
		decide func(now time.Time, due []*Job) []Decision) (planned []Fire, due int, err error)
	// ResumeJob does what r says, for a job whose last run ended while nobody resumed the job in
	// the same transaction: its row was cleaned away, or another tool ended it. resumed is false,
	// and nothing is written, if a condition of [Resume] is not met or the job does not exist.
	ResumeJob(ctx context.Context, r Resume) (resumed bool, err error)
	// Misfires lists the misfires that f selects, by id.
	Misfires(ctx context.Context, f MisfireFilter) ([]Misfire, error)
}

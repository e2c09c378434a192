package xxladapter

import (
	"context"
	"time"
)

// A Misfire records due times that gave no fire of their own, and the strategy that decided so.
// With [MisfireStoreLost] as its strategy, which makes its kind [MisfireLost], none decided.
type Misfire struct {
	ID       int64
	JobID    int64
	Due      time.Time // the first due time concerned
	Until    time.Time // the last one
	Strategy MisfireStrategy
	At       time.Time // when it was noticed, by the store's clock

	// PauseID is the pause in which the due times lay, and Calendar the name of the calendar
	// whose days without work they fell on. Both are empty for due times that were found too late.
	//
	// A job has one misfire for each pause: what a later decision records with the same PauseID
	// moves At of the stored one, and Until if it is later.
	PauseID  int64
	Calendar string
}

// Kind returns why the due times gave no fires of their own.
func (m *Misfire) Kind() MisfireKind {
	switch {
	case m.PauseID != 0:
		return MisfirePaused
	case m.Calendar != "":
		return MisfireExcluded
	case m.Strategy == MisfireStoreLost:
		return MisfireLost
	}
	return MisfireLate
}

// A MisfireKind says why due times gave no fires of their own.
type MisfireKind string

const (
	MisfireLate     MisfireKind = "late"     // found too late
	MisfirePaused   MisfireKind = "paused"   // in a [Pause]
	MisfireExcluded MisfireKind = "excluded" // on days without work of the job's [Calendar]
	MisfireLost     MisfireKind = "lost"     // their fires may have been sent, but the store has lost them
)

// Values lists all kinds.
func (MisfireKind) Values() []MisfireKind {
	return []MisfireKind{MisfireLate, MisfirePaused, MisfireExcluded, MisfireLost}
}

// A MisfireFilter selects misfires; zero fields do not restrict.
type MisfireFilter struct {
	JobID int64
	// From and To select misfires that concern a due time from From on and before To: their Until
	// is not before From, and their Due is before To.
	From, To time.Time
	// AfterID is a position in the listed order, as in [LogFilter].
	AfterID int64
	// Newest lists the newest misfires first.
	Newest bool
	Limit  int // 0 means no limit
}

// A Decision says what happens to one due job: the fires to plan, the misfires to record, and the
// job's new times. All of it is stored in one transaction.
type Decision struct {
	JobID    int64
	Fires    []Fire
	Misfires []Misfire
	Last     time.Time // new TriggerLast
	Next     time.Time // new TriggerNext; must be later than the one before, or zero with Stop
	Stop     bool      // switches the job off, because its schedule has ended
	Reason   string    // explains the decision to people
}

// A Resume continues the schedule of a job that waits for the end of its runs. Next becomes the
// job's TriggerNext under three conditions: the job waits, see [Job.Waits]; it has no open fire;
// and no run that an executor took since the last due time is without a result. The zero value does
// nothing.
type Resume struct {
	JobID int64
	Next  time.Time
}

// BehindAfter is how long a fire of a job's schedule may be due and still planned. After that the
// job is behind, and ClaimDue no longer takes it. BehindAfter is well below the default misfire
// window of five seconds, so that due times that had to wait still fire when the job has caught up.
const BehindAfter = 1 * time.Second

// A ScheduleStore is the part of [Store] that turns schedules into fires.
type ScheduleStore interface {
	// AgreeZone returns the time zone in which all schedulers of the store read schedules. The
	// first call stores the given zone; later calls return that one and store nothing.
	AgreeZone(ctx context.Context, zone string) (string, error)
	// ChangeZone replaces the agreed zone. Jobs keep the next times that they have. The error is
	// [ErrConflict] while the lease of any node holds.
	ChangeZone(ctx context.Context, zone string) error

	// ClaimDue takes the running jobs of the term's partitions whose next trigger time is at most
	// ahead from now. It also takes jobs of other partitions whose time is less than a fifth of
	// that away, because their owner is gone or late: partitions spread load; they must not delay
	// overdue jobs. A term without partitions takes none. At most limit jobs are taken, earliest
	// first, and no other scheduler takes the same ones.
	//
	// A job that is behind is not taken: one with a planned fire of type CRON or MISFIRE that has
	// been due for more than [BehindAfter]. Its later due times stay in TriggerNext until the fire
	// is claimed. So what can be planned before it can be sent is bounded, and jobs that are behind
	// do not count towards limit.
	//
	// ClaimDue calls decide once with the store's clock and the jobs, and again if the transaction
	// has to be repeated; decide is not called if nothing is due. The jobs have their Restrictions
	// as they stand in the transaction. decide must be a pure function; it may change the jobs that
	// it gets. Decisions about other jobs are ignored, and all but the first about a job. The
	// decisions are stored. planned are the fires that they planned, with ids, in any order; a due
	// time that has a fire already gives none. due is the number of jobs that were due: those that
	// decide got, and those that another session holds locked, where the store skips them.
	//
	// The error is [ErrFenced], and nothing is written, if by is over.
	ClaimDue(ctx context.Context, by Term, ahead time.Duration, limit int,
		decide func(now time.Time, due []*Job) []Decision) (planned []Fire, due int, err error)
	// ResumeJob does what r says for a job that was not resumed together with the end of its last
	// run, because the log row was deleted or another program ended the run. resumed is false, and
	// nothing is written, if a condition of [Resume] is not met or the job does not exist.
	ResumeJob(ctx context.Context, r Resume) (resumed bool, err error)
	// Misfires lists the misfires that f selects, by id.
	Misfires(ctx context.Context, f MisfireFilter) ([]Misfire, error)
	// PurgeMisfires deletes misfires that were recorded before a time, lowest ids first, and
	// returns how many it deleted: at most limit, in one transaction.
	PurgeMisfires(ctx context.Context, before time.Time, limit int) (int, error)
}

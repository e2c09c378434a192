package xxladapter

import (
	"context"
	"time"
)

// A Store keeps jobs, groups, registrations, fires and logs. All methods may
// be called from any goroutine. Each one is atomic: it has happened whole and
// durably when it returns nil, and not at all when it returns an error, unless
// the error comes from ctx or from the connection, when it may have happened.
//
// Returned values belong to the caller. Lists come in ascending id order.
//
// The package storetest holds the suite that every Store passes.
type Store interface {
	// Now is the store's clock, by which due times are judged.
	Now(ctx context.Context) (time.Time, error)

	// AgreeZone returns the time zone in which all schedulers of the store read
	// schedules. It is the given one if the store had none, and kept from then on.
	AgreeZone(ctx context.Context, zone string) (string, error)
	// ChangeZone replaces it. Jobs keep the next times that they have.
	// [ErrConflict] while the lease of any node holds.
	ChangeZone(ctx context.Context, zone string) error

	// CreateJob stores a new job, stopped, and returns its id.
	// [ErrNotFound] if the group does not exist.
	CreateJob(ctx context.Context, j *Job) (int64, error)
	// UpdateJob stores what an operator edits, which is everything but
	// Running, the trigger times, Added and the glue fields. With a zero
	// GlueUpdated the other glue fields are stored too, as a new version, whose
	// GlueUpdated is later than the one before; see [GlueStore]. With reschedule
	// it also sets TriggerNext, and drops the planned fires of the old
	// schedule. [ErrNotFound] if the job or its group does not exist.
	// [ErrConflict] if the job was changed since the caller read it, which its
	// Updated tells unless that is zero; with reschedule also if TriggerNext is not
	// after the store's clock, or a later one was claimed: the old schedule may have
	// sent a fire for it already.
	UpdateJob(ctx context.Context, j *Job, reschedule bool) error
	// StartJob switches the schedule on and returns the first due time. It asks
	// first for it, as a cron.Plan's Next tells it: the first one after the store's
	// clock, or after the last due time that an open fire has, if that is later. It asks
	// again if the transaction has to be repeated, and it asks for nothing if the job
	// runs, which is left as it is. Where first answers with the zero time, so does
	// StartJob, and the job stays off.
	//
	// seen is the job's Updated when the caller read it; the zero time stands for
	// whatever it is. [ErrConflict] if the job was changed since: an order that was
	// held up must not undo a later one.
	StartJob(ctx context.Context, id int64, seen time.Time, first func(after time.Time) time.Time) (next time.Time, err error)
	// StopJob switches the schedule off, sets both trigger times to zero and
	// drops the planned fires that came from the schedule. Once it has
	// returned, none of them can be claimed. A stopped job is left as it is.
	// seen is as for StartJob.
	StopJob(ctx context.Context, id int64, seen time.Time) error
	// RemoveJob deletes the job with its planned fires, misfires and alarms. Its
	// log rows, of which there may be millions, go afterwards: see
	// [LogPurge.Removed]. Until then they are listed, and take results.
	RemoveJob(ctx context.Context, id int64) error
	Job(ctx context.Context, id int64) (*Job, error)
	Jobs(ctx context.Context, f JobFilter) ([]*Job, error)

	// SaveGroup stores a group, as a new one if its ID is 0, and returns its
	// id. The addresses of an automatic group are computed, not taken.
	// [ErrConflict] if another group has the app name.
	SaveGroup(ctx context.Context, g *Group) (int64, error)
	// RemoveGroup deletes a group. [ErrConflict] while it has jobs.
	RemoveGroup(ctx context.Context, id int64) error
	Group(ctx context.Context, id int64) (*Group, error)
	Groups(ctx context.Context) ([]*Group, error)

	// Register notes a beat. The address is part of its automatic group when
	// it returns; an app name without a group is kept for the day it gets one.
	Register(ctx context.Context, appName, address string) error
	// Unregister forgets an address at once; one that is unknown is fine.
	Unregister(ctx context.Context, appName, address string) error
	// ExpireRegistrations forgets the addresses whose last beat is older than
	// life and returns them.
	ExpireRegistrations(ctx context.Context, life time.Duration) ([]Registration, error)

	// Lease gives node the right to claim and settle for life from now, or
	// renews it. The term stays the same while the node renews before its lease
	// lapses; else it is a new one. The shards are dealt by [Deal] among the
	// nodes whose leases hold, without the retired ones. When the clock was set back, a lease that was
	// given before holds for no longer than its life from the next call on.
	// REQUIRES: node is not empty and life is at least a millisecond.
	Lease(ctx context.Context, node string, life time.Duration) (Lease, error)
	// Retire takes a term's shards away for good, for a node that is about to
	// stop. It goes on to hold, to be renewed, and to settle what it has claimed.
	// A term that is over is no error.
	Retire(ctx context.Context, term Term) error
	// Resign ends a term at once: its shards are free and its fires may be taken
	// over. A term that is over already is no error.
	Resign(ctx context.Context, term Term) error

	// Leases lists the leases that hold, by node, without what they say of
	// other nodes. Nobody is given anything.
	Leases(ctx context.Context) ([]Lease, error)

	// The four calls by which a scheduler acts present its term. If that is not
	// the node's current term, or its lease has lapsed, they return [ErrFenced]
	// and write nothing.

	// ClaimDue takes the running jobs of the term's shards whose next trigger
	// time is at most ahead from now, and of all shards those whose time is
	// nearer than a fifth of that: their owner is gone or late, and shards are
	// for sharing the work, not for letting it lie. A term without shards takes
	// none. It takes at most limit of them, earliest first, so that no other scheduler takes them; asks decide once, or again if the transaction has to be
	// repeated; stores the decisions and returns the fires they planned, with
	// ids, together with the number of jobs that were due: those that decide was
	// shown, and those that another session holds locked, where the store passes them
	// by. decide must be a pure function.
	ClaimDue(ctx context.Context, by Term, ahead time.Duration, limit int,
		decide func(now time.Time, due []*Job) []Decision) (planned []Fire, due int, err error)
	// ClaimFire makes a planned fire the term's own and inserts its log rows, one
	// for each shard, in one transaction; further shards become fires of their
	// own. It returns the claimed fires in the order of logs, with LogID set.
	// Fires of any job may be claimed, also outside of the term's shards.
	// REQUIRES: len(logs) > 0. [ErrConflict] if the fire is no longer planned,
	// or is gone. [ErrEarly] if it is not due yet by the store's clock itself, not by
	// what the store remembers of it.
	ClaimFire(ctx context.Context, by Term, id int64, logs []*Log) ([]Fire, error)
	// TakeOver makes a claimed or ambiguous fire of a term that is over the
	// caller's own; of its own fires it says that they are its own.
	// [ErrConflict] if the fire is not from's any more, or from still holds.
	TakeOver(ctx context.Context, by Term, id int64, from Term) error
	// SettleFire stores the outcome of a hand-over: it writes the trigger
	// columns of the log row and removes the fire, or keeps it as ambiguous.
	// [ErrConflict], and nothing is written, if the fire belongs to another term.
	// A fire that is gone is no error, since a result may settle it first; the
	// log row gets its columns still. A planned fire belongs to nobody, and can
	// be removed, but not become ambiguous.
	SettleFire(ctx context.Context, by Term, s Settlement) error

	// PlanFires stores fires that do not come from a schedule. A fire whose
	// due time is taken is moved to the next free millisecond. It returns the
	// fires as stored.
	PlanFires(ctx context.Context, fires []Fire) ([]Fire, error)
	// OpenFires lists fires that are not settled, ordered by due time, then id.
	OpenFires(ctx context.Context, f FireFilter) ([]Fire, error)
	// FinishRun stores the result of a run, whatever node brings it. applied is false if the row had a
	// result before, which stays. [ErrNotFound] if there is no such row. An
	// ambiguous or claimed fire of the row is settled by it as sent.
	FinishRun(ctx context.Context, r RunResult) (applied bool, err error)

	// ResumeJob does what r says, for a job whose last run ended without
	// somebody to do it in its transaction: its row was cleaned away, or another
	// tool ended it. resumed is false if r asks for more than is the case.
	ResumeJob(ctx context.Context, r Resume) (resumed bool, err error)

	// LostRuns lists up to limit runs that an executor took at least age ago,
	// that have no result, and whose address is not registered. Rows come with
	// ids above after.
	LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*Log, error)
	// WriteOffStuck stores code and msg as the outcome of triggers that have
	// none and will get none: log rows without a trigger code and without a
	// result, of a trigger time at least age ago, that no open fire has. It
	// takes up to limit of them, in one transaction, and returns them as they are then.
	WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) ([]*Log, error)

	Log(ctx context.Context, id int64) (*Log, error)
	Logs(ctx context.Context, f LogFilter) ([]*Log, error)
	Misfires(ctx context.Context, f MisfireFilter) ([]Misfire, error)

	AlarmStore
	ReportStore
	PurgeStore
	RunTextStore
	GlueStore
	OrderStore

	// Close waits for running calls and releases the store. Later calls fail.
	Close() error
}

// A JobFilter selects jobs; zero fields do not restrict.
type JobFilter struct {
	GroupID int64
	Name    string // part of the name
	Running *bool
	// Waiting selects running jobs whose TriggerNext is [AfterRun].
	Waiting bool
	// KeepLogs selects jobs that have this setting; empty: all.
	KeepLogs KeepLogs
	AfterID  int64
	Limit    int // 0: all
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

// A LogFilter selects log rows; zero fields do not restrict.
type LogFilter struct {
	JobID   int64
	GroupID int64
	Status  LogStatus
	// Since is inclusive and Before exclusive; both are about TriggerTime.
	Since, Before time.Time
	// AfterID is a position in the listed order: with Newest, the rows older than
	// it follow.
	AfterID int64
	// Newest lists the newest rows first.
	Newest bool
	Limit  int // 0: all
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

// A Resume lets the schedule of a job go on that waits for the end of its runs:
// Next becomes its TriggerNext, if it is [AfterRun], the job is running, and
// nothing of its last due time is left: no open fire of the job, and no run
// without a result that an executor took since. The zero value does nothing.
type Resume struct {
	JobID int64
	Next  time.Time
}

// A RunResult is what an executor reported about a run.
type RunResult struct {
	LogID int64
	Code  int // not 0
	Msg   string
	// Next are fires to plan in the same transaction, as PlanFires does, if the
	// result is applied. Those of a failed run are left out if its hand-over is
	// stored as failed, which they followed from already, see [HandOverFailed].
	Next []Fire
	// Resume is done in the same transaction, if the result is applied.
	Resume Resume
	// WantText asks for the run's text to be fetched, if the result is applied.
	WantText bool
}

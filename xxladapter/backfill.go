package xxladapter

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// MaxBackfill is how many due times one backfill may have.
	MaxBackfill = 10_000
	// MaxBackfillParallel is how many runs of a backfill may be in progress at once.
	MaxBackfillParallel = 100
)

// A BackfillState is the progress of a backfill. It never goes back.
type BackfillState string

const (
	BackfillRunning   BackfillState = "RUNNING"
	BackfillDone      BackfillState = "DONE"      // each due time has ended
	BackfillCancelled BackfillState = "CANCELLED" // nothing more is planned
)

// Values lists all states.
func (BackfillState) Values() []BackfillState {
	return []BackfillState{BackfillRunning, BackfillDone, BackfillCancelled}
}

// Validate refuses a state that does not exist; the empty one means any.
func (s BackfillState) Validate() error { return checkOneOfOrEmpty("state", s) }

// A Backfill runs a job for past due times: each once, in a given order, with a limit of runs in
// progress. It is durable, so any scheduler of the store continues it.
type Backfill struct {
	ID    int64
	JobID int64
	State BackfillState
	// Changed counts the changes, so that of two schedulers that advance it one is refused.
	Changed int64
	// Dues are the due times in the order of their runs, in whole milliseconds. Lists leave them
	// out.
	Dues []time.Time

	BackfillProgress
}

// BackfillProgress is the part of a [Backfill] that stores keep as JSON.
type BackfillProgress struct {
	From     time.Time `json:"from"` // inclusive
	To       time.Time `json:"to"`   // exclusive
	Newest   bool      `json:"newest,omitempty"`
	Parallel int       `json:"parallel"` // 1 to [MaxBackfillParallel]
	Param    *string   `json:"param,omitempty"`
	By       string    `json:"by,omitempty"` // who asked for it

	Created time.Time `json:"created"`        // by the store's clock
	Ended   time.Time `json:"ended,omitzero"` // when it was done or cancelled

	Total   int `json:"total"`   // the number of due times
	Planned int `json:"planned"` // how many of them, in order, became fires
	// Succeeded, Failed and Dropped count the due times that have ended, by their first attempts. A
	// due time is dropped if its fire never became a run, or if its run was deleted.
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Dropped   int `json:"dropped"`
	// Open are the due times in progress.
	Open []BackfillRun `json:"open,omitempty"`
}

// A BackfillRun is a due time of a backfill in progress, with the order of its fire.
type BackfillRun struct {
	Due   time.Time `json:"due"`
	Order int64     `json:"order"`
}

// Fire returns the fire of a due time of the backfill.
func (b *Backfill) Fire(due time.Time) Fire {
	return Fire{JobID: b.JobID, Due: due, Type: TriggerBackfill, State: FirePlanned, RetryCount: -1, Param: b.Param}
}

// Wants returns how many more due times may be planned now.
func (b *Backfill) Wants() int { return min(b.Parallel-len(b.Open), b.Total-b.Planned) }

// Fields returns what the audit shows of a backfill that begins.
func (b *Backfill) Fields() Fields {
	fields := Fields{
		{Name: "backfill", Value: b.ID}, {Name: "from", Value: b.From.UTC()}, {Name: "to", Value: b.To.UTC()},
		{Name: "dueTimes", Value: b.Total}, {Name: "parallel", Value: b.Parallel}, {Name: "newest", Value: b.Newest},
	}
	if b.Param != nil {
		fields = append(fields, Field{Name: "executorParam", Value: *b.Param})
	}
	return fields
}

// A BackfillFilter selects backfills; zero fields do not restrict.
type BackfillFilter struct {
	JobID  int64
	Groups []int64 // of the job now; nil means all, and an empty list none
	State  BackfillState
	Before int64 // backfills with smaller ids
	Limit  int   // 0 means no limit
}

// A BackfillStore is the part of [Store] that keeps backfills. They are removed with their job.
// Methods that take an id return [ErrNotFound] if there is no such backfill.
type BackfillStore interface {
	// CreateBackfill stores a running backfill and returns its id. ID, State, Changed, Created and
	// the counts are set by the store. The error is [ErrNotFound] if there is no such job, and
	// [ErrConflict] if a backfill of the job is running: no due time gets two runs at once. It is
	// an [Error] with [CodeInvalid] if a log row has no room for b.Param.
	//
	// REQUIRES: b has 1 to [MaxBackfill] due times after 1970 and before the year 5000, each once.
	CreateBackfill(ctx context.Context, b *Backfill) (int64, error)
	// AdvanceBackfill stores which due times of a backfill have ended, and plans the next ones: the
	// counts and Open are those of b, and as many due times as b.Wants returns get a fire and an
	// order, in one transaction. It stops before a due time at which the job has another open fire;
	// that one is planned by a later call. When nothing is left the backfill is done. It returns
	// the planned fires. The error is [ErrConflict], and nothing is stored, if the backfill was
	// changed since b was read, or is not running.
	AdvanceBackfill(ctx context.Context, b *Backfill) ([]Fire, error)
	// CancelBackfill ends a running backfill and drops its fires that are still planned. Once it
	// has returned, none of them can be claimed. Runs in progress continue. The error is
	// [ErrConflict] if the backfill is not running.
	CancelBackfill(ctx context.Context, id int64) error
	// Backfill returns a backfill with its due times.
	Backfill(ctx context.Context, id int64) (*Backfill, error)
	// Backfills lists the backfills that f selects, newest first.
	Backfills(ctx context.Context, f BackfillFilter) ([]*Backfill, error)
}

// NewBackfill returns b as it is stored at a time under an id.
func NewBackfill(b *Backfill, id int64, now time.Time) *Backfill {
	c := *b
	c.ID, c.State, c.Changed = id, BackfillRunning, 1
	c.Dues = append([]time.Time(nil), b.Dues...)
	c.From, c.To, c.Created, c.Ended = wholeMilli(b.From), wholeMilli(b.To), wholeMilli(now), time.Time{}
	c.Total, c.Planned, c.Succeeded, c.Failed, c.Dropped, c.Open = len(b.Dues), 0, 0, 0, 0, nil
	return &c
}

// Advance sets the progress of b, the stored backfill, to what a caller has found. The error is
// [ErrConflict] if b is not running, or was changed since the caller read it.
func (b *Backfill) Advance(found *Backfill) error {
	if b.State != BackfillRunning || b.Changed != found.Changed {
		return Conflictf(errorrule.BackfillChanged, "backfill %d was changed meanwhile", b.ID)
	}
	b.Changed++
	b.Succeeded, b.Failed, b.Dropped = found.Succeeded, found.Failed, found.Dropped
	b.Open = append([]BackfillRun(nil), found.Open...)
	return nil
}

// HasPlanned notes a due time that has become a fire.
func (b *Backfill) HasPlanned(due time.Time, order int64) {
	b.Open = append(b.Open, BackfillRun{due, order})
	b.Planned++
}

// Settle ends the backfill if nothing is left of it.
func (b *Backfill) Settle(now time.Time) {
	if b.Planned == b.Total && len(b.Open) == 0 {
		b.State, b.Ended = BackfillDone, wholeMilli(now)
	}
}

// Cancel ends the backfill. The error is [ErrConflict] if it is not running.
func (b *Backfill) Cancel(now time.Time) error {
	if b.State != BackfillRunning {
		return Conflictf(errorrule.BackfillState, "backfill %d is %s, must be %s", b.ID, b.State, BackfillRunning)
	}
	b.Changed++
	b.State, b.Ended = BackfillCancelled, wholeMilli(now)
	return nil
}

// wholeMilli truncates t to milliseconds in UTC; the zero time stays.
func wholeMilli(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

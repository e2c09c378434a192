package xxladapter

import (
	"context"
	"time"
)

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

// A RunStore is the part of [Store] that ends runs.
type RunStore interface {
	// FinishRun stores the result of a run, whatever node brings it, and settles the claimed or
	// ambiguous fire of the run as sent. applied is false if the row has a result already; that
	// one stays, and none of what follows from r happens. The message is cut to [MaxHandleMsg]
	// characters. [ErrNotFound] if there is no such log row. REQUIRES: r.Code is not
	// [ResultNone]; it is refused, and nothing is written. planned are the fires of r.Next as
	// PlanFires returns them; none if they were left out.
	FinishRun(ctx context.Context, r RunResult) (applied bool, planned []Fire, err error)
	// LostRuns lists up to limit runs that an executor took at least age ago, that have no
	// result, and whose address is not registered. Log ids are above after.
	LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*Log, error)
	// WriteOffStuck stores code and msg as the outcome of triggers that have none and will get
	// none: log rows without a trigger code and without a result, of a trigger time at least age
	// ago, that no open fire has. It takes up to limit of them, lowest ids first, in one
	// transaction, and returns them as they are then.
	WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) ([]*Log, error)
}

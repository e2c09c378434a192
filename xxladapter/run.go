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
	// Next are fires to plan in the same transaction, as PlanFires does, if the result is applied.
	// After a failed run they are ignored if the log row says that the hand-over failed: they were
	// planned when that was stored, see [HandOverFailed]. The store sets their Parent to LogID, and
	// the Attempt of a retry to one more than that of the run.
	Next []Fire
	// Resume is done in the same transaction, if the result is applied.
	Resume Resume
	// WantText asks for the run's text to be fetched, if the result is applied.
	WantText bool
}

// An Accept is an executor's request to begin a run that it has taken from a queue.
type Accept struct {
	LogID   int64
	Address string // of the executor, as it is registered
	// Held asks only whether the address has the run already: a run that waits is not given, and
	// may still be given to this address or to another one. If the fire is ambiguous, the store may
	// have lost who has the run, and gives it as without Held.
	Held bool
}

// A RunStore is the part of [Store] that ends runs.
type RunStore interface {
	// FinishRun stores the result of a run and settles the claimed or ambiguous fire of the run as
	// sent. Any node may bring the result. applied is false if the row has a result already: that
	// result is kept, and nothing of r is stored. planned are the fires of r.Next as PlanFires
	// returns them; it is empty if they were ignored. The message is truncated to [MaxHandleMsg]
	// characters. The error is [ErrNotFound] if there is no such log row.
	//
	// REQUIRES: r.Code is not [ResultNone]; otherwise the result is refused, and nothing is
	// written.
	FinishRun(ctx context.Context, r RunResult) (applied bool, planned []Fire, err error)
	// AcceptRuns gives runs that wait in a queue to the executors that ask for them, and returns in
	// the order of list whether each may begin. The first address that asks gets the run: its fire
	// is settled as sent, and its log row gets the address. The same address gets the same answer
	// again until the run has a result. Any node may ask. The answer is false, and the run must not
	// begin, if another address has it, if it was queued for another app or another executor, if
	// its hand-over has another outcome, if it has a result, or if there is no such run. It is also
	// false for a run that waits, if the request asks with Held. An empty list causes no write.
	AcceptRuns(ctx context.Context, list []Accept) ([]bool, error)
	// LostRuns lists up to limit runs, by log id and with ids above after, that an executor took at
	// least age ago, that have no result, and whose address is not registered.
	LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*Log, error)
	// WriteOffStuck stores code and msg as the outcome of triggers that have none and will never
	// get one: log rows that have no trigger code, no result and no open fire, and whose trigger
	// time is at least age ago. WriteOffStuck changes up to limit rows, lowest ids first, in one
	// transaction, and returns them as changed.
	WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) ([]*Log, error)
}

package xxladapter

import (
	"context"
	"time"
)

// A RunHistory says when one run was due and what happened to it, in whole milliseconds by the
// store's clock. A log row holds whole seconds and no due time.
//
// Invariant: instants that are known are written once, except that a request that is sent again
// replaces Sent and Acknowledged, and a second take-over replaces TakenOver.
type RunHistory struct {
	LogID int64
	Due   time.Time
	Type  TriggerType
	// Attempt is 1 for a first attempt and one more with each retry.
	Attempt int
	// Parent is the log row of the run that this one retries or follows; 0 if there is none.
	Parent     int64
	ShardIndex int
	ShardTotal int

	Owner   Term      // the term that claimed the fire
	Claimed time.Time // never zero
	// TakenBy is the node that took the claimed fire over, because the term of its owner had ended,
	// and TakenOver the instant. They are empty and zero if that never happened.
	TakenBy   string
	TakenOver time.Time

	// Sent is when the request left for the executor; zero if none is known to have left.
	Sent time.Time
	// Acknowledged is when the executor's answer to the request arrived; zero if none did.
	Acknowledged time.Time
	// Finished is when the result arrived; zero while there is none.
	Finished time.Time
}

// Lateness returns the time from the due time until the request left, or until the fire was claimed
// if no request is known to have left. It is never negative, and 0 for a backfill: nobody expected
// its runs at their due times.
func (h *RunHistory) Lateness() time.Duration {
	if h.Type == TriggerBackfill {
		return 0
	}
	if h.Sent.IsZero() {
		return max(h.Claimed.Sub(h.Due), 0)
	}
	return max(h.Sent.Sub(h.Due), 0)
}

// Duration returns the time from the moment the request left until the result arrived. ok is false
// while either is unknown.
func (h *RunHistory) Duration() (d time.Duration, ok bool) {
	if h.Sent.IsZero() || h.Finished.IsZero() {
		return 0, false
	}
	return max(h.Finished.Sub(h.Sent), 0), true
}

// HistoryOf returns the history of a run whose fire is still open, as far as the fire has it.
//
// REQUIRES: the fire is claimed or ambiguous.
func HistoryOf(f Fire) RunHistory {
	return RunHistory{
		LogID: f.LogID, Due: f.Due, Type: f.Type, Attempt: max(f.Attempt, 1), Parent: f.Parent,
		ShardIndex: f.ShardIndex, ShardTotal: f.ShardTotal, Owner: f.Owner, Claimed: f.Claimed,
	}
}

// A DueRun is a run with the codes of its log row.
type DueRun struct {
	RunHistory
	TriggerCode, HandleCode int
}

// Status returns the status of the log row.
func (r *DueRun) Status() LogStatus {
	return (&Log{TriggerCode: r.TriggerCode, HandleCode: r.HandleCode}).Status()
}

// A RunsDueFilter selects runs of one job by their due times. All fields are required, except
// Beyond and Limit.
type RunsDueFilter struct {
	JobID int64
	// From is inclusive and To exclusive; both are about Due.
	From, To time.Time
	// Late limits how long after To a run may have been triggered. Runs that came later are not
	// searched for.
	Late time.Duration
	// Beyond leaves out the runs that were triggered at most this long after To, which another call
	// has read; 0 leaves out none.
	Beyond time.Duration
	Limit  int // 0 means no limit
}

// A RunHistoryStore is the part of [Store] that reads the histories of runs. They are written by
// the calls that claim, take over, settle and finish fires, and deleted with their log rows.
type RunHistoryStore interface {
	// RunHistories returns the histories of runs by log id. Log rows that another program wrote,
	// such as a Java admin, have none and are left out, and so are ids without a log row.
	RunHistories(ctx context.Context, logIDs []int64) (map[int64]RunHistory, error)
	// RunsDue lists the runs that f selects, by due time, then log id. With a limit, those of
	// the lowest log ids are listed.
	RunsDue(ctx context.Context, f RunsDueFilter) ([]DueRun, error)
}

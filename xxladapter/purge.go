package xxladapter

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A LogPurge selects log rows to delete. Zero fields do not restrict. A row without an outcome, or
// with an open fire, is kept in any case, unless its job was removed.
type LogPurge struct {
	JobID   int64
	GroupID int64
	Before  time.Time // selects rows that were triggered before
	// KeepNewest is the number of newest rows to keep, among those of the job and the group.
	KeepNewest int
	// Successes selects only successful runs, except the first one after a failure that alarms
	// remember: the rows that a job with [KeepFailures] does not keep.
	Successes bool
	// Unalarmed also selects failures whose alarm has not been decided or sent, for stores without
	// alarm channels.
	Unalarmed bool

	// Removed selects all rows of removed jobs, whatever their state. No other field restricts it.
	Removed bool

	// AfterID and UntilID limit the ids that are still to be examined: above AfterID, up to
	// UntilID. [PurgeStore.PurgeLogs] sets them for the next call; an UntilID of 0 makes it find
	// the last id. With Removed it also sets JobID.
	AfterID, UntilID int64
}

// Validate checks what an operator chooses: JobID, GroupID, Before and KeepNewest. The error is an
// [Error] with [CodeInvalid].
func (p LogPurge) Validate() error {
	switch {
	case !p.Before.IsZero() && p.Before.Year() < 1971: // before the first row of any store
		return Invalidf(errorrule.After, "%s is %s, must be after %d", "before", p.Before.Format(time.RFC3339), 1970)
	case p.JobID < 0:
		return Invalidf(errorrule.NotNegative, "%s is %d, must not be negative", "jobId", p.JobID)
	case p.GroupID < 0:
		return Invalidf(errorrule.NotNegative, "%s is %d, must not be negative", "jobGroup", p.GroupID)
	case p.KeepNewest < 0:
		return Invalidf(errorrule.NotNegative, "%s is %d, must not be negative", "keepNewest", p.KeepNewest)
	}
	return nil
}

// Orders reports whether the purge also deletes orders that were created before p.Before.
func (p LogPurge) Orders() bool {
	return p.JobID == 0 && p.GroupID == 0 && !p.Before.IsZero() && !p.Successes && !p.Removed && p.KeepNewest == 0
}

// Purged is the result of one call of [PurgeStore.PurgeLogs].
type Purged struct {
	Rows int           // deleted
	Held time.Duration // how long the transaction took, commit included
	Next LogPurge      // the argument of the next call
	Done bool          // true if no further call is needed
}

// A PurgeStore is the part of [Store] that deletes log rows.
type PurgeStore interface {
	// PurgeLogs deletes the next rows that p selects, lowest ids first, with their stored texts. It
	// deletes at most limit rows, in one transaction, which other writes may have to wait for.
	// Reports do not change.
	PurgeLogs(ctx context.Context, p LogPurge, limit int) (Purged, error)
}

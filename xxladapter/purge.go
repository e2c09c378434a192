package xxladapter

import (
	"context"
	"time"
)

// A LogPurge selects log rows to delete. Zero fields do not restrict. Whatever
// it says, a row stays while it has no outcome and while its fire is open, unless
// its job was removed.
type LogPurge struct {
	JobID   int64
	GroupID int64
	Before  time.Time // triggered before it
	// KeepNewest rows stay, of those that belong to the job and the group.
	KeepNewest int
	// Successes selects only runs that ended well, without the first one after a
	// failure that alarms remember: what a job whose settings say [KeepFailures]
	// does not keep.
	Successes bool
	// Unalarmed selects failures too for which an alarm is still to be decided or
	// sent; that is for where no alarms are sent.
	Unalarmed bool

	// Removed selects all rows of the jobs that were removed, whatever became of
	// them. It stands alone: nothing else restricts it.
	Removed bool

	// AfterID and UntilID say which ids are still to be looked at, the first one
	// excluded and the last one included. [PurgeStore.PurgeLogs] sets them for the
	// next call; UntilID 0 lets it find the last one. With Removed it sets JobID
	// as well.
	AfterID, UntilID int64
}

// Orders reports whether orders go as well that were created before p.Before.
func (p LogPurge) Orders() bool {
	return p.JobID == 0 && p.GroupID == 0 && !p.Before.IsZero() && !p.Successes && !p.Removed && p.KeepNewest == 0
}

// Purged tells what one call of [PurgeStore.PurgeLogs] has done.
type Purged struct {
	Rows int           // deleted
	Held time.Duration // how long the store was changed for it, commit included
	Next LogPurge      // for the next call
	Done bool          // no call need follow
}

// A PurgeStore is the part of [Store] that lets log rows go.
type PurgeStore interface {
	// PurgeLogs deletes the next rows that p selects, in the order of their ids,
	// with what is stored of their texts: at most limit in one transaction, which
	// other writes may have to wait for. Reports stay as they are.
	PurgeLogs(ctx context.Context, p LogPurge, limit int) (Purged, error)
}

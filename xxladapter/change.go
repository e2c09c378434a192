package xxladapter

import (
	"context"
	"time"
)

// Marks are a small snapshot of a store, which one statement reads. The difference of two snapshots
// shows what to read again. Edits of jobs move no mark, see [ChangeStore.ChangedJobs]. A change
// through another program, such as a Java admin, moves the marks too, with one exception: a job
// that it removes.
type Marks struct {
	Run     int64 // the highest id of a log row; 0 means none
	Ended   int64 // how many runs have ended, by the daily figures
	Misfire int64 // the highest id of a misfire; 0 means none
	Removed int64 // moves when a job is removed
	Groups  Mark  // groups of executors, their addresses, and which of these are drained
	Nodes   Mark  // the leases that hold
	Pauses  Mark  // the pauses that have not ended
}

// A Mark summarizes the rows of a small table.
type Mark struct {
	Count, Sum int64
	Updated    time.Time // the latest change; zero if the table has no such column
}

// A JobMark is the last change of a job.
type JobMark struct {
	ID, GroupID int64
	Updated     time.Time // in whole seconds
}

// A RunMark is the state of a log row.
type RunMark struct {
	ID, JobID, GroupID      int64
	TriggerCode, HandleCode int
}

// Open reports whether the state of the run will still change.
func (m RunMark) Open() bool { return StatusOf(m.TriggerCode, m.HandleCode) == LogRunning }

// A ChangeStore is the part of [Store] from which observers learn cheaply what has changed.
type ChangeStore interface {
	// Marks returns the present marks.
	Marks(ctx context.Context) (Marks, error)
	// ChangedJobs lists up to limit jobs whose Updated is at or after since, latest first, then by
	// id.
	ChangedJobs(ctx context.Context, since time.Time, limit int) ([]JobMark, error)
	// NewRuns lists up to limit log rows with ids above after, by id.
	NewRuns(ctx context.Context, after int64, limit int) ([]RunMark, error)
	// RunMarks lists those of the given log rows that exist, by id.
	RunMarks(ctx context.Context, ids []int64) ([]RunMark, error)
}

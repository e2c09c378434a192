package xxladapter

import (
	"context"
	"time"
)

// A LastRun is what lists of jobs show of a job's newest log row.
type LastRun struct {
	LogID     int64
	Status    LogStatus
	Triggered time.Time // in whole seconds
}

// A JobRunStore is the part of [Store] that returns the recent runs of many jobs.
type JobRunStore interface {
	// LastRuns returns the newest log row of each job among the ids that has any.
	LastRuns(ctx context.Context, jobIDs []int64) (map[int64]LastRun, error)
	// RecentRuns returns the newest log rows of each job among the ids that has any: at most most
	// of them, the newest first. REQUIRES: most is above 0.
	RecentRuns(ctx context.Context, jobIDs []int64, most int) (map[int64][]LastRun, error)
	// MeanDurations returns the mean [RunHistory.Duration] of each job that has one among the
	// newest histories: those whose log id is greater than the highest one minus rows. The means
	// are whole milliseconds. REQUIRES: rows is above 0.
	MeanDurations(ctx context.Context, rows int) (map[int64]time.Duration, error)
}

package xxladapter

import (
	"context"
	"time"
)

// A DailyReport counts the triggers of one day by the outcome that each of them has so far: a row
// of xxl_job_log_report. A result that comes days later changes the figures of the day of its
// trigger.
//
// Rows that are deleted after they have ended stay counted. Rows that are deleted without an end,
// with their job, are no longer counted.
type DailyReport struct {
	Day     string // in the format time.DateOnly, in the store's zone
	Running int64
	Success int64
	Failed  int64
}

// Add counts n more triggers with a status.
func (r *DailyReport) Add(status LogStatus, n int64) {
	switch status {
	case LogRunning:
		r.Running += n
	case LogSuccess:
		r.Success += n
	default:
		r.Failed += n
	}
}

// A DailyReportStore is the part of [Store] that keeps the figures of each day.
type DailyReportStore interface {
	// Reports lists the figures by day, from the day of from to the day of to, both included; a
	// zero time means no limit. Days without a trigger are left out. The figures include everything
	// that was stored before the call.
	Reports(ctx context.Context, from, to time.Time) ([]DailyReport, error)
	// FoldReports moves the figures into the table that other programs read. It changes no figure.
	FoldReports(ctx context.Context) error
}

package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// reportPace is the pause between two moves of the daily figures into XXL-JOB's table
// (JobLogReportHelper), from which other tools read them. The store's method Reports adds what was
// moved and what was not, so nothing of ours waits for a move.
const reportPace = time.Minute

// A ReportStore is the part of [xxladapter.Store] that [Reports] needs.
type ReportStore interface {
	FoldReports(ctx context.Context) error
}

// Reports keeps the daily figures in their table up to date. Callers of the store get correct
// figures in any case.
type Reports struct {
	Store  ReportStore
	Logger *slog.Logger
}

// Run moves figures until ctx ends. Errors of the store are logged, and the next turn tries again.
func (r *Reports) Run(ctx context.Context) error {
	if err := check(&r.Logger, need{"Reports.Store", r.Store == nil}); err != nil {
		return err
	}
	return every(ctx, reportPace, r.Logger, "update of daily figures failed", r.Store.FoldReports)
}

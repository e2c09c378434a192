package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// reportPace is how often the figures are brought to where other tools read
// them, which is XXL-JOB's (JobLogReportHelper). [Reports] of the store adds both, so
// nothing of ours waits for it.
const reportPace = time.Minute

// A ReportStore is what [Reports] needs of [xxladapter.Store].
type ReportStore interface {
	FoldReports(ctx context.Context) error
}

// Reports keeps the daily figures in their table up to date. Whoever asks the
// store gets right ones in any case.
type Reports struct {
	Store  ReportStore
	Logger *slog.Logger
}

// Run folds until ctx ends. Failures of the store are logged and tried again
// at the next turn.
func (r *Reports) Run(ctx context.Context) error {
	return every(ctx, reportPace, r.Logger, "daily figures not brought up to date", r.Store.FoldReports)
}

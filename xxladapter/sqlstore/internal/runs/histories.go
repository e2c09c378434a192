package runs

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	// HistoryColumns are the columns of a run's history, in the order of HistoryValues.
	HistoryColumns = `log_id, due_ms, trigger_type, attempt, parent_log_id, shard_index, shard_total, node, term, claimed_ms,
		taken_by, taken_ms, sent_ms, acked_ms, finished_ms`
	// InsertHistories is completed by rows of HistoryColumns.
	InsertHistories = `INSERT INTO xxlwheel_run (` + HistoryColumns + `) VALUES `
	// InsertHistory inserts one history. HistoryValues are its arguments.
	InsertHistory = InsertHistories + `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// KeepHistory is the [database.Dialect.KeepHistory] of databases with ON CONFLICT.
	KeepHistory = ` ON CONFLICT (log_id) DO UPDATE SET
		taken_by = COALESCE(excluded.taken_by, xxlwheel_run.taken_by), taken_ms = COALESCE(excluded.taken_ms, xxlwheel_run.taken_ms),
		sent_ms = COALESCE(excluded.sent_ms, xxlwheel_run.sent_ms), acked_ms = COALESCE(excluded.acked_ms, xxlwheel_run.acked_ms),
		finished_ms = COALESCE(excluded.finished_ms, xxlwheel_run.finished_ms)`
	// extendHistory adds instants to a history.
	extendHistory = `UPDATE xxlwheel_run SET sent_ms = COALESCE(?, sent_ms), acked_ms = COALESCE(?, acked_ms),
		finished_ms = COALESCE(?, finished_ms) WHERE log_id = ?`
	finishHistory = `UPDATE xxlwheel_run SET finished_ms = ? WHERE log_id = ?`

	// SelectHistory reads histories. It is completed by a condition.
	SelectHistory = `SELECT ` + HistoryColumns + ` FROM xxlwheel_run`
	selectAttempt = `SELECT attempt FROM xxlwheel_run WHERE log_id = ?`
)

// HistoryValues returns the arguments of InsertHistory.
func HistoryValues(h *xxladapter.RunHistory) []any {
	return []any{
		h.LogID, database.ToMilli(h.Due), string(h.Type), h.Attempt, database.IDOrNull(h.Parent), h.ShardIndex,
		h.ShardTotal, h.Owner.Node, h.Owner.Number,
		database.ToMilli(h.Claimed), database.OrNull(h.TakenBy), database.MilliOrNull(h.TakenOver),
		database.MilliOrNull(h.Sent), database.MilliOrNull(h.Acknowledged), database.MilliOrNull(h.Finished),
	}
}

// ScanHistory reads a row of HistoryColumns.
func ScanHistory(r database.Row) (h xxladapter.RunHistory, err error) {
	err = r.Scan(HistoryInto(&h)...)
	return h, err
}

// HistoryInto returns the destinations into which HistoryColumns are scanned.
func HistoryInto(h *xxladapter.RunHistory) []any {
	return []any{
		&h.LogID, database.Milli(&h.Due), database.Text(&h.Type), database.Small(&h.Attempt),
		database.Integer(&h.Parent), database.Small(&h.ShardIndex), database.Small(&h.ShardTotal),
		database.Text(&h.Owner.Node), &h.Owner.Number, database.Milli(&h.Claimed), database.Text(&h.TakenBy),
		database.Milli(&h.TakenOver),
		database.Milli(&h.Sent), database.Milli(&h.Acknowledged), database.Milli(&h.Finished),
	}
}

// AddHistory writes a change to the history of a run.
func AddHistory(ctx context.Context, t *database.Tx, c transition.RunChange) (err error) {
	h := &c.History
	switch {
	case c.Kind == transition.RecordRun:
		_, err = t.Exec(ctx, InsertHistory+t.Dialect.KeepHistory, HistoryValues(h)...)
	case c.Kind == transition.ExtendRun && h.Sent.IsZero() && h.Acknowledged.IsZero():
		_, err = t.Exec(ctx, finishHistory, database.ToMilli(h.Finished), h.LogID)
	case c.Kind == transition.ExtendRun:
		_, err = t.Exec(
			ctx, extendHistory, database.MilliOrNull(h.Sent), database.MilliOrNull(h.Acknowledged),
			database.MilliOrNull(h.Finished), h.LogID,
		)
	}
	return err
}

// AttemptOf returns the number of a run's attempt, or 0 if the run has no history.
func AttemptOf(ctx context.Context, t *database.Tx, logID int64) (attempt int, err error) {
	err = t.Query(ctx, selectAttempt, []any{logID}, func(r database.Row) error { return r.Scan(&attempt) })
	return attempt, err
}

// AttemptOf returns the number of a run's attempt, or 0 if the run has no history.
func (s *Store) AttemptOf(ctx context.Context, logID int64) (attempt int, err error) {
	err = s.db.Query(ctx, selectAttempt, []any{logID}, func(r database.Row) error { return r.Scan(&attempt) })
	return attempt, err
}

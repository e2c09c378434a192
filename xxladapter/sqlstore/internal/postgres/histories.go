package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

const (
	// batchRecorded fails if one of the runs has a history already, and batchAdded adds to it.
	batchRecorded = `INSERT INTO xxlwheel_run (` + runs.HistoryColumns + `)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::integer[], $5::bigint[], $6::integer[], $7::integer[],
			$8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[])`
	batchAdded    = batchRecorded + runs.KeepHistory
	batchExtended = `UPDATE xxlwheel_run h SET sent_ms = coalesce(r.sent, h.sent_ms), acked_ms = coalesce(r.acked, h.acked_ms),
			finished_ms = coalesce(r.finished, h.finished_ms)
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS r (log, sent, acked, finished) WHERE h.log_id = r.log`
)

// queueHistories adds to batch the statements that write what a batch of calls adds to the
// histories of its runs. If known is false, none of the histories to record may be stored already.
func queueHistories(batch *pgx.Batch, work records.RunWork, known bool) {
	if runs := work.Recorded; len(runs) > 0 {
		query := batchRecorded
		if known {
			query = batchAdded
		}
		batch.Queue(query,
			column(runs, func(h *xxladapter.RunHistory) int64 { return h.LogID }),
			column(runs, func(h *xxladapter.RunHistory) int64 { return database.ToMilli(h.Due) }),
			column(runs, func(h *xxladapter.RunHistory) string { return string(h.Type) }),
			column(runs, func(h *xxladapter.RunHistory) int32 { return int32(h.Attempt) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return numberOrNull(h.Parent) }),
			column(runs, func(h *xxladapter.RunHistory) int32 { return int32(h.ShardIndex) }),
			column(runs, func(h *xxladapter.RunHistory) int32 { return int32(h.ShardTotal) }),
			column(runs, func(h *xxladapter.RunHistory) string { return validText(h.Owner.Node) }),
			column(runs, func(h *xxladapter.RunHistory) int64 { return h.Owner.Number }),
			column(runs, func(h *xxladapter.RunHistory) int64 { return database.ToMilli(h.Claimed) }),
			column(runs, func(h *xxladapter.RunHistory) *string { return textOrNull(h.TakenBy) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.TakenOver) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.Sent) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.Acknowledged) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.Finished) }))
	}
	if runs := work.Extended; len(runs) > 0 {
		batch.Queue(batchExtended,
			column(runs, func(h *xxladapter.RunHistory) int64 { return h.LogID }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.Sent) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.Acknowledged) }),
			column(runs, func(h *xxladapter.RunHistory) *int64 { return milliOrNull(h.Finished) }))
	}
}

// column returns one column of histories.
func column[T any](runs []*xxladapter.RunHistory, value func(*xxladapter.RunHistory) T) []T {
	values := make([]T, len(runs))
	for i, h := range runs {
		values[i] = value(h)
	}
	return values
}

func milliOrNull(t time.Time) *int64 { return numberOrNull(database.ToMilli(t)) }

func numberOrNull(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

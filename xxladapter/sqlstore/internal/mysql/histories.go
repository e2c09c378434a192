package mysql

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// addHistories writes what a batch adds to the histories of its runs.
func addHistories(statements *packet, work records.RunWork) {
	if len(work.Recorded) > 0 {
		rows := make([][]any, len(work.Recorded))
		for i, h := range work.Recorded {
			rows[i] = runs.HistoryValues(h)
		}
		statements.insert(runs.InsertHistory, rows)
		statements.write(keepHistory)
	}
	if len(work.Extended) == 0 {
		return
	}
	ids := make([]int64, len(work.Extended))
	for i, h := range work.Extended {
		ids[i] = h.LogID
	}
	before := " SET "
	statements.add("UPDATE xxlwheel_run FORCE INDEX (PRIMARY)")
	for _, column := range []struct {
		name string
		of   func(*xxladapter.RunHistory) time.Time
	}{
		{"sent_ms", func(h *xxladapter.RunHistory) time.Time { return h.Sent }},
		{"acked_ms", func(h *xxladapter.RunHistory) time.Time { return h.Acknowledged }},
		{"finished_ms", func(h *xxladapter.RunHistory) time.Time { return h.Finished }},
	} {
		values, known := make([]any, len(ids)), false
		for i, h := range work.Extended {
			values[i] = database.MilliOrNull(column.of(h))
			known = known || values[i] != nil
		}
		if !known {
			continue
		}
		statements.write(before + column.name + " = COALESCE(")
		statements.byKey("log_id", ids, values)
		statements.write(", " + column.name + ")")
		before = ", "
	}
	statements.write(" WHERE log_id IN (")
	statements.ids(ids)
	statements.write(")")
}

package records

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	// HistoryColumns are the columns of a run's history, in the order of HistoryValues.
	HistoryColumns = `log_id, due_ms, trigger_type, attempt, parent_log_id, shard_index, shard_total, node, term, claimed_ms,
		taken_by, taken_ms, sent_ms, acked_ms, finished_ms`
	insertHistories = `INSERT INTO xxlwheel_run (` + HistoryColumns + `) VALUES `
	// InsertHistory inserts one history. HistoryValues are its arguments.
	InsertHistory = insertHistories + `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// KeepHistory is the [Dialect.KeepHistory] of databases with ON CONFLICT.
	KeepHistory = ` ON CONFLICT (log_id) DO UPDATE SET
		taken_by = COALESCE(excluded.taken_by, xxlwheel_run.taken_by), taken_ms = COALESCE(excluded.taken_ms, xxlwheel_run.taken_ms),
		sent_ms = COALESCE(excluded.sent_ms, xxlwheel_run.sent_ms), acked_ms = COALESCE(excluded.acked_ms, xxlwheel_run.acked_ms),
		finished_ms = COALESCE(excluded.finished_ms, xxlwheel_run.finished_ms)`
	// extendHistory adds instants to a history.
	extendHistory = `UPDATE xxlwheel_run SET sent_ms = COALESCE(?, sent_ms), acked_ms = COALESCE(?, acked_ms),
		finished_ms = COALESCE(?, finished_ms) WHERE log_id = ?`
	finishHistory = `UPDATE xxlwheel_run SET finished_ms = ? WHERE log_id = ?`

	selectHistory = `SELECT ` + HistoryColumns + ` FROM xxlwheel_run`
	selectAttempt = `SELECT attempt FROM xxlwheel_run WHERE log_id = ?`

	// The ids of log rows grow with their trigger times, except for rows of almost the same time.
	FirstSince = `SELECT id FROM xxl_job_log WHERE trigger_time >= ? ORDER BY trigger_time, id LIMIT 1`
	LastUntil  = `SELECT id FROM xxl_job_log WHERE trigger_time <= ? ORDER BY trigger_time DESC, id DESC LIMIT 1`
	// SelectRunsDue reads the histories of a job's log rows between two ids. It is completed by an
	// order.
	SelectRunsDue = `SELECT r.log_id, r.due_ms, r.trigger_type, r.attempt, r.parent_log_id, r.shard_index, r.shard_total, r.node, r.term, r.claimed_ms,
			r.taken_by, r.taken_ms, r.sent_ms, r.acked_ms, r.finished_ms, l.trigger_code, l.handle_code
		FROM xxl_job_log l JOIN xxlwheel_run r ON r.log_id = l.id
		WHERE l.job_id = ? AND l.id >= ? AND l.id <= ? AND l.trigger_time <= ? AND r.due_ms >= ? AND r.due_ms < ?`
)

// almost is how far the trigger times of log rows may be out of the order of their ids: a row gets
// its id when its fire is claimed, and its time a moment earlier.
const almost = time.Minute

// HistoryValues returns the arguments of InsertHistory.
func HistoryValues(h *xxladapter.RunHistory) []any {
	return []any{
		h.LogID, database.ToMilli(h.Due), string(h.Type), h.Attempt, database.IdOrNull(h.Parent), h.ShardIndex, h.ShardTotal, h.Owner.Node, h.Owner.Number,
		database.ToMilli(h.Claimed), database.OrNull(h.TakenBy), database.MilliOrNull(h.TakenOver), database.MilliOrNull(h.Sent), database.MilliOrNull(h.Acknowledged), database.MilliOrNull(h.Finished),
	}
}

// ScanHistory reads a row of HistoryColumns.
func ScanHistory(r database.Row) (h xxladapter.RunHistory, err error) {
	err = r.Scan(historyInto(&h)...)
	return h, err
}

func historyInto(h *xxladapter.RunHistory) []any {
	return []any{
		&h.LogID, database.Milli(&h.Due), database.Text(&h.Type), database.Small(&h.Attempt), database.Integer(&h.Parent), database.Small(&h.ShardIndex), database.Small(&h.ShardTotal),
		database.Text(&h.Owner.Node), &h.Owner.Number, database.Milli(&h.Claimed), database.Text(&h.TakenBy), database.Milli(&h.TakenOver),
		database.Milli(&h.Sent), database.Milli(&h.Acknowledged), database.Milli(&h.Finished),
	}
}

// addHistory writes a change to the history of a run.
func addHistory(ctx context.Context, t *database.Tx, c transition.RunChange) (err error) {
	h := &c.History
	switch {
	case c.Kind == transition.RecordRun:
		_, err = t.Exec(ctx, InsertHistory+t.Dialect.KeepHistory, HistoryValues(h)...)
	case c.Kind == transition.ExtendRun && h.Sent.IsZero() && h.Acknowledged.IsZero():
		_, err = t.Exec(ctx, finishHistory, database.ToMilli(h.Finished), h.LogID)
	case c.Kind == transition.ExtendRun:
		_, err = t.Exec(ctx, extendHistory, database.MilliOrNull(h.Sent), database.MilliOrNull(h.Acknowledged), database.MilliOrNull(h.Finished), h.LogID)
	}
	return err
}

// attemptOf returns the number of a run's attempt, or 0 if the run has no history.
func attemptOf(ctx context.Context, t *database.Tx, logID int64) (attempt int, err error) {
	err = t.Query(ctx, selectAttempt, []any{logID}, func(r database.Row) error { return r.Scan(&attempt) })
	return attempt, err
}

// RunHistories implements [xxladapter.Store]. Fires are read first: if one is settled in between,
// its history has been recorded when the histories are read.
func (s *Store) RunHistories(ctx context.Context, logIDs []int64) (map[int64]xxladapter.RunHistory, error) {
	found := map[int64]xxladapter.RunHistory{}
	for ids := range slices.Chunk(logIDs, historyChunk) {
		these, args := s.Dialect.Among("log_id", ids)
		fires := `SELECT ` + FireColumns + ` FROM xxlwheel_fire WHERE ` + these +
			` AND EXISTS (SELECT 1 FROM xxl_job_log WHERE xxl_job_log.id = xxlwheel_fire.log_id)`
		if err := s.Query(ctx, fires, args, openHistory(found)); err != nil {
			return nil, err
		}
		these, args = s.Dialect.Among("log_id", ids)
		if err := s.Query(ctx, selectHistory+` WHERE `+these, args, recorded(found)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// historyChunk limits the ids of one statement.
const historyChunk = 1000

// openHistory returns a function that adds the history of a scanned open fire to found.
func openHistory(found map[int64]xxladapter.RunHistory) func(database.Row) error {
	return func(r database.Row) error {
		f, err := ScanFire(r)
		found[f.LogID] = xxladapter.HistoryOf(f)
		return err
	}
}

func recorded(found map[int64]xxladapter.RunHistory) func(database.Row) error {
	return func(r database.Row) error {
		h, err := ScanHistory(r)
		found[h.LogID] = h
		return err
	}
}

// RunsDue implements [xxladapter.Store]. It reads only the job's log rows whose ids belong to the
// time in question, because the histories have no index on their due times: each run would pay for
// it.
func (s *Store) RunsDue(ctx context.Context, f xxladapter.RunsDueFilter) ([]xxladapter.DueRun, error) {
	open, err := s.openRunsDue(ctx, f)
	if err != nil {
		return nil, err
	}
	var (
		first, last int64
		runs        []xxladapter.DueRun
	)
	since := f.From
	if f.Beyond > 0 {
		since = f.To.Add(f.Beyond)
	}
	err = errors.Join(
		s.Query(ctx, FirstSince, []any{s.Dialect.Datetime(since.Add(-almost))}, func(r database.Row) error { return r.Scan(&first) }),
		s.Query(ctx, LastUntil, []any{s.Dialect.Datetime(f.To.Add(f.Late + almost))}, func(r database.Row) error { return r.Scan(&last) }))
	if err != nil {
		return nil, err
	}
	if first > 0 && last > 0 {
		query, args := SelectRunsDue, []any{f.JobID, first, last, s.Dialect.Datetime(f.To.Add(f.Late)), database.CeilMilli(f.From), database.CeilMilli(f.To)}
		if f.Beyond > 0 {
			query, args = query+` AND l.trigger_time > ?`, append(args, s.Dialect.Datetime(since))
		}
		query += ` ORDER BY l.id`
		if f.Limit > 0 {
			query, args = query+` LIMIT ?`, append(args, f.Limit)
		}
		err := s.Query(ctx, query, args, func(r database.Row) error {
			var run xxladapter.DueRun
			err := r.Scan(append(historyInto(&run.RunHistory), database.Small(&run.TriggerCode), database.Small(&run.HandleCode))...)
			if len(runs) == cap(runs) { // append alone would copy the runs, which are large, five times
				runs = slices.Grow(runs, max(64, len(runs)))
			}
			runs = append(runs, run)
			delete(open, run.LogID) // it has just been settled
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	runs = slices.AppendSeq(runs, maps.Values(open))
	if f.Limit > 0 && len(runs) > f.Limit {
		slices.SortFunc(runs, func(a, b xxladapter.DueRun) int { return cmp.Compare(a.LogID, b.LogID) })
		runs = runs[:f.Limit]
	}
	slices.SortFunc(runs, func(a, b xxladapter.DueRun) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.LogID, b.LogID)) })
	return runs, nil
}

// openRunsDue returns, by log id, the selected runs whose fires are open.
func (s *Store) openRunsDue(ctx context.Context, f xxladapter.RunsDueFilter) (map[int64]xxladapter.DueRun, error) {
	open := map[int64]xxladapter.RunHistory{}
	query := `SELECT ` + FireColumns + ` FROM xxlwheel_fire WHERE job_id = ? AND due_ms >= ? AND due_ms < ? AND log_id IS NOT NULL`
	if err := s.Query(ctx, query, []any{f.JobID, database.CeilMilli(f.From), database.CeilMilli(f.To)}, openHistory(open)); len(open) == 0 || err != nil {
		return map[int64]xxladapter.DueRun{}, err
	}
	logs, err := LogEntity.Read(ctx, s.DB, slices.Sorted(maps.Keys(open)))
	found := map[int64]xxladapter.DueRun{}
	for id, l := range logs {
		if !l.TriggerTime.After(f.To.Add(f.Late)) && (f.Beyond == 0 || l.TriggerTime.After(f.To.Add(f.Beyond))) {
			found[id] = xxladapter.DueRun{RunHistory: open[id], TriggerCode: l.TriggerCode, HandleCode: l.HandleCode}
		}
	}
	return found, err
}

package records

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// SelectRunsDue reads the histories of a job's log rows between two ids. It is completed by an
// order.
const SelectRunsDue = `SELECT r.log_id, r.due_ms, r.trigger_type, r.attempt, r.parent_log_id, r.shard_index, r.shard_total, r.node, r.term, r.claimed_ms,
			r.taken_by, r.taken_ms, r.sent_ms, r.acked_ms, r.finished_ms, l.trigger_code, l.handle_code
		FROM xxl_job_log l JOIN xxlwheel_run r ON r.log_id = l.id
		WHERE l.job_id = ? AND l.id >= ? AND l.id <= ? AND l.trigger_time <= ? AND r.due_ms >= ? AND r.due_ms < ?`

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
		if err := s.Query(ctx, runs.SelectHistory+` WHERE `+these, args, recorded(found)); err != nil {
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
		h, err := runs.ScanHistory(r)
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
		found       []xxladapter.DueRun
	)
	since := f.From
	if f.Beyond > 0 {
		since = f.To.Add(f.Beyond)
	}
	err = errors.Join(
		s.Query(ctx, runs.FirstSince, []any{s.Dialect.Datetime(since.Add(-runs.Almost))}, func(r database.Row) error {
			return r.Scan(&first)
		}),
		s.Query(ctx, runs.LastUntil, []any{
			s.Dialect.Datetime(f.To.Add(f.Late + runs.Almost)),
		}, func(r database.Row) error { return r.Scan(&last) }))
	if err != nil {
		return nil, err
	}
	if first > 0 && last > 0 {
		query, args := SelectRunsDue, []any{
			f.JobID, first, last, s.Dialect.Datetime(f.To.Add(f.Late)), database.CeilMilli(f.From),
			database.CeilMilli(f.To),
		}
		if f.Beyond > 0 {
			query, args = query+` AND l.trigger_time > ?`, append(args, s.Dialect.Datetime(since))
		}
		query += ` ORDER BY l.id`
		if f.Limit > 0 {
			query, args = query+` LIMIT ?`, append(args, f.Limit)
		}
		err := s.Query(ctx, query, args, func(r database.Row) error {
			var run xxladapter.DueRun
			err := r.Scan(append(
				runs.HistoryInto(&run.RunHistory), database.Small(&run.TriggerCode), database.Small(&run.HandleCode),
			)...)
			if len(found) == cap(found) { // append alone would copy the runs, which are large, five times
				found = slices.Grow(found, max(64, len(found)))
			}
			found = append(found, run)
			delete(open, run.LogID) // it has just been settled
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	found = slices.AppendSeq(found, maps.Values(open))
	if f.Limit > 0 && len(found) > f.Limit {
		slices.SortFunc(found, func(a, b xxladapter.DueRun) int { return cmp.Compare(a.LogID, b.LogID) })
		found = found[:f.Limit]
	}
	slices.SortFunc(
		found, func(a, b xxladapter.DueRun) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.LogID, b.LogID)) },
	)
	return found, nil
}

// openRunsDue returns, by log id, the selected runs whose fires are open.
func (s *Store) openRunsDue(ctx context.Context, f xxladapter.RunsDueFilter) (map[int64]xxladapter.DueRun, error) {
	open := map[int64]xxladapter.RunHistory{}
	query := `SELECT ` + FireColumns +
		` FROM xxlwheel_fire WHERE job_id = ? AND due_ms >= ? AND due_ms < ? AND log_id IS NOT NULL`
	if err := s.Query(
		ctx, query, []any{f.JobID, database.CeilMilli(f.From), database.CeilMilli(f.To)}, openHistory(open),
	); len(open) == 0 || err != nil {
		return map[int64]xxladapter.DueRun{}, err
	}
	logs, err := runs.LogEntity.Read(ctx, s.DB, slices.Sorted(maps.Keys(open)))
	found := map[int64]xxladapter.DueRun{}
	for id, l := range logs {
		if !l.TriggerTime.After(f.To.Add(f.Late)) && (f.Beyond == 0 || l.TriggerTime.After(f.To.Add(f.Beyond))) {
			found[id] = xxladapter.DueRun{RunHistory: open[id], TriggerCode: l.TriggerCode, HandleCode: l.HandleCode}
		}
	}
	return found, err
}

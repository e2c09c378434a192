package records

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// The statements below write rows that were decided outside of the database, many at a time.

var (
	// The columns of records, in the order of runs.LogColumns, runs.HistoryColumns and FireColumns.
	logColumns = database.Columns(`id bigint, job_group bigint, job_id bigint, executor_address text, executor_handler text,
		executor_param text, executor_sharding_param text, executor_fail_retry_count integer, trigger_time timestamp,
		trigger_code integer, trigger_msg text, handle_time timestamp, handle_code integer, handle_msg text, alarm_status smallint`)
	historyColumns = database.Columns(`log_id bigint, due_ms bigint, trigger_type text, attempt integer, parent_log_id bigint,
		shard_index integer, shard_total integer, node text, term bigint, claimed_ms bigint, taken_by text, taken_ms bigint,
		sent_ms bigint, acked_ms bigint, finished_ms bigint`)
	fireColumns = database.Columns(`id bigint, job_id bigint, group_id bigint, due_ms bigint, shard_index integer,
		shard_total integer, trigger_type text, state text, retry_count integer, param text, addresses text,
		attempt integer, parent_log_id bigint, node text, term bigint, log_id bigint, claimed_ms bigint`)
	// What an executor's answer and a result change in a log row.
	acceptedColumns = database.Columns(`id bigint, trigger_code integer, trigger_msg text, executor_address text`)
	handledColumns  = database.Columns(`id bigint, trigger_code integer, trigger_msg text, executor_address text,
		handle_time timestamp, handle_code integer, handle_msg text`)
	movedColumns = database.Columns(`id bigint, trigger_last_time bigint, trigger_next_time bigint,
		trigger_status smallint`)
)

// A WrittenLog is a log row with what the tables have of it.
type WrittenLog struct {
	Log *xxladapter.Log
	// Stored is set if the tables have the row, in the state Base.
	Stored bool
	Base   transition.LogState
	// WantText is when the text of the run may be fetched, in ms; 0 asks for none.
	WantText int64
	// Run is what is added to the history of the run.
	Run transition.RunChange
}

// WriteLogs inserts log rows under their ids, or updates what their runs have changed, and counts
// them in the figures.
func (s *Store) WriteLogs(ctx context.Context, tx *database.Tx, rows []WrittenLog) error {
	gone, err := s.updateLogs(ctx, tx, rows)
	if err != nil {
		return err
	}
	moved := figures.Changes{}
	var values []any
	for i, r := range rows {
		l, state := r.Log, transition.StateOf(r.Log)
		switch {
		case !r.Stored:
			values = append(append(values, l.ID), s.LogValues(l)...)
			s.AddStatus(moved, l.TriggerTime, state.Status(), 1)
		case gone[l.ID]:
			rows[i].Run, rows[i].WantText = transition.RunChange{}, 0 // they go with their row
		default:
			s.MoveStatus(moved, l.TriggerTime, transition.LogChange{Before: r.Base, After: state})
		}
	}
	if err := tx.InsertTyped(ctx, "xxl_job_log", logColumns, "", values); err != nil {
		return err
	}
	values = values[:0]
	for _, r := range rows {
		if r.Run.Kind == transition.RecordRun {
			values = append(values, runs.HistoryValues(&r.Run.History)...)
		} else if err := runs.AddHistory(ctx, tx, r.Run); err != nil {
			return err
		}
		if r.WantText != 0 {
			if _, err := tx.Exec(ctx, runs.WantText, r.Log.ID, r.WantText); err != nil {
				return err
			}
		}
	}
	if err := tx.InsertTyped(ctx, "xxlwheel_run", historyColumns, s.Dialect.KeepHistory, values); err != nil {
		return err
	}
	return s.Count(ctx, tx, moved)
}

// updateLogs writes the columns of stored rows that their runs have changed. It returns the ids of
// rows that are gone.
func (s *Store) updateLogs(ctx context.Context, tx *database.Tx, rows []WrittenLog) (gone map[int64]bool, err error) {
	var ids []int64
	var accepted, handled [][]any
	for _, r := range rows {
		if !r.Stored {
			continue
		}
		l, state := r.Log, transition.StateOf(r.Log)
		row := []any{l.ID, state.TriggerCode, database.OrNull(l.TriggerMsg), database.OrNull(l.Address)}
		ids = append(ids, l.ID)
		if r.Base.HandleCode == state.HandleCode {
			accepted = append(accepted, row)
			continue
		}
		handled = append(
			handled, append(row, s.Dialect.Datetime(l.HandleTime), state.HandleCode, database.OrNull(l.HandleMsg)),
		)
	}
	updated, err := tx.UpdateRows(ctx, "xxl_job_log", acceptedColumns, accepted)
	if err != nil {
		return nil, err
	}
	ended, err := tx.UpdateRows(ctx, "xxl_job_log", handledColumns, handled)
	if err != nil || updated+ended == int64(len(ids)) {
		return nil, err
	}
	gone = map[int64]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	condition, args := tx.Dialect.Among("id", ids)
	err = tx.Query(ctx, `SELECT id FROM xxl_job_log WHERE `+condition, args, func(r database.Row) error {
		var id int64
		err := r.Scan(&id)
		delete(gone, id)
		return err
	})
	return gone, err
}

// WriteFires inserts open fires under their ids.
func WriteFires(ctx context.Context, t *database.Tx, fires []xxladapter.Fire) error {
	var values []any
	for _, f := range fires {
		var logID, claimed any
		if f.LogID != 0 {
			logID, claimed = f.LogID, database.ToMilli(f.Claimed)
		}
		values = append(values, f.ID, f.JobID, f.GroupID, database.ToMilli(f.Due), f.ShardIndex, f.ShardTotal,
			string(f.Type), string(f.State),
			f.RetryCount, f.Param, database.JoinAddresses(f.Addresses), f.Attempt, f.Parent,
			database.OrNull(f.Owner.Node), f.Owner.Number, logID, claimed)
	}
	return t.InsertTyped(ctx, "xxlwheel_fire", fireColumns, "", values)
}

// RemoveFires removes fires by their ids.
func RemoveFires(ctx context.Context, t *database.Tx, ids []int64) error {
	for part := range slices.Chunk(ids, bulkPart) {
		condition, args := t.Dialect.Among("id", part)
		if _, err := t.Exec(ctx, `DELETE FROM xxlwheel_fire WHERE `+condition, args...); err != nil {
			return err
		}
	}
	return nil
}

// bulkPart is how many rows one statement moves or removes. Its answer must come within
// network.QuickSilence, even from a busy server.
const bulkPart = 5000

// MovedJobOf returns what MoveJobs writes of a job.
func MovedJobOf(j *xxladapter.Job) database.MovedJob {
	return database.MovedJob{
		ID: j.ID, Last: database.ToMilli(j.TriggerLast), Next: database.ToMilli(j.TriggerNext),
		Status: database.Bit(j.Running),
	}
}

// MoveJobs sets the times of jobs and whether they run.
//
// REQUIRES: no job is in jobs twice.
func MoveJobs(ctx context.Context, t *database.Tx, jobs []database.MovedJob) error {
	if t.Dialect.MoveJobs != nil {
		for part := range slices.Chunk(jobs, bulkPart) {
			query, args := t.Dialect.MoveJobs(part)
			if _, err := t.Exec(ctx, query, args...); err != nil {
				return err
			}
		}
		return nil
	}
	rows := make([][]any, len(jobs))
	for i, j := range jobs {
		rows[i] = []any{j.ID, j.Last, j.Next, j.Status}
	}
	_, err := t.UpdateRows(ctx, "xxl_job_info", movedColumns, rows)
	return err
}

// WriteMisfires stores misfires. Those of a pause may move the end of one that the job has already,
// and are stored one by one.
func WriteMisfires(ctx context.Context, t *database.Tx, misfires []xxladapter.Misfire) error {
	var values []any
	for _, m := range misfires {
		if m.PauseID == 0 {
			values = append(values, MisfireValues(m)...)
		} else if _, err := t.Exec(ctx, t.Dialect.RecordMisfire, MisfireValues(m)...); err != nil {
			return err
		}
	}
	return t.InsertMany(ctx, insertMisfires, misfireWidth, values)
}

// MisfireValues returns the arguments of [InsertMisfire].
func MisfireValues(m xxladapter.Misfire) []any {
	var pause any
	if m.PauseID != 0 {
		pause = m.PauseID
	}
	return []any{
		m.JobID, database.ToMilli(m.Due), database.ToMilli(m.Until), string(m.Strategy), database.ToMilli(m.At), pause,
		m.Calendar,
	}
}

// ClaimOrder records the log rows of a fire that was ordered.
func ClaimOrder(ctx context.Context, t *database.Tx, claimed []xxladapter.Fire) error {
	return claimOrder(ctx, t, claimed)
}

// FindDue reads the ids of the first due jobs, including those that are behind, without the
// transaction of a scan. They come in one row where the database joins any number of them: a row
// for each would cost several times as much.
func (s *Store) FindDue(
	ctx context.Context, node string, now time.Time, ahead time.Duration, limit int,
) (ids []int64, err error) {
	args := append(AllDueArgs(node, now, ahead)[:4], limit)
	due := `SELECT id` + DueOrBehind + InOrder
	if join := s.Dialect.JoinIDs; join != "" {
		err = s.QueryBy(ctx, s.ScanReads, `SELECT `+join+` FROM (`+due+`) AS due`, args, func(r database.Row) error {
			return r.Scan(database.IDList(&ids))
		})
		return ids, err
	}
	err = s.QueryBy(ctx, s.ScanReads, due, args, func(r database.Row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// FindOpenRuns reads the ids of the runs of a job that were triggered at or after since, that an
// executor took, and that have no result.
func (s *Store) FindOpenRuns(ctx context.Context, jobID int64, since time.Time) (ids []int64, err error) {
	return s.Ids(ctx,
		`SELECT id FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 0 AND job_id = ? AND trigger_time >= ?`,
		[]any{jobID, s.Dialect.Datetime(since)})
}

// ReadJobs reads jobs by their ids, as [database.ReadAll] does.
func (s *Store) ReadJobs(ctx context.Context, ids []int64) (map[int64]*xxladapter.Job, error) {
	return database.ReadAll(ctx, s.DB, &JobEntity, ids)
}

// ReadLogs reads log rows by their ids, as [database.ReadAll] does.
func (s *Store) ReadLogs(ctx context.Context, ids []int64) (map[int64]*xxladapter.Log, error) {
	return database.ReadAll(ctx, s.DB, &runs.LogEntity, ids)
}

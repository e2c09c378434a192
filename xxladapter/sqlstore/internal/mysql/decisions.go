package mysql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// The decisions of a scan are stored with statements of many rows: a statement for each would cost
// a round trip each.
//
// REQUIRES: the transactions that store them hold the locks of the due jobs.

const (
	// alikeRows limits the jobs that one statement advances to the same times, and advanceRows
	// those that it advances to different ones: each of their rows passes through half of the
	// UPDATE's CASE on average.
	alikeRows   = 1000
	advanceRows = 100
	insertRows  = 500
)

// moveMisfire ends the INSERT of misfires: a misfire that the job already has in the same pause
// gets the later end.
const moveMisfire = ` ON DUPLICATE KEY UPDATE until_ms = GREATEST(until_ms, VALUES(until_ms)), at_ms = VALUES(at_ms)`

// StoreDecisions stores the decisions and returns the planned fires.
func (a *acts) StoreDecisions(
	ctx context.Context, tx *database.Tx, decisions []records.Decided,
) ([]xxladapter.Fire, error) {
	var (
		fires    []xxladapter.Fire
		misfires []xxladapter.Misfire
	)
	for _, d := range decisions {
		for _, f := range d.Fires {
			f.JobID, f.GroupID = d.JobID, d.Group
			fires = append(fires, f)
		}
		for _, m := range d.Misfires {
			m.JobID = d.JobID
			misfires = append(misfires, m)
		}
	}
	if err := advanceAll(ctx, tx, decisions); err != nil {
		return nil, err
	}
	planned, err := a.planDueAll(ctx, tx, fires)
	if err != nil {
		return nil, err
	}
	for rows := range slices.Chunk(misfires, insertRows) {
		var args []any
		for _, m := range rows {
			args = append(args, records.MisfireValues(m)...)
		}
		if _, err := direct(
			ctx, tx, database.ManyRows(records.InsertMisfire, len(rows))+moveMisfire, args,
		); err != nil {
			return nil, err
		}
	}
	return planned, nil
}

// direct runs a text that differs from call to call, and so is not worth preparing.
func direct(ctx context.Context, t *database.Tx, query string, args []any) (id int64, err error) {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// advanceAll moves the times of jobs and stops those that the decisions end.
func advanceAll(ctx context.Context, t *database.Tx, decisions []records.Decided) error {
	alike, different := sortAlike(decisions)
	for to, ids := range alike {
		for ids := range slices.Chunk(ids, alikeRows) {
			query := `UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ?, trigger_status = ?
				WHERE id IN (?` + strings.Repeat(", ?", len(ids)-1) + `)`
			if err := changeAll(
				ctx, t, query, append([]any{to.last, to.next, to.status}, ids...), len(ids),
			); err != nil {
				return err
			}
		}
	}
	for status, part := range different {
		for rows := range slices.Chunk(part, advanceRows) {
			if err := advance(ctx, t, status, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// times are the columns of a job's row that a decision sets.
type times struct {
	last, next int64
	status     int
}

func timesOf(d records.Decided) times {
	to := times{database.ToMilli(d.Last), database.ToMilli(d.Next), 1}
	if d.Stop {
		to.status = 0
	}
	return to
}

// sortAlike separates jobs of which many get the same times, such as those of one cron expression,
// from the others. It groups the former by their times and the latter by their status. It is a pure
// function.
func sortAlike(decisions []records.Decided) (alike map[times][]any, different [2][]records.Decided) {
	alike = map[times][]any{}
	for _, d := range decisions {
		alike[timesOf(d)] = append(alike[timesOf(d)], d.JobID)
	}
	for _, d := range decisions {
		if to := timesOf(d); len(alike[to]) < advanceRows/2 {
			different[to.status] = append(different[to.status], d)
		}
	}
	for to, ids := range alike {
		if len(ids) < advanceRows/2 {
			delete(alike, to)
		}
	}
	return alike, different
}

// advance moves the times of jobs, each to its own. All get the same status.
func advance(ctx context.Context, t *database.Tx, status int, decisions []records.Decided) error {
	var lasts, nexts, in []any
	for _, d := range decisions {
		to := timesOf(d)
		lasts = append(lasts, d.JobID, to.last)
		nexts = append(nexts, d.JobID, to.next)
		in = append(in, d.JobID)
	}
	each := "CASE id" + strings.Repeat(" WHEN ? THEN ?", len(decisions)) + " END"
	query := `UPDATE xxl_job_info SET trigger_last_time = ` + each + `, trigger_next_time = ` + each +
		`, trigger_status = ?
		WHERE id IN (?` + strings.Repeat(", ?", len(in)-1) + `)`
	return changeAll(ctx, t, query, slices.Concat(lasts, nexts, []any{status}, in), len(in))
}

// changeAll runs a statement that must change a known number of rows.
func changeAll(ctx context.Context, t *database.Tx, query string, args []any, rows int) error {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	changed, err := result.RowsAffected()
	if err == nil && changed != int64(rows) {
		err = fmt.Errorf("sqlstore: %d of %d jobs were advanced, though all were locked", changed, rows)
	}
	return err
}

// planDueAll plans many fires as [records.Store.PlanDue] plans one. It inserts all those together
// whose due times are free.
func (a *acts) planDueAll(ctx context.Context, tx *database.Tx, fires []xxladapter.Fire) ([]xxladapter.Fire, error) {
	var planned []xxladapter.Fire
	for rows := range slices.Chunk(fires, insertRows) {
		taken, err := takenOf(ctx, tx, rows)
		if err != nil {
			return nil, err
		}
		var free, other []xxladapter.Fire
		for _, f := range rows {
			at := records.DueTimeOf(f)
			if taken[at] {
				other = append(other, f)
			} else {
				taken[at] = true
				free = append(free, f)
			}
		}
		inserted, err := a.insertFires(ctx, tx, free)
		if err != nil {
			if !a.Taken(err) {
				return nil, err
			}
			inserted, other = nil, rows // another session has just planned one of them
		}
		planned = append(planned, inserted...)
		for _, f := range other {
			f, ok, err := a.store.PlanDue(ctx, tx, f)
			if err != nil {
				return nil, err
			}
			if ok {
				planned = append(planned, f)
			}
		}
	}
	return planned, nil
}

// takenOf returns which of the jobs' due times have open fires.
func takenOf(ctx context.Context, t *database.Tx, fires []xxladapter.Fire) (map[records.DueTime]bool, error) {
	var args []any
	first, last := database.ToMilli(fires[0].Due), database.ToMilli(fires[0].Due)
	for _, f := range fires {
		args = append(args, f.JobID)
		first, last = min(first, database.ToMilli(f.Due)), max(last, database.ToMilli(f.Due))
	}
	taken := map[records.DueTime]bool{}
	err := database.Select(ctx, t, `SELECT job_id, due_ms FROM xxlwheel_fire FORCE INDEX (xxlwheel_fire_due_of_job)
		WHERE job_id IN (?`+strings.Repeat(", ?", len(fires)-1)+
		`) AND due_ms BETWEEN ? AND ?`, append(args, first, last), func(r database.Row) error {
		var at records.DueTime
		err := r.Scan(&at.Job, &at.Due)
		taken[at] = true
		return err
	})
	return taken, err
}

const (
	// scheduledValues are the columns that the fire of a schedule sets, and moreValues those that
	// it leaves to their defaults, which makes the INSERT faster.
	scheduledValues = `job_id, group_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count`
	moreValues      = `param, addresses, attempt, parent_log_id`

	insertScheduled = `INSERT INTO xxlwheel_fire (` + scheduledValues + `) VALUES (?, ?, ?, ?, ?, ?, 'planned', ?)`
	insertPlanned   = `INSERT INTO xxlwheel_fire (` + scheduledValues + `, ` + moreValues +
		`) VALUES (?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?)`
)

// hasMore reports whether a fire sets a column of moreValues.
func hasMore(f xxladapter.Fire) bool {
	return f.Param != nil || len(f.Addresses) > 0 || f.Attempt != 0 || f.Parent != 0
}

// insertFires inserts all fires or none. The ids of the rows of one INSERT with a fixed number of
// VALUES are consecutive: InnoDB generates them at once, in each of its modes of AUTO_INCREMENT.
func (a *acts) insertFires(ctx context.Context, tx *database.Tx, fires []xxladapter.Fire) ([]xxladapter.Fire, error) {
	if len(fires) == 0 {
		return nil, nil
	}
	query, more := insertScheduled, slices.ContainsFunc(fires, hasMore)
	if more {
		query = insertPlanned
	}
	var args []any
	for _, f := range fires {
		args = append(
			args, f.JobID, f.GroupID, database.ToMilli(f.Due), f.ShardIndex, f.ShardTotal, string(f.Type), f.RetryCount,
		)
		if more {
			args = append(args, f.Param, database.JoinAddresses(f.Addresses), f.Attempt, f.Parent)
		}
	}
	id, err := direct(ctx, tx, database.ManyRows(query, len(fires)), args)
	if err != nil {
		return nil, err
	}
	planned := make([]xxladapter.Fire, len(fires))
	for i, f := range fires {
		planned[i] = records.PlannedAs(f, id+int64(i)*a.idStep)
	}
	return planned, nil
}

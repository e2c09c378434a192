package mysql

import (
	"context"
	"strconv"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// reserveWithin implements [database.Dialect]. ALTER TABLE would end the transaction that is to
// have the ids. Instead a row with the last id is inserted, which raises the counter, and is
// deleted again before anybody can see it.
//
// The counter stays where it is if the transaction is rolled back. MySQL 5.7 forgets it when it
// restarts, but no transaction outlives that, and the next one reserves again. A row that has the
// id already has raised the counter itself, and is left alone: only the inserted row has job 0.
// With an auto_increment_increment above 1 the server gives the next id of its series above last.
func reserveWithin(table string, last int64) []string {
	id := strconv.FormatInt(last, 10)
	insert := `INSERT INTO xxlwheel_fire (id, job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count)
		VALUES (` + id + `, 0, ` + id + `, 0, 1, '', 'planned', 0)`
	if table == "xxl_job_log" {
		insert = `INSERT INTO xxl_job_log (id, job_group, job_id, trigger_code, handle_code) VALUES (` + id +
			`, 0, 0, 0, 0)`
	}
	return []string{
		insert + ` ON DUPLICATE KEY UPDATE id = id`,
		`DELETE FROM ` + table + ` WHERE id = ` + id + ` AND job_id = 0`,
	}
}

// lastID implements [database.Dialect]. Servers show the counter of a table late, so a row is
// inserted for its id, and deleted again before anybody can see it. All ids that were generated
// before are lower than that.
func lastID(ctx context.Context, tx *database.Tx, table string) (last int64, err error) {
	insert := `INSERT INTO xxlwheel_fire (job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count)
		VALUES (0, 0, 0, 1, '', 'planned', 0)`
	if table == "xxl_job_log" {
		insert = `INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (0, 0, 0, 0)`
	}
	if _, err := tx.Exec(ctx, insert); err != nil {
		return 0, err
	}
	err = tx.Query(ctx, `SELECT LAST_INSERT_ID()`, nil, func(r database.Row) error { return r.Scan(&last) })
	if err == nil {
		_, err = tx.Exec(ctx, `DELETE FROM `+table+` WHERE id = ? AND job_id = 0`, last)
	}
	return last - 1, err
}

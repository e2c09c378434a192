package runs

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// LogColumns are the columns of a log row, in the order in which ScanLog reads them.
	LogColumns = `id, job_group, job_id, executor_address, executor_handler, executor_param,
		executor_sharding_param, executor_fail_retry_count,
		trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status`

	// InsertLog stores a log row; LogValues are its arguments.
	InsertLog = `INSERT INTO xxl_job_log (
		job_group, job_id, executor_address, executor_handler, executor_param,
		executor_sharding_param, executor_fail_retry_count,
		trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// SetTriggered, SetAccepted and SetHandled store what a settlement, an executor that accepts a
	// run, and a result say of the run.
	SetTriggered = `UPDATE xxl_job_log SET trigger_code = ?, trigger_msg = ? WHERE id = ?`
	SetAccepted  = `UPDATE xxl_job_log SET trigger_code = ?, trigger_msg = ?, executor_address = ? WHERE id = ?`
	SetHandled   = `UPDATE xxl_job_log SET trigger_code = ?, handle_time = ?, handle_code = ?, handle_msg = ? WHERE id = ?`

	// SelectLost finds runs without a result whose executor is no longer registered. It is ordered
	// by id, so that the caller can continue after the last one. Where the database has a partial
	// index, it reads no finished runs.
	SelectLost = `SELECT ` + LogColumns + ` FROM xxl_job_log
		WHERE trigger_code = 200 AND handle_code = 0 AND id > ? AND trigger_time <= ?
		AND NOT EXISTS (SELECT 1 FROM xxl_job_registry WHERE registry_value = executor_address)
		ORDER BY id LIMIT ?`
)

// LogEntity reads log rows.
var LogEntity = database.Entity[xxladapter.Log]{
	Query: `SELECT ` + LogColumns + ` FROM xxl_job_log`,
	Scan:  ScanLog,
	ID:    func(l *xxladapter.Log) int64 { return l.ID },
	Copy: func(l *xxladapter.Log) *xxladapter.Log {
		mine := *l
		return &mine
	},
	None:  NoLog,
	Table: database.LookupLogs,
}

// InsertLog inserts a log row and returns its id.
func (s *Store) InsertLog(ctx context.Context, tx *database.Tx, l *xxladapter.Log) (int64, error) {
	return tx.Insert(ctx, InsertLog, s.LogValues(l)...)
}

// LogValues returns the arguments of InsertLog, with texts truncated to their columns.
func (s *Store) LogValues(l *xxladapter.Log) []any {
	l = l.Fitted()
	param := l.Param
	if limit := s.db.Dialect.Widths.LogParam; limit > 0 {
		param = xxladapter.FirstCharacters(param, limit)
	}
	return []any{
		l.GroupID, l.JobID, database.OrNull(l.Address), l.Handler, param,
		database.OrNull(l.Sharding), l.RetryCount,
		s.db.Dialect.Datetime(l.TriggerTime), l.TriggerCode, database.OrNull(l.TriggerMsg),
		s.db.Dialect.Datetime(l.HandleTime), l.HandleCode, database.OrNull(l.HandleMsg), l.AlarmStatus,
	}
}

// LostRuns implements [xxladapter.Store].
func (s *Store) LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*xxladapter.Log, error) {
	var lost []*xxladapter.Log
	err := s.db.Query(ctx, SelectLost, []any{
		after, s.db.Dialect.Datetime(s.db.Clock().Add(-age)), limit,
	}, func(r database.Row) error {
		l, err := ScanLog(r)
		lost = append(lost, l)
		return err
	})
	return lost, err
}

// Log implements [xxladapter.Store].
func (s *Store) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	return database.Find(ctx, s.db, &LogEntity, id)
}

// logConditions adds the conditions of f, except its position.
func logConditions(d *database.Dialect, where *database.Conditions, f xxladapter.LogFilter) {
	if f.JobID != 0 {
		where.Add(`job_id = ?`, f.JobID)
	}
	if f.GroupID != 0 {
		where.Add(`job_group = ?`, f.GroupID)
	}
	where.AddIDs(d, `job_group`, f.Groups)
	if condition := ofStatus[f.Status]; condition != "" {
		where.Add(condition)
	}
	if f.Taken {
		where.Add(`trigger_code = 200`)
	}
	// The column holds whole seconds, so a limit is rounded up to the next one.
	if !f.Since.IsZero() {
		where.Add(`trigger_time >= ?`, d.Datetime(nextSecond(f.Since)))
	}
	if !f.Before.IsZero() {
		where.Add(`trigger_time < ?`, d.Datetime(nextSecond(f.Before)))
	}
}

// LogList returns the query for the rows that f selects, and its arguments.
func LogList(d *database.Dialect, f xxladapter.LogFilter) (query string, args []any) {
	var where database.Conditions
	logConditions(d, &where, f)
	order := where.PageByID(f.AfterID, f.Newest)
	return where.Selecting(`SELECT `+LogColumns+` FROM xxl_job_log`, order, f.Limit)
}

// Logs implements [xxladapter.Store].
func (s *Store) Logs(ctx context.Context, f xxladapter.LogFilter) ([]*xxladapter.Log, error) {
	query, args := LogList(s.db.Dialect, f)
	var found []*xxladapter.Log
	err := s.db.Query(ctx, query, args, func(r database.Row) error {
		l, err := ScanLog(r)
		found = append(found, l)
		return err
	})
	return found, err
}

// ofStatus has, for each status, the SQL condition that [xxladapter.Log.Status] computes.
var ofStatus = map[xxladapter.LogStatus]string{
	xxladapter.LogRunning: `handle_code = 0 AND trigger_code IN (0, 200)`,
	xxladapter.LogSuccess: `handle_code = 200`,
	xxladapter.LogFail:    `handle_code <> 200 AND (handle_code <> 0 OR trigger_code NOT IN (0, 200))`,
}

// nextSecond rounds t up to a whole second.
func nextSecond(t time.Time) time.Time { return t.Add(time.Second - 1).Truncate(time.Second) }

// ScanLog reads a row of LogColumns.
func ScanLog(r database.Row) (*xxladapter.Log, error) {
	var l xxladapter.Log
	err := r.Scan(&l.ID, &l.GroupID, &l.JobID, database.Text(&l.Address), database.Text(&l.Handler),
		database.Text(&l.Param),
		database.Text(&l.Sharding), &l.RetryCount,
		database.Datetime(&l.TriggerTime), &l.TriggerCode, database.Text(&l.TriggerMsg),
		database.Datetime(&l.HandleTime), &l.HandleCode, database.Text(&l.HandleMsg), &l.AlarmStatus)
	return &l, err
}

// NoLog returns the error for a log row that does not exist.
func NoLog(id int64) error {
	return xxladapter.Absent("run", id)
}

package mysql

import (
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// The clocks do not use NOW(): it returns the time at which the statement began, and a replication
// setting can make it stand still.
const (
	clock        = `FLOOR(UNIX_TIMESTAMP(SYSDATE(6)) * 1000)`
	preciseClock = `CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)`
)

// keepHistory is the [database.Dialect.KeepHistory] of MySQL and MariaDB.
const keepHistory = ` ON DUPLICATE KEY UPDATE
	taken_by = COALESCE(VALUES(taken_by), taken_by), taken_ms = COALESCE(VALUES(taken_ms), taken_ms),
	sent_ms = COALESCE(VALUES(sent_ms), sent_ms), acked_ms = COALESCE(VALUES(acked_ms), acked_ms),
	finished_ms = COALESCE(VALUES(finished_ms), finished_ms)`

func dialectOf(schema schema, facts *serverFacts, zone *time.Location) *database.Dialect {
	return &database.Dialect{
		Kind:         xxladapter.StoreMySQL,
		Version:      `VERSION()`,
		Clock:        clock,
		PreciseClock: preciseClock,
		Cached:       true, // the driver puts arguments into the text: one round trip, and nothing to prepare
		Rewrite:      schema.rewrite,
		Lock:         " FOR UPDATE",
		Share:        " LOCK IN SHARE MODE",
		LockSchedule: `SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE`,
		// Changes of an app name wait for each other at its row here, because some app names have
		// no group yet.
		LockApp: `INSERT INTO xxlwheel_app (app_name) VALUES (?) ON DUPLICATE KEY UPDATE app_name = app_name`,
		PlanFire: `INSERT INTO xxlwheel_fire (` + records.FireValues + `)
			SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?, ?, ? FROM DUAL
			WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)`,
		Among: func(column string, ids []int64) (string, []any) {
			return column + ` IN (` + database.JoinIDs(ids) + `)`, nil
		},
		UpdateRows: updateRows,
		Columns: `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_KEY = 'PRI' FROM information_schema.COLUMNS
			WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl%' ORDER BY TABLE_NAME, ORDINAL_POSITION`,
		ReserveIDs: func(table string, last int64) []string {
			return []string{`ALTER TABLE ` + table + ` AUTO_INCREMENT = ` + strconv.FormatInt(last+1, 10)}
		},
		ReserveWithin: reserveWithin,
		LastID:        lastID,
		JobsByID:      ` FORCE INDEX (PRIMARY)`,
		FiresByJob:    ` FORCE INDEX (xxlwheel_fire_due_of_job)`,
		IDStep:        facts.idStep,
		InsertTexts: func(texts []database.TextRow) (string, []any) {
			var args []any
			for _, t := range texts {
				args = append(args, t.Values()...)
			}
			return runs.InsertText + strings.Repeat(`, (?, ?, ?, ?, ?)`, len(texts)-1), args
		},
		Beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
			VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE update_time = VALUES(update_time)`,
		// The index on handle_code also has the runs that were never handed over.
		OpenRuns:  `id IN (SELECT id FROM (SELECT id FROM xxl_job_log WHERE handle_code = 0 AND trigger_code IN (0, 200)) AS open)`,
		Seconds:   `TIMESTAMPDIFF(SECOND, trigger_time, handle_time)`,
		Updated:   `COALESCE(update_time, TIMESTAMP '` + time.Unix(0, 0).In(zone).Format(time.DateTime) + `')`,
		KnowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON DUPLICATE KEY UPDATE job_id = job_id`,
		AddToSlot: `INSERT INTO xxlwheel_report (trigger_day, slot, running_count, suc_count, fail_count) VALUES (?, ?, ?, ?, ?)
			ON DUPLICATE KEY UPDATE running_count = running_count + VALUES(running_count),
				suc_count = suc_count + VALUES(suc_count), fail_count = fail_count + VALUES(fail_count)`,
		KeepHistory:   keepHistory,
		RecordMisfire: records.InsertMisfire + moveMisfire,
		// Has compares bytes: a collation would also match similar letters.
		NeverRan: figures.NeverRanExists,
		Has:      func(column string) string { return `LOCATE(CAST(? AS BINARY), CAST(` + column + ` AS BINARY)) > 0` },
		Bytes:    func(text string) string { return `CAST(CONVERT(` + text + ` USING utf8mb4) AS BINARY)` },
		Widths:   schema.widths,
		// As a text, because the server rounds a fraction half up.
		Datetime: func(t time.Time) any { return database.DatetimeText(t, zone) },
	}
}

package mysql

import (
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// The clocks do not use NOW(): it returns when the statement began, and a replication setting can
// fix it.
const (
	clock        = `FLOOR(UNIX_TIMESTAMP(SYSDATE(6)) * 1000)`
	preciseClock = `CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)`
)

func dialectOf(schema schema, zone *time.Location) *records.Dialect {
	return &records.Dialect{
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
			SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ? FROM DUAL
			WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)`,
		Among: func(column string, ids []int64) (string, []any) {
			return column + ` IN (` + records.JoinIDs(ids) + `)`, nil
		},
		InsertTexts: func(texts []records.TextRow) (string, []any) {
			var args []any
			for _, t := range texts {
				args = append(args, t.Values()...)
			}
			return records.InsertText + strings.Repeat(`, (?, ?, ?, ?, ?)`, len(texts)-1), args
		},
		Beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
			VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE update_time = VALUES(update_time)`,
		KnowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON DUPLICATE KEY UPDATE job_id = job_id`,
		AddToSlot: `INSERT INTO xxlwheel_report (trigger_day, slot, running_count, suc_count, fail_count) VALUES (?, ?, ?, ?, ?)
			ON DUPLICATE KEY UPDATE running_count = running_count + VALUES(running_count),
				suc_count = suc_count + VALUES(suc_count), fail_count = fail_count + VALUES(fail_count)`,
		NameHas: `LOCATE(CAST(? AS BINARY), CAST(job_desc AS BINARY)) > 0`, // a collation would also match similar letters
		Widths:  schema.widths,
		Datetime: func(t time.Time) any {
			if t.IsZero() {
				return nil
			}
			// As a text, because the server rounds a fraction half up.
			return t.In(zone).Format(time.DateTime)
		},
	}
}

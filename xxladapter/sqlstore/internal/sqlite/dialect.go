package sqlite

import (
	"context"
	"strconv"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

var dialect = database.Dialect{
	Kind:    xxladapter.StoreSQLite,
	Version: `sqlite_version()`,
	PlanFire: `INSERT INTO xxlwheel_fire (` + records.FireValues + `)
		SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)`,
	Beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (registry_group, registry_key, registry_value) DO UPDATE SET update_time = excluded.update_time`,
	Among: func(column string, ids []int64) (string, []any) {
		return column + ` IN (SELECT value FROM json_each(?))`, []any{"[" + database.JoinIDs(ids) + "]"}
	},
	JoinIDs:    `group_concat(id)`,
	UpdateRows: updateRows,
	Columns: `SELECT m.name, c.name, c.type, c.pk FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name LIKE 'xxl%' ORDER BY m.name, c.cid`,
	ReserveIDs: func(table string, last int64) []string {
		id := strconv.FormatInt(last, 10)
		return []string{
			`INSERT INTO sqlite_sequence (name, seq) SELECT '` + table + `', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '` + table + `')`,
			`UPDATE sqlite_sequence SET seq = ` + id + ` WHERE name = '` + table + `' AND seq < ` + id,
		}
	},
	LastID: func(ctx context.Context, tx *database.Tx, table string) (last int64, err error) {
		err = tx.Query(ctx, `SELECT seq FROM sqlite_sequence WHERE name = ?`, []any{table},
			func(r database.Row) error { return r.Scan(&last) })
		return last, err
	},
	NeverRan: figures.NeverRanIn,
	Has:      func(column string) string { return `instr(` + column + `, ?) > 0` },
	Bytes:    func(text string) string { return text },
	OpenRuns: `id IN (SELECT id FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 0
		UNION ALL SELECT id FROM xxl_job_log WHERE trigger_code = 0 AND handle_code = 0)`,
	Seconds:       `(strftime('%s', handle_time) - strftime('%s', trigger_time))`,
	Updated:       `COALESCE(update_time, '1970-01-01 00:00:00')`,
	KnowAlarm:     `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON CONFLICT (job_id) DO NOTHING`,
	AddToSlot:     figures.AddToSlot,
	KeepHistory:   runs.KeepHistory,
	RecordMisfire: records.RecordMisfire,
	Datetime:      func(t time.Time) any { return database.DatetimeText(t, time.UTC) },
}

package sqlite

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

var dialect = records.Dialect{
	PlanFire: `INSERT INTO xxlwheel_fire (` + records.FireValues + `)
		SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)`,
	Beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (registry_group, registry_key, registry_value) DO UPDATE SET update_time = excluded.update_time`,
	Among: func(column string, ids []int64) (string, []any) {
		return column + ` IN (SELECT value FROM json_each(?))`, []any{"[" + records.JoinIDs(ids) + "]"}
	},
	NameHas:   `instr(job_desc, ?) > 0`,
	KnowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON CONFLICT (job_id) DO NOTHING`,
	AddToSlot: records.AddToSlot,
	Datetime: func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Format(time.DateTime)
	},
}

package postgres

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

// clock advances during a transaction.
const clock = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

var dialect = database.Dialect{
	Kind:         xxladapter.StorePostgres,
	Version:      `current_setting('server_version')`,
	Clock:        clock,
	PreciseClock: `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
	Rewrite:      numbered,
	Returning:    true,
	Cached:       true,
	Lock:         ` FOR UPDATE`,
	Share:        ` FOR SHARE`,
	Lazily:       `SET LOCAL synchronous_commit = off`,
	LockApp:      `SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`,
	PlanFire: `INSERT INTO xxlwheel_fire (` + records.FireValues + `)
		SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)
		ON CONFLICT DO NOTHING`,
	Among: func(column string, ids []int64) (string, []any) { return column + ` = ANY(?)`, []any{ids} },
	Beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (registry_group, registry_key, registry_value) DO UPDATE SET update_time = excluded.update_time`,
	JoinIDs:    `string_agg(id::text, ',')`,
	UpdateRows: updateRows, InsertArrays: insertArrays,
	Columns: `SELECT table_name::text, column_name::text, data_type::text, CASE WHEN EXISTS (
			SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
			WHERE i.indisprimary AND i.indrelid = table_name::text::regclass AND a.attname = column_name::text) THEN 1 ELSE 0 END
		FROM information_schema.columns WHERE table_schema = current_schema() AND table_name LIKE 'xxl%' ORDER BY table_name, ordinal_position`,
	ReserveIDs: func(table string, last int64) []string {
		return []string{`SELECT setval(pg_get_serial_sequence('` + table +
			`', 'id'), ` + strconv.FormatInt(last, 10) + `)`}
	},
	LastID: func(ctx context.Context, tx *database.Tx, table string) (last int64, err error) {
		err = tx.Query(ctx, `SELECT COALESCE(pg_sequence_last_value(pg_get_serial_sequence('`+table+`', 'id')::regclass), 0)`, nil,
			func(r database.Row) error { return r.Scan(&last) })
		return last, err
	},
	AdvanceIDs: func(table string) string {
		sequence := `pg_get_serial_sequence('` + table + `', 'id')`
		return `SELECT setval(` + sequence + `, GREATEST(MAX(id), nextval(` + sequence + `))) FROM ` + table +
			` HAVING MAX(id) IS NOT NULL`
	},
	OpenRuns: `id IN (SELECT id FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 0
		UNION ALL SELECT id FROM xxl_job_log WHERE trigger_code = 0 AND handle_code = 0)`,
	Seconds:   `extract(epoch FROM handle_time - trigger_time)`,
	Updated:   `COALESCE(update_time, timestamp '1970-01-01 00:00:00')`,
	KnowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON CONFLICT (job_id) DO NOTHING`,
	InsertTexts: func(texts []database.TextRow) (string, []any) {
		var (
			ids, sizes []int64
			bodies     [][]byte
			complete   []int16
			notes      []string
		)
		for _, t := range texts {
			ids, bodies, sizes = append(ids, t.LogID), append(bodies, t.Body), append(sizes, t.Size)
			complete, notes = append(complete, int16(t.Complete)), append(notes, validText(t.Note))
		}
		return `INSERT INTO xxlwheel_log_text (log_id, body, size, complete, note)
			SELECT * FROM unnest(?::bigint[], ?::bytea[], ?::bigint[], ?::smallint[], ?::text[])`, []any{
				ids, bodies, sizes, complete, notes,
			}
	},
	NeverRan:      figures.NeverRanExists,
	Has:           func(column string) string { return `strpos(` + column + `, ?) > 0` },
	Bytes:         func(text string) string { return text + ` COLLATE "C"` },
	AddToSlot:     figures.AddToSlot,
	KeepHistory:   runs.KeepHistory,
	RecordMisfire: records.RecordMisfire,
	MoveJobs:      moveTogether,
	Datetime: func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Truncate(time.Second) // the column itself would round
	},
	Argument: acceptable,
}

// acceptable converts texts of any bytes: PostgreSQL accepts neither NUL nor invalid UTF-8.
func acceptable(arg any) any {
	switch arg := arg.(type) {
	case string:
		return validText(arg)
	case *string:
		if arg == nil {
			return nil
		}
		return validText(*arg)
	}
	return arg
}

func validText(s string) string { return xxladapter.ValidText(s) }

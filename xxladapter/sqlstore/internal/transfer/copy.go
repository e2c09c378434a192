package transfer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
)

// A Copy copies a store into an empty one, which may be of another kind.
type Copy struct {
	From, To *database.DB
	// History includes what has happened; see historyTables.
	History bool
	// Progress is called after each part of a table, with the number of its rows copied so far. Nil
	// is allowed.
	Progress func(table string, rows int64)
}

var (
	// neverCopied belong to the schedulers and tables of one store.
	neverCopied = []string{
		"xxlwheel_schema", "xxlwheel_journal", "xxlwheel_redis", "xxlwheel_app", "xxlwheel_lease", "xxlwheel_partition",
		"xxl_job_lock",
	}
	// historyTables are skipped unless [Copy].History is set.
	historyTables = []string{
		"xxl_job_log", "xxl_job_log_report", "xxlwheel_report", "xxlwheel_run", "xxlwheel_log_text",
		"xxlwheel_log_fetch", "xxlwheel_misfire",
		"xxlwheel_alarm", "xxlwheel_alarm_claim", "xxlwheel_stat", "xxlwheel_stat_mark", "xxlwheel_stat_open",
		"xxlwheel_last_result",
		"xxlwheel_audit", "xxlwheel_audit_end", "xxlwheel_job_version", "xxlwheel_order", "xxlwheel_removed_job",
		"xxlwheel_backfill",
	}
	// mustBeEmpty are the tables in which an empty store has no row.
	mustBeEmpty = []string{
		"xxl_job_group", "xxl_job_info", "xxl_job_log", "xxl_job_user", "xxl_job_log_report", "xxlwheel_user",
		"xxlwheel_audit",
	}
	// copiedLast are the tables that make schedulers act. They are copied last, so that no
	// scheduler acts on an interrupted copy.
	copiedLast = []string{"xxlwheel_fire", "xxl_job_group", "xxl_job_info"}
	// datetimeColumns are times in every kind of store. SQLite keeps them as texts.
	datetimeColumns = []string{
		"add_time", "update_time", "glue_updatetime", "trigger_time", "handle_time", "trigger_day",
	}
	// idsIn maps columns that refer to a row to the table of that row. An id that only such a
	// column still has belongs to a deleted row, and must not be given again.
	idsIn = map[string]string{
		"job_id": "xxl_job_info", "group_id": "xxl_job_group", "user_id": "xxlwheel_user", "fire_id": "xxlwheel_fire",
		"log_id": "xxl_job_log", "last_log_id": "xxl_job_log", "parent_log_id": "xxl_job_log",
		"folded_id": "xxl_job_log", "next_id": "xxl_job_log",
	}
)

// tokensTable is where access tokens are in most stores. They are copied separately, because later
// tables of XXL-JOB have a column for them.
const tokensTable = "xxlwheel_group"

// A copiedTable is a table with the columns that both stores have.
type copiedTable struct {
	name    string
	columns []copiedColumn
}

type copiedColumn struct {
	name string
	kind byte // i for an integer, b for bytes, t for a time, s for a text
	key  bool // a part of the primary key
}

// A TableCount says how many rows of a table were copied.
type TableCount struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// digest is the sum of the digests of rows, in any order.
type digest [4]uint64

func (d *digest) add(row []any) {
	h := sha256.New()
	for _, value := range row {
		switch v := value.(type) {
		case nil:
			h.Write([]byte{0})
		case int64:
			fmt.Fprintf(h, "i%d,", v)
		case time.Time:
			fmt.Fprintf(h, "t%d,", v.Unix())
		case []byte:
			fmt.Fprintf(h, "b%d,%s", len(v), v)
		case string:
			v = xxladapter.ValidText(v)
			fmt.Fprintf(h, "s%d,%s", len(v), v)
		}
	}
	sum := h.Sum(nil)
	for i := range d {
		d[i] += binary.LittleEndian.Uint64(sum[8*i:])
	}
}

// Run copies the tables and compares them. If it returns an error after it has begun to copy, the
// target is incomplete and must be discarded.
func (c *Copy) Run(ctx context.Context) ([]TableCount, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	tables, err := c.tables(ctx)
	if err != nil {
		return nil, err
	}
	var counts []TableCount
	last := map[string]int64{} // the highest ids that rows have or refer to, by their tables
	for _, t := range tables {
		n, source, err := c.copy(ctx, t, last)
		if err == nil && !c.History && t.name == "xxl_job_info" {
			err = c.From.Query(ctx, `SELECT COALESCE(MAX(id), 0) FROM xxl_job_log`, nil, func(r database.Row) error {
				var id int64
				err := r.Scan(&id)
				last["xxl_job_log"] = max(last["xxl_job_log"], id)
				return err
			})
		}
		if err != nil {
			return nil, fmt.Errorf("copy %s: %w", t.name, err)
		}
		counts = append(counts, TableCount{t.name, n})
		var target digest
		var there int64
		err = pages(ctx, c.To, t, func(rows [][]any) error {
			for _, row := range rows {
				target.add(row)
			}
			there += int64(len(rows))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", t.name, err)
		}
		if there != n || target != source {
			return nil, fmt.Errorf(
				"compare %s: the target has %d rows of %d, or their contents differ: was a store in use?", t.name,
				there, n,
			)
		}
	}
	return counts, c.reserve(ctx, tables, last)
}

// check refuses stores that are in use, and a target that is not empty.
func (c *Copy) check(ctx context.Context) error {
	if err := c.CheckFrom(ctx); err != nil {
		return err
	}
	if err := checkUnused(ctx, c.To); err != nil {
		return err
	}
	for _, table := range mustBeEmpty {
		found, err := c.To.Finds(ctx, `SELECT 1 FROM `+table+` LIMIT 1`)
		if err != nil {
			return err
		}
		if found {
			return xxladapter.Conflictf(errorrule.TargetNotEmpty, "the target has rows in %s, must be empty", table)
		}
	}
	return nil
}

// CheckFrom refuses a source that cannot be copied now. It needs no target.
func (c *Copy) CheckFrom(ctx context.Context) error {
	if err := checkUnused(ctx, c.From); err != nil || c.History {
		return err
	}
	claimed, err := c.From.Finds(ctx, `SELECT 1 FROM xxlwheel_fire WHERE state <> 'planned' LIMIT 1`)
	if err == nil && claimed {
		err = xxladapter.Conflictf(errorrule.FiresClaimed,
			"fires are being handed over, which needs the history: copy it, or let a scheduler finish them")
	}
	return err
}

// checkUnused refuses a store on which a scheduler works.
func checkUnused(ctx context.Context, s *database.DB) error {
	return s.Query(ctx, `SELECT node FROM xxlwheel_lease WHERE until_ms > ?`, []any{
		database.ToMilli(s.Clock()),
	}, func(r database.Row) error {
		var node string
		if err := r.Scan(database.Text(&node)); err != nil {
			return err
		}
		return xxladapter.Conflictf(errorrule.SchedulerWorks,
			"scheduler %s holds a lease on one of the stores, must be stopped, and its lease must expire",
			node)
	})
}

// tables returns what is to be copied, in order.
func (c *Copy) tables(ctx context.Context) ([]copiedTable, error) {
	from, err := columnsOf(ctx, c.From)
	if err != nil {
		return nil, err
	}
	to, err := columnsOf(ctx, c.To)
	if err != nil {
		return nil, err
	}
	var tables []copiedTable
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if slices.Contains(neverCopied, name) || name == tokensTable || !c.History &&
			slices.Contains(historyTables, name) {
			continue
		}
		t := copiedTable{name: name}
		for _, column := range from[name] {
			both := slices.ContainsFunc(to[name], func(other copiedColumn) bool { return other.name == column.name })
			switch {
			case name == "xxlwheel_term" && column.name == "id": // MySQL alone has this column; the table has one row
			case both:
				t.columns = append(t.columns, column)
			case name == "xxl_job_user" && column.name == "token",
				name == "xxl_job_group" && column.name == "access_token":
				// A session of a Java admin, and what tokensTable has.
			default:
				return nil, fmt.Errorf(
					"the target has no column %s of %s: migrate both stores with the same version first", column.name,
					name,
				)
			}
		}
		tables = append(tables, t)
	}
	order := func(t copiedTable) int { return slices.Index(copiedLast, t.name) }
	slices.SortStableFunc(tables, func(a, b copiedTable) int { return order(a) - order(b) })
	at := slices.IndexFunc(tables, func(t copiedTable) bool { return t.name == "xxl_job_group" })
	tokens := copiedTable{tokensTable, []copiedColumn{{"group_id", 'i', true}, {"access_token", 's', false}}}
	return slices.Insert(tables, at+1, tokens), nil
}

// columnsOf lists the columns of all tables, under the names that our statements use.
func columnsOf(ctx context.Context, db *database.DB) (map[string][]copiedColumn, error) {
	tables := map[string][]copiedColumn{}
	err := db.Query(ctx, db.Dialect.Columns, nil, func(r database.Row) error {
		var table, kind string
		var c copiedColumn
		var key int64
		if err := r.Scan(database.Text(&table), database.Text(&c.name), database.Text(&kind), &key); err != nil {
			return err
		}
		table, c.name, kind, c.key = strings.ToLower(table), strings.ToLower(c.name), strings.ToLower(kind), key > 0
		switch later := table + "." + c.name; later {
		case "xxl_job_info.name":
			c.name = "job_desc"
		case "xxl_job_group.name":
			c.name = "title"
		}
		switch {
		case slices.Contains(datetimeColumns, c.name):
			c.kind = 't'
		case strings.Contains(kind, "int"):
			c.kind = 'i'
		case strings.Contains(kind, "blob"), kind == "bytea":
			c.kind = 'b'
		default:
			c.kind = 's'
		}
		tables[table] = append(tables[table], c)
		return nil
	})
	return tables, err
}

// copy copies a table.
func (c *Copy) copy(ctx context.Context, t copiedTable, last map[string]int64) (n int64, sum digest, err error) {
	if t.name != tokensTable {
		err := c.To.WriteBy(ctx, c.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM `+t.name)
			return err
		})
		if err != nil {
			return 0, sum, err
		}
	}
	insert := `INSERT INTO ` + t.name + ` (` + t.list() + `) VALUES (?` + strings.Repeat(`, ?`, len(t.columns)-1) + `)`
	err = pages(ctx, c.From, t, func(rows [][]any) error {
		written := make([][]any, len(rows))
		for i, row := range rows {
			sum.add(row)
			written[i] = slices.Clone(row)
			for k, column := range t.columns {
				id, isInt := row[k].(int64)
				if at, isTime := row[k].(time.Time); isTime {
					written[i][k] = c.To.Dialect.Datetime(at)
				}
				if column.name == "id" && isInt {
					last[t.name] = max(last[t.name], id)
				}
				if of := idsIn[column.name]; of != "" && isInt {
					last[of] = max(last[of], id)
				}
			}
		}
		err := c.To.WriteBy(ctx, c.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
			if t.name != tokensTable {
				return tx.InsertAll(ctx, insert, written)
			}
			for _, row := range rows {
				if err := registry.SetToken(ctx, tx, row[0].(int64), row[1].(string)); err != nil {
					return err
				}
			}
			return nil
		})
		if n += int64(len(rows)); err == nil && c.Progress != nil {
			c.Progress(t.name, n)
		}
		return err
	})
	return n, sum, err
}

func (t *copiedTable) list() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// pages passes all rows of a table to give, some at a time, in the order of the key.
func pages(ctx context.Context, db *database.DB, t copiedTable, give func(rows [][]any) error) error {
	if t.name == tokensTable {
		rows, err := rowsOf(
			ctx, db, t,
			`SELECT id, `+registry.GroupToken+` FROM xxl_job_group WHERE COALESCE(`+registry.GroupToken+
				`, '') <> '' ORDER BY id`,
			nil,
		)
		if err != nil || len(rows) == 0 {
			return err
		}
		return give(rows)
	}
	limit := 256
	if t.name == "xxlwheel_log_text" {
		limit = 16 // of up to a megabyte each
	}
	var key []string
	var places []int
	for i, c := range t.columns {
		if c.key {
			key, places = append(key, c.name), append(places, i)
		}
	}
	query := `SELECT ` + t.list() + ` FROM ` + t.name
	if len(key) == 0 { // a table with one row
		rows, err := rowsOf(ctx, db, t, query, nil)
		if err != nil || len(rows) == 0 {
			return err
		}
		return give(rows)
	}
	columns := strings.Join(key, ", ")
	var after []any
	for {
		where := ``
		if after != nil {
			where = ` WHERE (` + columns + `) > (?` + strings.Repeat(`, ?`, len(key)-1) + `)`
		}
		rows, err := rowsOf(ctx, db, t, fmt.Sprintf(`%s%s ORDER BY %s LIMIT %d`, query, where, columns, limit), after)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := give(rows); err != nil || len(rows) < limit {
			return err
		}
		after = after[:0]
		for _, i := range places {
			value := rows[len(rows)-1][i]
			if at, isTime := value.(time.Time); isTime {
				value = db.Dialect.Datetime(at)
			}
			after = append(after, value)
		}
	}
}

// rowsOf reads rows as int64, string, []byte, time.Time in whole seconds, or nil.
func rowsOf(ctx context.Context, db *database.DB, t copiedTable, query string, args []any) (rows [][]any, err error) {
	err = db.Query(ctx, query, args, func(r database.Row) error {
		into, row := make([]any, len(t.columns)), make([]any, len(t.columns))
		times := make([]time.Time, len(t.columns))
		for i, c := range t.columns {
			switch c.kind {
			case 'i':
				into[i] = new(sql.NullInt64)
			case 't':
				into[i] = database.Datetime(&times[i])
			case 'b':
				into[i] = new([]byte)
			default:
				into[i] = new(sql.NullString)
			}
		}
		if err := r.Scan(into...); err != nil {
			return err
		}
		for i := range into {
			switch v := into[i].(type) {
			case *sql.NullInt64:
				if v.Valid {
					row[i] = v.Int64
				}
			case *sql.NullString:
				if v.Valid {
					row[i] = v.String
				}
			case *[]byte:
				if *v != nil {
					row[i] = *v
				}
			default:
				if !times[i].IsZero() {
					row[i] = times[i]
				}
			}
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// reserve makes the target generate only ids above those that rows of the source have or refer to.
func (c *Copy) reserve(ctx context.Context, tables []copiedTable, last map[string]int64) error {
	given := map[string]bool{"xxl_job_log": true} // even without the history
	for _, t := range tables {
		if t.columns[0].name == "id" && t.name != "xxlwheel_audit" {
			given[t.name] = true
		}
	}
	for _, table := range slices.Sorted(maps.Keys(given)) {
		id := last[table]
		if id == 0 || id == math.MaxInt64 {
			continue
		}
		for _, statement := range c.To.Dialect.ReserveIDs(table, id) {
			err := c.To.WriteBy(ctx, c.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, statement)
				return err
			})
			if err != nil {
				return fmt.Errorf("reserve ids of %s: %w", table, err)
			}
		}
	}
	return nil
}

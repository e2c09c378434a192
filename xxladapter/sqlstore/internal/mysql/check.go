package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
)

// serverFacts are what a server reports about itself.
type serverFacts struct {
	version      string
	mariaDB      bool
	readOnly     bool
	binlog       bool
	binlogFormat string
	timeZone     string        // as set: SYSTEM, an offset, or a name
	systemZone   string        // the meaning of SYSTEM
	ahead        time.Duration // offset from UTC, now
	idStep       int64
	// idleVariable limits how long a session may be idle in a transaction. On MySQL it is
	// waitTimeout, which limits all idleness.
	idleVariable string
}

const waitTimeout = "wait_timeout"

func readServer(ctx context.Context, db *sql.DB) (*serverFacts, error) {
	var f serverFacts
	var ahead int64
	err := db.QueryRowContext(ctx, `SELECT @@version, @@global.read_only, @@log_bin, @@binlog_format,
		@@session.time_zone, @@system_time_zone, TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), NOW()), @@session.auto_increment_increment`).
		Scan(&f.version, &f.readOnly, &f.binlog, &f.binlogFormat, &f.timeZone, &f.systemZone, &ahead, &f.idStep)
	if err != nil {
		return nil, err
	}
	f.ahead = time.Duration(ahead) * time.Second
	f.mariaDB = strings.Contains(f.version, "MariaDB")
	f.idleVariable = waitTimeout
	if f.mariaDB {
		var name, value string
		err := db.QueryRowContext(ctx, `SHOW SESSION VARIABLES LIKE 'idle_transaction_timeout'`).Scan(&name, &value)
		if err == nil {
			f.idleVariable = name
		} else if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	return &f, nil
}

// location returns the zone in which the server keeps its datetimes.
func (f *serverFacts) location(logger *slog.Logger) (*time.Location, error) {
	name := f.timeZone
	if name == "SYSTEM" {
		name = f.systemZone
	}
	if t, err := time.Parse("-07:00", name); err == nil {
		return t.Location(), nil
	}
	zone, err := time.LoadLocation(name)
	if err == nil && name != "Local" {
		if _, ahead := time.Now().In(zone).Zone(); time.Duration(ahead)*time.Second == f.ahead {
			return zone, nil
		}
	}
	// The name tells no zone: it may be an abbreviation such as CST, which several zones share.
	logger.Warn("the database server does not name its time zone: name that of the Java side with zone=",
		"server", name, "assumed", f.ahead)
	return time.FixedZone(name, int(f.ahead/time.Second)), nil
}

// A schema holds the differences between releases of XXL-JOB.
type schema struct {
	renamed  bool // after 3.4.2: job_desc and title are called name
	tokens   bool // after 3.4.2: groups have a column for their access token
	dueIndex bool // an index leads to due jobs
	widths   database.Widths
}

// rewrite adapts a query to the columns of this release.
func (s schema) rewrite(query string) string {
	if s.tokens {
		query = tokenColumn.Replace(query)
	}
	if s.renamed {
		query = laterNames.Replace(query)
	}
	return query
}

// tokenColumn keeps access tokens where upstream does, instead of in our side table.
var tokenColumn = strings.NewReplacer(
	registry.GroupToken, "access_token",
	registry.DropToken, `UPDATE xxl_job_group SET access_token = NULL WHERE id = ?`,
	registry.InsertToken, `UPDATE xxl_job_group SET access_token = ? WHERE id = ?`,
)

// In our statements these words occur only as these columns.
var laterNames = strings.NewReplacer("job_desc", "name", "title", "name")

// needed lists the columns of upstream's tables that the statements use in every release.
var needed = map[string]string{
	"xxl_job_info": `id job_group author alarm_email schedule_type schedule_conf misfire_strategy executor_route_strategy
		executor_handler executor_param executor_block_strategy executor_timeout executor_fail_retry_count glue_type glue_source
		glue_remark glue_updatetime child_jobid trigger_status trigger_last_time trigger_next_time add_time update_time`,
	"xxl_job_log": `id job_group job_id executor_address executor_handler executor_param executor_sharding_param
		executor_fail_retry_count trigger_time trigger_code trigger_msg handle_time handle_code handle_msg alarm_status`,
	"xxl_job_logglue":    `id job_id glue_type glue_source glue_remark add_time update_time`,
	"xxl_job_registry":   `registry_group registry_key registry_value update_time`,
	"xxl_job_group":      `id app_name address_type address_list update_time`,
	"xxl_job_lock":       `lock_name`,
	"xxl_job_log_report": `trigger_day running_count suc_count fail_count update_time`,
}

// check refuses a server or a database that would lose jobs, and detects the release of the tables.
func check(ctx context.Context, db *sql.DB, f *serverFacts, logger *slog.Logger) (schema, error) {
	if err := f.check(logger); err != nil {
		return schema{}, err
	}
	found, err := readColumns(ctx, db)
	if err != nil {
		return schema{}, err
	}
	s, err := found.schema()
	if err != nil {
		return s, err
	}
	if c := found["xxl_job_info"]["executor_handler"].charset; c != "utf8mb4" {
		logger.Warn(
			"texts with characters beyond the tables' character set will be refused, utf8mb4 has them all",
			"table", "xxl_job_info", "charset", c,
		)
	}
	if err := checkEngines(ctx, db); err != nil {
		return s, err
	}
	if s.dueIndex, err = hasDueIndex(ctx, db); err != nil {
		return s, err
	}
	var locks int
	if err := db.QueryRowContext(
		ctx, `SELECT COUNT(*) FROM xxl_job_lock WHERE lock_name = 'schedule_lock'`,
	).Scan(&locks); err != nil {
		return s, err
	}
	if locks == 0 {
		return s, records.ErrNoScheduleLock
	}
	return s, nil
}

// check refuses a server that would lose jobs.
func (f *serverFacts) check(logger *slog.Logger) error {
	if f.readOnly {
		return errors.New("the server is read-only: it is a replica, or was switched to read_only")
	}
	if f.binlog && f.binlogFormat == "STATEMENT" {
		return errors.New("the server's binlog_format is STATEMENT, must be ROW or MIXED")
	}
	var major int
	if _, err := fmt.Sscanf(f.version, "%d", &major); err == nil && !f.mariaDB && major < 8 {
		logger.Warn("this server forgets which ids it has given when it restarts, a trigger may then be sent twice: use MySQL 8 or MariaDB 10.3 or later", "version", f.version)
	}
	return nil
}

// columns are the columns of upstream's tables, by table and name.
type columns map[string]map[string]column

// schema detects the release of the tables, and refuses tables that lack something.
func (found columns) schema() (s schema, err error) {
	if len(found) == 0 {
		return s, errors.New(
			"has none of XXL-JOB's tables: is it the right database? xxlwheel migrate --create-upstream creates them",
		)
	}
	for table, columns := range needed {
		if found[table] == nil {
			return s, fmt.Errorf("has no table %s", table)
		}
		for column := range strings.FieldsSeq(columns) {
			if _, ok := found[table][column]; !ok {
				return s, fmt.Errorf(
					"table %s has no column %s: XXL-JOB 2.3.0 is the oldest release that works", table, column,
				)
			}
		}
	}
	_, s.renamed = found["xxl_job_info"]["name"]
	_, s.tokens = found["xxl_job_group"]["access_token"]
	desc, title := "job_desc", "title"
	if s.renamed {
		desc, title = "name", "name"
	}
	for _, column := range [][2]string{{"xxl_job_info", desc}, {"xxl_job_group", title}} {
		if _, ok := found[column[0]][column[1]]; !ok {
			return s, fmt.Errorf(
				"table %s has no column %s: the tables are of different releases of XXL-JOB", column[0], column[1],
			)
		}
	}
	s.widths = database.Widths{
		Param:    found["xxl_job_info"]["executor_param"].characters(),
		Title:    found["xxl_job_group"][title].characters(),
		LogParam: found["xxl_job_log"]["executor_param"].characters(),
	}
	return s, nil
}

type column struct {
	dataType string
	width    int // in characters; 0 for types that hold no text
	charset  string
}

// characters returns the width of the column in characters, or 0 if it is not limited that way.
func (c column) characters() int {
	if c.dataType != "varchar" {
		return 0
	}
	return c.width
}

// readColumns reads the columns of upstream's tables.
func readColumns(ctx context.Context, db *sql.DB) (columns, error) {
	found := columns{}
	err := database.Select(ctx, db, `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COALESCE(CHARACTER_MAXIMUM_LENGTH, 0), COALESCE(CHARACTER_SET_NAME, '')
		FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl\\_job\\_%'`, nil, func(r database.Row) error {
		var table, name string
		var c column
		if err := r.Scan(&table, &name, &c.dataType, &c.width, &c.charset); err != nil {
			return err
		}
		table, name, c.dataType = strings.ToLower(table), strings.ToLower(name), strings.ToLower(c.dataType)
		if found[table] == nil {
			found[table] = map[string]column{}
		}
		found[table][name] = c
		return nil
	})
	return found, err
}

// checkEngines refuses tables without transactions and row locks.
func checkEngines(ctx context.Context, db *sql.DB) error {
	return database.Select(ctx, db, `SELECT TABLE_NAME, COALESCE(ENGINE, 'a view') FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'xxl%' AND COALESCE(ENGINE, '') <> 'InnoDB' ORDER BY TABLE_NAME`, nil, func(r database.Row) error {
		var table, engine string
		if err := r.Scan(&table, &engine); err != nil {
			return err
		}
		if _, ours := needed[strings.ToLower(table)]; ours || strings.HasPrefix(table, "xxlwheel_") {
			return fmt.Errorf("table %s is %s, must be InnoDB", table, engine)
		}
		return nil
	})
}

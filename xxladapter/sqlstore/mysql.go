package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// OpenMySQL opens the store in a MySQL or MariaDB database with XXL-JOB's own
// tables, of any release from 2.3.0 on, beside which running Java admins may
// work. Those tables are never altered; our side tables are created if they
// are missing and the user may create tables, see [PlanMySQL].
//
// The address is mysql://user:password@host:port/database. Its query may have
// zone=NAME, the time zone of datetime columns, which is that of the Java
// side's JDBC URL (serverTimezone) and by default the server's; socket=PATH; and
// the parameters of github.com/go-sql-driver/mysql, such as tls=true. The error
// names the server and the reason, on one line, and never the password.
func OpenMySQL(ctx context.Context, address string, opts Options) (*Store, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.LockLife <= 0 {
		opts.LockLife = defaultLockLife
	}
	if opts.Connections <= 0 {
		opts.Connections = max(20, 4*runtime.GOMAXPROCS(0))
	}
	server, err := parseMySQL(address)
	if err != nil {
		return nil, err
	}
	s, err := openMySQL(ctx, server, opts)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", server, mysqlReason(err))
	}
	return s, nil
}

// mysqlOwnConnections is how many connections are not shared.
const mysqlOwnConnections = 8

func openMySQL(ctx context.Context, server *mysqlServer, opts Options) (_ *Store, err error) {
	var pools []*sql.DB
	defer func() {
		if err != nil {
			for _, db := range pools {
				err = errors.Join(err, db.Close())
			}
		}
	}()
	add := func(db *sql.DB, conns int) *sql.DB {
		pools = append(pools, db)
		db.SetMaxOpenConns(conns)
		db.SetMaxIdleConns(conns)
		return db
	}

	first, err := server.patiently(opts.Logger)
	if err != nil {
		return nil, err
	}
	add(first, 1)
	facts, err := readServer(ctx, first)
	if err != nil {
		return nil, err
	}
	if server.zone == nil {
		server.zone = opts.Zone
	}
	if server.zone == nil {
		if server.zone, err = facts.location(opts.Logger); err != nil {
			return nil, err
		}
	}
	schema, err := checkMySQL(ctx, first, facts, opts.Logger)
	if err != nil {
		return nil, err
	}
	if err := migrateMySQL(ctx, first, opts.Logger); err != nil {
		return nil, err
	}
	if !schema.dueIndex {
		if err := adviseDueIndex(ctx, first, opts.Logger); err != nil {
			return nil, err
		}
	}
	pools = nil
	if err := first.Close(); err != nil {
		return nil, err
	}

	// In whole seconds, as the server counts.
	limit := max(time.Second, opts.LockLife.Truncate(time.Second))
	base := settings{
		// What the statements count on: no silent cutting of values, and no
		// other meaning of quotes and backslashes.
		"sql_mode":  "'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"time_zone": "'" + offset(time.Now().In(server.zone)) + "'",
	}
	bounded := base.with(settings{
		facts.idleVariable:         fmt.Sprint(int(limit / time.Second)),
		"innodb_lock_wait_timeout": fmt.Sprint(int(lockWait / time.Second)),
	})
	network := newNetwork()
	open := func(server *mysqlServer, silence *patience, conns int) *sql.DB {
		db, openErr := server.open(bounded, opts.Logger, network.dialer(silence))
		if openErr != nil {
			err = openErr
			return first // closed, and not used
		}
		if facts.idleVariable == waitTimeout {
			// The server should not be the one to end a connection that rests, and a scan
			// comes back to its own after two seconds.
			db.SetConnMaxIdleTime(limit * 3 / 4)
		}
		return add(db, conns)
	}
	quick, patient := fixed(quickSilence), &patience{least: quickSilence, most: slowSilence}
	// Beside those of their own kind, half of them read and half of them write, so
	// that writes which wait for a lock keep nobody from reading.
	shared := max(4, opts.Connections-mysqlOwnConnections)
	reads := open(server, fixed(slowSilence), shared-shared/2)
	writes := open(server, quick, shared/2)
	// The schedule lock and the terms have connections of their own, so that
	// who waits for them holds up nothing else, and nothing else holds up them.
	scans := open(server, quick, 1) // what may be slow, a walk, is a look
	looks := open(server, patient, 2)
	leases := open(server, fixed(leaseSilence), 1)
	fires := open(server.batching(), quick, 1)
	byID := open(server, quick, 3) // one for each table
	if err != nil {
		return nil, err
	}

	s := &Store{dialect: mysqlDialect(schema, server.zone, facts.idStep), clock: opts.Clock, zone: server.zone, network: network}
	reading := func(db *sql.DB) *readers { return &readers{db: db, dialect: s.dialect, repeat: mysqlRepeats} }
	writing := func(db *sql.DB) *pooledWriter {
		return &pooledWriter{db: db, dialect: s.dialect, repeat: mysqlRepeats, waited: mysqlWaited}
	}
	s.reads.db, s.reads.dialect, s.reads.repeat = reads, s.dialect, mysqlRepeats
	s.readGuests, s.writeGuests = newGuests(shared-shared/2), newGuests(shared/2)
	if s.clock == nil {
		clock, err := newServerClock(ctx, opts.Logger, func(ctx context.Context) (time.Time, error) { return mysqlTime(ctx, leases) })
		if err != nil {
			return nil, err
		}
		s.clock, s.server, s.ends = clock.now, clock, append(s.ends, clock.close)
	}
	s.writer, s.bulk = writing(writes), writing(reads)
	s.scanReads, s.sweepReads, s.scans = reading(looks), reading(looks), writing(scans)
	s.leaseReads, s.leases = reading(leases), writing(leases)
	s.byID = reading(byID)
	s.fires = newFireQueue(repeated((&mysqlFires{s, fires}).once, mysqlRepeats))
	s.ends = append(s.ends, s.fires.close, func() { _ = fires.Close() })
	return s, nil
}

// mysqlTime is the server's clock.
func mysqlTime(ctx context.Context, db *sql.DB) (time.Time, error) {
	var micros int64
	err := db.QueryRowContext(ctx, `SELECT `+mysqlPreciseClock).Scan(&micros)
	return time.UnixMicro(micros).UTC(), err
}

// The clocks are not NOW(), which is when the statement began, and which a
// replication setting may fix.
const (
	mysqlClock        = `FLOOR(UNIX_TIMESTAMP(SYSDATE(6)) * 1000)`
	mysqlPreciseClock = `CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)`
)

// offset is t's zone as the server takes it also without its zone tables.
func offset(t time.Time) string { return t.Format("-07:00") }

func mysqlDialect(schema mysqlSchema, zone *time.Location, idStep int64) *dialect {
	return &dialect{
		clock:        mysqlClock,
		preciseClock: mysqlPreciseClock,
		cached:       true, // the driver puts arguments into the text: one round trip, and nothing to prepare
		rewrite:      schema.rewrite,
		lock:         " FOR UPDATE",
		share:        " LOCK IN SHARE MODE",
		lockSchedule: `SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE`,
		lockByID:     true,
		byJob:        ` FORCE INDEX (xxlwheel_fire_due_of_job)`,
		dueIndex:     schema.dueIndex,
		// The row of an app name is what its changes wait for each other at; some
		// have no group yet.
		lockApp: `INSERT INTO xxlwheel_app (app_name) VALUES (?) ON DUPLICATE KEY UPDATE app_name = app_name`,
		planFire: `INSERT INTO xxlwheel_fire (` + fireValues + `)
			SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ? FROM DUAL
			WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)`,
		taken: isDuplicate,
		among: func(column string, ids []int64) (string, []any) { return column + ` IN (` + joinIDs(ids) + `)`, nil },
		insertTexts: func(texts []textRow) (string, []any) {
			var args []any
			for _, t := range texts {
				args = append(args, t.values()...)
			}
			return insertText + strings.Repeat(`, (?, ?, ?, ?, ?)`, len(texts)-1), args
		},
		beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
			VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE update_time = VALUES(update_time)`,
		knowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON DUPLICATE KEY UPDATE job_id = job_id`,
		addToSlot: `INSERT INTO xxlwheel_report (trigger_day, slot, running_count, suc_count, fail_count) VALUES (?, ?, ?, ?, ?)
			ON DUPLICATE KEY UPDATE running_count = running_count + VALUES(running_count),
				suc_count = suc_count + VALUES(suc_count), fail_count = fail_count + VALUES(fail_count)`,
		nameHas:       `LOCATE(CAST(? AS BINARY), CAST(job_desc AS BINARY)) > 0`, // the collation would find other letters as well
		widths:        schema.widths,
		idStep:        idStep,
		answered:      mysqlAnswered,
		unsent:        mysqlUnsent,
		storeTogether: storeInBatches,
		datetime: func(t time.Time) any {
			if t.IsZero() {
				return nil
			}
			// A text, because the server rounds a fraction half up.
			return t.In(zone).Format(time.DateTime)
		},
	}
}

// The numbers of the errors that something follows from.
const (
	mysqlNoTable         = 1146
	mysqlDuplicate       = 1062
	mysqlDeadlock        = 1213
	mysqlLockWait        = 1205
	mysqlChangedSince    = 1020 // MariaDB's other word for a conflict
	mysqlUnknownVariable = 1193
	mysqlTableDenied     = 1142
	mysqlDatabaseDenied  = 1044
	mysqlRightMissing    = 1227
)

func isMySQL(err error, numbers ...uint16) bool {
	var coded *mysql.MySQLError
	if !errors.As(err, &coded) {
		return false
	}
	for _, number := range numbers {
		if coded.Number == number {
			return true
		}
	}
	return false
}

func isDuplicate(err error) bool { return isMySQL(err, mysqlDuplicate) }

// mysqlRepeats reports whether a transaction that failed like this before its commit
// may succeed when it is tried again.
func mysqlRepeats(err error) bool {
	return isMySQL(err, mysqlDeadlock, mysqlChangedSince) || isConnectionLoss(err)
}

// mysqlWaited reports whether a transaction has waited for a row for too long.
func mysqlWaited(err error) bool { return isMySQL(err, mysqlLockWait) }

// mysqlReason makes one line of the error.
func mysqlReason(err error) error {
	if strings.Contains(err.Error(), "\n") {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

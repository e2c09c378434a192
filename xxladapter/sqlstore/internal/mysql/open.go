// Package mysql keeps the records of package sqlstore in a MySQL or MariaDB database, beside Java
// admins.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// Open is sqlstore.OpenMySQL.
func Open(ctx context.Context, address string, opts records.Options) (*records.Store, error) {
	opts = opts.WithDefaults()
	if opts.Connections <= 0 {
		opts.Connections = max(20, 4*runtime.GOMAXPROCS(0))
	}
	server, err := parse(address)
	if err != nil {
		return nil, err
	}
	s, err := openServer(ctx, server, opts)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", server, reason(err))
	}
	return s, nil
}

// ownConnections is how many connections are not shared.
const ownConnections = 8

func openServer(ctx context.Context, at *server, opts records.Options) (_ *records.Store, err error) {
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

	first, err := at.patiently(opts.Logger)
	if err != nil {
		return nil, err
	}
	add(first, 1)
	facts, err := readServer(ctx, first)
	if err != nil {
		return nil, err
	}
	if at.zone == nil {
		at.zone = opts.Zone
	}
	if at.zone == nil {
		if at.zone, err = facts.location(opts.Logger); err != nil {
			return nil, err
		}
	}
	schema, err := check(ctx, first, facts, opts.Logger)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, first, opts.Logger); err != nil {
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
		"time_zone": "'" + offset(time.Now().In(at.zone)) + "'",
	}
	bounded := base.with(settings{
		facts.idleVariable:         fmt.Sprint(int(limit / time.Second)),
		"innodb_lock_wait_timeout": fmt.Sprint(int(network.LockWait / time.Second)),
	})
	sockets := network.New()
	open := func(on *server, silence *network.Patience, conns int) *sql.DB {
		db, openErr := on.open(bounded, opts.Logger, sockets.Dialer(silence))
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
	quick, patient := network.Fixed(network.QuickSilence), &network.Patience{Least: network.QuickSilence, Most: network.SlowSilence}
	// Beside those of their own kind, half of them read and half of them write, so
	// that writes which wait for a lock keep nobody from reading.
	shared := max(4, opts.Connections-ownConnections)
	reads := open(at, network.Fixed(network.SlowSilence), shared-shared/2)
	writes := open(at, quick, shared/2)
	// The schedule lock and the terms have connections of their own, so that
	// who waits for them holds up nothing else, and nothing else holds up them.
	scans := open(at, quick, 1) // what may be slow, a walk, is a look
	looks := open(at, patient, 2)
	leases := open(at, network.Fixed(network.LeaseSilence), 1)
	fires := open(at.batching(), quick, 1)
	byID := open(at, quick, 3) // one for each table
	if err != nil {
		return nil, err
	}

	d := dialectOf(schema, at.zone)
	reading := func(db *sql.DB) *records.Readers { return &records.Readers{DB: db, Dialect: d, Repeat: repeats} }
	writing := func(db *sql.DB) *records.PooledWriter {
		return &records.PooledWriter{
			DB: db, Dialect: d, Repeat: repeats, Waited: waited, Answered: answered, Unsent: unsent,
		}
	}
	s := records.New(records.Parts{
		Dialect: d, Clock: opts.Clock, Zone: at.zone, Network: sockets,
		Reads: reading(reads), ScanReads: reading(looks), LeaseReads: reading(leases), SweepReads: reading(looks), IDReads: reading(byID),
		Writes: writing(writes), ScanWrites: writing(scans), LeaseWrites: writing(leases), BulkWrites: writing(reads),
		ReadGuests: records.NewGuests(shared - shared/2), WriteGuests: records.NewGuests(shared / 2),
	})
	s.Acts = &acts{store: s, dueIndex: schema.dueIndex, idStep: facts.idStep}
	if s.Clock == nil {
		clock, err := records.NewServerClock(ctx, opts.Logger, func(ctx context.Context) (time.Time, error) { return timeOf(ctx, leases) })
		if err != nil {
			return nil, err
		}
		s.Clock, s.Server, s.Ends = clock.Now, clock, append(s.Ends, clock.Close)
	}
	s.Fires = records.NewFireQueue(records.Repeated((&fireGroups{store: s, db: fires, idStep: facts.idStep}).once, repeats))
	s.Ends = append(s.Ends, s.Fires.Close, func() { _ = fires.Close() })
	return s, nil
}

// timeOf is the server's clock.
func timeOf(ctx context.Context, db *sql.DB) (time.Time, error) {
	var micros int64
	err := db.QueryRowContext(ctx, `SELECT `+preciseClock).Scan(&micros)
	return time.UnixMicro(micros).UTC(), err
}

// The clocks are not NOW(), which is when the statement began, and which a
// replication setting may fix.
const (
	clock        = `FLOOR(UNIX_TIMESTAMP(SYSDATE(6)) * 1000)`
	preciseClock = `CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)`
)

// offset is t's zone as the server takes it also without its zone tables.
func offset(t time.Time) string { return t.Format("-07:00") }

func dialectOf(schema schema, zone *time.Location) *records.Dialect {
	return &records.Dialect{
		Clock:        clock,
		PreciseClock: preciseClock,
		Cached:       true, // the driver puts arguments into the text: one round trip, and nothing to prepare
		Rewrite:      schema.rewrite,
		Lock:         " FOR UPDATE",
		Share:        " LOCK IN SHARE MODE",
		LockSchedule: `SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE`,
		// The row of an app name is what its changes wait for each other at; some
		// have no group yet.
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
		NameHas: `LOCATE(CAST(? AS BINARY), CAST(job_desc AS BINARY)) > 0`, // the collation would find other letters as well
		Widths:  schema.widths,
		Datetime: func(t time.Time) any {
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
	noTable         = 1146
	duplicate       = 1062
	deadlock        = 1213
	lockWaitOver    = 1205
	changedSince    = 1020 // MariaDB's other word for a conflict
	unknownVariable = 1193
	tableDenied     = 1142
	databaseDenied  = 1044
	rightMissing    = 1227
)

func isError(err error, numbers ...uint16) bool {
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

func isDuplicate(err error) bool { return isError(err, duplicate) }

// repeats reports whether a transaction that failed like this before its commit
// may succeed when it is tried again.
func repeats(err error) bool {
	return isError(err, deadlock, changedSince) || errors.Is(err, mysql.ErrInvalidConn) || network.IsConnectionLoss(err)
}

// waited reports whether a transaction has waited for a row for too long.
func waited(err error) bool { return isError(err, lockWaitOver) }

// reason makes one line of the error.
func reason(err error) error {
	if strings.Contains(err.Error(), "\n") {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

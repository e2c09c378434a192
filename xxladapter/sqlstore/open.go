// Package sqlstore is an [xxladapter.Store] on database/sql. Jobs, groups,
// registrations and logs live in XXL-JOB's own tables, under their own names
// and with the columns of release 3.4.2, so that whoever knows those finds
// what he expects; fires, misfires and nodes live in side tables whose names
// begin with xxlwheel_.
//
// Datetime columns have whole seconds, as upstream's do; due times have whole
// milliseconds. Every time that is returned is in UTC.
package sqlstore

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/postgres"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sqlite"
)

// Options are the settings that all databases share. The zero value is good.
type Options struct {
	// Logger hears of what no caller is told, such as a migration. The default
	// is [slog.Default].
	Logger *slog.Logger
	// Clock replaces the store's clock in tests. The default is the database
	// server's clock, and for SQLite [time.Now].
	Clock func() time.Time
	// Connections is how many connections to a database server are open at most.
	// The default is 4 for each processor and at least 16, on MySQL 20. PostgreSQL
	// uses ten at least, MySQL twelve. Calls for users, see [xxladapter.ForUser], get
	// half of those that are shared. It has no meaning for SQLite.
	Connections int
	// LockLife is how long a node that does not answer any more, but whose
	// connections are open, can hold rows in the database server before it loses
	// them with its transaction. The default is 2s. It must be well below the
	// scheduler's pre-read window: nothing is planned while a frozen node holds
	// the due jobs or the schedule lock. MySQL counts whole seconds, at least one,
	// and cuts the rest. It has no meaning for SQLite.
	LockLife time.Duration
	// Zone is where the days of reports begin. The default is UTC: it is the same
	// on every machine that opens the store. With another zone, runs that are
	// open while the zone is changed are counted on two days. On MySQL it is the
	// zone of datetime columns as well, that of the address comes first, and the
	// default is the server's.
	Zone *time.Location
}

// Open opens the store that place names:
//
//	sqlite:FILE                                 see [OpenSQLite]
//	mysql://USER:PASSWORD@HOST:PORT/DATABASE    see [OpenMySQL]
//	postgres://USER:PASSWORD@HOST:PORT/DATABASE see [OpenPostgres]; postgresql: is the same
//
// Any other place is refused with an [xxladapter.Error].
func Open(ctx context.Context, place string, opts Options) (xxladapter.Store, error) {
	kind, rest, _ := strings.Cut(place, ":")
	switch {
	case kind == "sqlite" && rest != "":
		return OpenSQLite(ctx, rest, opts)
	case kind == "mysql":
		return OpenMySQL(ctx, place, opts)
	case kind == "postgres" || kind == "postgresql":
		return OpenPostgres(ctx, place, opts)
	}
	return nil, xxladapter.Invalidf("store is %q, must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE", Redacted(place))
}

// Redacted is place for people: without its password, or without anything that
// might be one.
func Redacted(place string) string { return records.Redacted(place) }

// OpenSQLite opens the store in file, which is created if it does not exist,
// and brings its tables up to date. Other processes may have the file open as
// well. The error names the file and the reason, on one line; the file is then
// as it was, or was migrated in part and will be by the next call.
//
// A new file is readable by its owner alone, and an existing one that everybody
// can read is made so. While the file is removed, or another one has its name, all
// calls fail with an [xxladapter.Error]; this is noticed within about a second.
func OpenSQLite(ctx context.Context, file string, opts Options) (xxladapter.Store, error) {
	return opened(sqlite.Open(ctx, file, records.Options(opts)))
}

// BackupSQLite writes a copy of the store in file to a new file, also while
// schedulers use the store: it has what was committed at one moment, the
// write-ahead log included. The copy is readable by its owner alone, is checked
// and synced before it gets its name, and needs no other file beside it. An
// existing file is never overwritten. An error says which of the two files it is
// about; then there is no copy.
func BackupSQLite(ctx context.Context, file, to string) error { return sqlite.Backup(ctx, file, to) }

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
func OpenMySQL(ctx context.Context, address string, opts Options) (xxladapter.Store, error) {
	return opened(mysql.Open(ctx, address, records.Options(opts)))
}

// MigrateMySQL brings our side tables in the database up to date, as
// [OpenMySQL] does. With upstream it first creates XXL-JOB's own tables as of
// release 3.4.2, without users or sample jobs; the database must have none of
// them then.
func MigrateMySQL(ctx context.Context, address string, upstream bool, opts Options) error {
	return mysql.Migrate(ctx, address, upstream, records.Options(opts))
}

// PlanMySQL is the statements that bring our side tables up to date, for
// administrators who apply them themselves; empty if there is nothing to do. The
// database is only read.
func PlanMySQL(ctx context.Context, address string, opts Options) (string, error) {
	return mysql.Plan(ctx, address, records.Options(opts))
}

// DueIndexMySQL is the statement that lets scans find due jobs by an index of
// upstream's table of jobs; empty if it has one. With create the statement is
// run. It is worth its cost beyond some 50,000 jobs. Java admins work with the
// index as without it, and upstream's own changes of the table leave it as it is.
func DueIndexMySQL(ctx context.Context, address string, create bool, opts Options) (statement string, err error) {
	return mysql.DueIndex(ctx, address, create, records.Options(opts))
}

// OpenPostgres opens the store in the database that address names, as
// postgres://user:password@host:port/database, and brings its tables up to
// date. Several processes may open the same database, and do so at once. The
// error names host, database and the reason, and never the password.
//
// A server that is away makes calls fail, and the first call after its return
// succeeds again.
func OpenPostgres(ctx context.Context, address string, opts Options) (xxladapter.Store, error) {
	return opened(postgres.Open(ctx, address, records.Options(opts)))
}

// opened has no store beside an error.
func opened(s *records.Store, err error) (xxladapter.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

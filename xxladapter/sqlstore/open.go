// Package sqlstore is an [xxladapter.Store] on database/sql. Jobs, groups, registrations and logs
// live in XXL-JOB's own tables, under their own names and with the columns of release 3.4.2, so
// that people and tools that know those tables find what they expect. Fires, misfires and nodes
// live in side tables whose names begin with xxlwheel_.
//
// Datetime columns have whole seconds, as upstream's do; due times have whole milliseconds. Every
// time that is returned is in UTC.
package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/postgres"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sqlite"
)

// Options are the settings that all databases share. The zero value is ready to use. A value that
// makes no sense is refused with an error that names field, value and rule.
type Options struct {
	// Logger receives what no caller gets as a result, such as a finished migration. The default
	// is [slog.Default].
	Logger *slog.Logger
	// Clock replaces the store's clock in tests. The default is the database server's clock, and
	// [time.Now] for SQLite.
	Clock func() time.Time
	// Connections limits the open connections to a database server; it must not be negative.
	// PostgreSQL uses at least twelve, MySQL at least fourteen. Calls for users, see
	// [xxladapter.ForUser], get half of the shared ones. It has no meaning for SQLite. The default
	// is 4 for each processor and at least 16, or 20 on MySQL.
	Connections int
	// LockLife limits how long a node that no longer answers, but whose connections are open, can
	// hold rows in the database server before it loses them with its transaction. It must be well
	// below the scheduler's pre-read window: nothing is planned while a frozen node holds the due
	// jobs or the schedule lock. MySQL counts whole seconds, at least one, and drops the rest. It
	// has no meaning for SQLite. The default is 2s; other values must be 1ms to 24h.
	LockLife time.Duration
	// Zone is the time zone in which the days of reports begin. The default is UTC, which is the
	// same on every machine that opens the store. If the zone changes while runs are open, those
	// runs are counted on two days. On MySQL it is also the zone of datetime columns; a zone in
	// the address has precedence, and the default is the server's zone.
	Zone *time.Location
}

// maxLockLife bounds [Options].LockLife: longer ones do not fit the servers' settings.
const maxLockLife = 24 * time.Hour

// check refuses options that make no sense.
func (o Options) check() error {
	switch {
	case o.Connections < 0:
		return fmt.Errorf("sqlstore: Options.Connections is %d, must not be negative", o.Connections)
	case o.LockLife != 0 && o.LockLife < time.Millisecond:
		return fmt.Errorf("sqlstore: Options.LockLife is %v, must be 0 for the default, or at least 1ms", o.LockLife)
	case o.LockLife > maxLockLife:
		return fmt.Errorf("sqlstore: Options.LockLife is %v, must be at most %v", o.LockLife, maxLockLife)
	}
	return nil
}

// Open opens the store that place names:
//
//	sqlite:FILE                                 see [OpenSQLite]
//	sqlite:FILE?journal=on                      see [OpenJournaled]; ?journal=off is OpenSQLite
//	sqlite:FILE?journal=lost                    likewise, also if files of the journal are missing
//	mysql://USER:PASSWORD@HOST:PORT/DATABASE    see [OpenMySQL]
//	postgres://USER:PASSWORD@HOST:PORT/DATABASE see [OpenPostgres]; postgresql: is the same
//
// Any other place is refused with an [xxladapter.Error].
func Open(ctx context.Context, place string, opts Options) (xxladapter.Store, error) {
	kind, rest, _ := strings.Cut(place, ":")
	switch {
	case kind == "sqlite" && rest != "":
		return openPlace(ctx, rest, opts)
	case kind == "mysql":
		return OpenMySQL(ctx, place, opts)
	case kind == "postgres" || kind == "postgresql":
		return OpenPostgres(ctx, place, opts)
	}
	return nil, unknownPlace(place)
}

// Check returns the [xxladapter.Error] with which [Open] refuses a place that it cannot read, or
// nil. It opens nothing.
func Check(place string) error {
	kind, rest, _ := strings.Cut(place, ":")
	switch {
	case kind == "sqlite" && rest != "":
		file, mode := cutJournal(rest)
		if !slices.Contains(journalModes, mode) {
			return unknownJournal(rest)
		}
		return sqlite.CheckName(file)
	case kind == "mysql":
		return mysql.CheckAddress(place)
	case kind == "postgres" || kind == "postgresql":
		return postgres.CheckAddress(place)
	}
	return unknownPlace(place)
}

func unknownPlace(place string) error {
	return xxladapter.Invalidf(errorrule.StorePlace,
		"%s is %q, must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE",
		"store", Redacted(place))
}

// FileOf returns the file of a place of SQLite, without what follows the file's name. ok is false
// for any other place.
func FileOf(place string) (file string, ok bool) {
	rest, ok := strings.CutPrefix(place, "sqlite:")
	file, _ = cutJournal(rest)
	return file, ok && file != ""
}

// cutJournal splits off how the journal of a file is used; without that, mode is empty.
func cutJournal(rest string) (file, mode string) {
	const word = "?journal="
	if at := strings.LastIndex(rest, word); at >= 0 {
		return rest[:at], rest[at+len(word):]
	}
	return rest, ""
}

// journalModes are the ways to use the journal of a file.
var journalModes = []string{"", "off", "on", "lost"}

func unknownJournal(rest string) error {
	return xxladapter.Invalidf(errorrule.StorePlace, "%s is %q, its journal must be on, off or lost",
		"store", "sqlite:"+rest)
}

// openPlace opens the store that follows sqlite: in a place.
func openPlace(ctx context.Context, rest string, opts Options) (xxladapter.Store, error) {
	switch file, mode := cutJournal(rest); mode {
	case "", "off":
		return OpenSQLite(ctx, file, opts)
	case "on", "lost":
		return openJournaled(ctx, file, opts, mode == "lost")
	default:
		return nil, unknownJournal(rest)
	}
}

// Redacted returns place without its password, or without anything that might be one, for logs and
// messages.
func Redacted(place string) string { return database.Redacted(place) }

// OpenSQLite opens the store in file and brings its tables up to date. It creates the file if there
// is none. Other processes may have the file open as well. The error names the file and the reason
// on one line; the file is then unchanged, or partly migrated, and the next call continues.
//
// A new file is readable by its owner alone. An existing file that everybody can read is restricted
// to its owner. While the file is removed, or another one has its name, all calls fail with an
// [xxladapter.Error]; the store notices that within about a second.
func OpenSQLite(ctx context.Context, file string, opts Options) (xxladapter.Store, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	return opened(ctx)(sqlite.Open(ctx, file, database.Options(opts)))
}

// OpenJournaled opens the store in file as [OpenSQLite] does, for this process alone and with a
// journal beside the file, in files whose names begin with that of the file and -ahead. What
// happens at each fire is durable in the journal at once, and reaches the tables behind it within a
// second. Every call of the store sees it at once. Other programs that read the file see what the
// tables have.
//
// The journal belongs to the store as the file does: while it is there, the file without it lacks
// what was acknowledged last, and is refused. Close brings everything into the tables and removes
// the journal, as does the next OpenSQLite or OpenJournaled after a crash. While a process has a
// journal, no other process can open the file, and while another process has the file open, no
// process can open it with a journal.
func OpenJournaled(ctx context.Context, file string, opts Options) (xxladapter.Store, error) {
	return openJournaled(ctx, file, opts, false)
}

// openJournaled opens the store as OpenJournaled does. With acceptLoss it does so also if files of
// its journal are missing, without what only these had.
func openJournaled(ctx context.Context, file string, opts Options, acceptLoss bool) (xxladapter.Store, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	s, err := sqlite.OpenJournaled(ctx, file, database.Options(opts), sqlite.JournalOptions{AcceptLoss: acceptLoss})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// BackupSQLite writes a copy of a store in a file, which place names as for [Open], to a new file,
// also while schedulers use the store. With ?journal=lost it does so also if files of the journal
// are missing. The copy has what was committed at one moment, including the write-ahead log and the
// journal. It is readable by its owner alone, is checked and synced before it gets its name, and
// needs no other file beside it. An existing file is never overwritten. An error says which of the
// two files it is about; then there is no copy.
func BackupSQLite(ctx context.Context, place, to string) error {
	if err := Check(place); err != nil {
		return err
	}
	rest, isFile := strings.CutPrefix(place, "sqlite:")
	if !isFile {
		return unknownPlace(place)
	}
	file, mode := cutJournal(rest)
	return sqlite.Backup(ctx, file, to, mode == "lost")
}

// OpenMySQL opens the store in a MySQL or MariaDB database with XXL-JOB's own tables, of any
// release from 2.3.0 on. Java admins may run on the same tables. Those tables are never altered;
// our side tables are created if they are missing and the user may create tables, see [PlanMySQL].
//
// The address is mysql://user:password@host:port/database. Its query may have zone=NAME, the time
// zone of datetime columns, which is that of the Java side's JDBC URL (serverTimezone) and by
// default the server's; socket=PATH; and the parameters of github.com/go-sql-driver/mysql, such as
// tls=true. The error names the server and the reason on one line, and never the password.
func OpenMySQL(ctx context.Context, address string, opts Options) (xxladapter.Store, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	return opened(ctx)(mysql.Open(ctx, address, database.Options(opts)))
}

// MigrateMySQL brings our side tables in the database up to date, as [OpenMySQL] does. If upstream
// is set, it first creates XXL-JOB's own tables as of release 3.4.2, without users or sample jobs;
// the database must not have any of them then.
func MigrateMySQL(ctx context.Context, address string, upstream bool, opts Options) error {
	if err := opts.check(); err != nil {
		return err
	}
	return mysql.Migrate(ctx, address, upstream, database.Options(opts))
}

// PlanMySQL returns the statements that bring our side tables up to date, for administrators who
// apply them themselves. It returns an empty text if there is nothing to do. It only reads the
// database.
func PlanMySQL(ctx context.Context, address string, opts Options) (string, error) {
	if err := opts.check(); err != nil {
		return "", err
	}
	return mysql.Plan(ctx, address, database.Options(opts))
}

// DueIndexMySQL returns the statement that creates an index of due jobs on upstream's table of
// jobs, or an empty text if the table has one. If create is set, it runs the statement. The index
// pays off from some 50,000 jobs on. Java admins work with it as without it, and upstream's own
// changes of the table leave it alone.
func DueIndexMySQL(ctx context.Context, address string, create bool, opts Options) (statement string, err error) {
	if err := opts.check(); err != nil {
		return "", err
	}
	return mysql.DueIndex(ctx, address, create, database.Options(opts))
}

// OpenPostgres opens the store in the database that address names, as
// postgres://user:password@host:port/database, and brings its tables up to date. Several processes
// may open the same database, also at the same time. The error names host, database and the reason,
// and never the password.
//
// While a server is away, calls fail; the first call after its return succeeds again.
func OpenPostgres(ctx context.Context, address string, opts Options) (xxladapter.Store, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	return opened(ctx)(postgres.Open(ctx, address, database.Options(opts)))
}

// opened returns a function that refuses a store whose tables lack what a shared log has. It
// returns a nil interface beside an error, not a nil *records.Store.
func opened(ctx context.Context) func(*records.Store, error) (xxladapter.Store, error) {
	return func(s *records.Store, err error) (xxladapter.Store, error) {
		if err != nil {
			return nil, err
		}
		if err := journaled.CheckPlain(ctx, s); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", s.Dialect.Kind, err), s.Close())
		}
		return s, nil
	}
}

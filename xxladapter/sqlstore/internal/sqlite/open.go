// Package sqlite keeps the records of package sqlstore in a SQLite file.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// defaultLockWait is how long a write waits for another process that writes.
const defaultLockWait = 5 * time.Second

// driverName is the name of modernc.org/sqlite among database/sql's drivers.
const driverName = "sqlite"

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

// Open is sqlstore.OpenSQLite.
func Open(ctx context.Context, file string, opts records.Options) (*records.Store, error) {
	opts = opts.WithDefaults()
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if err := checkName(file); err != nil {
		return nil, err
	}
	return openNamed(ctx, driverName, file, opts, defaultLockWait)
}

func openNamed(ctx context.Context, driver, file string, opts records.Options, lockWait time.Duration) (*records.Store, error) {
	s, err := openDatabase(ctx, driver, file, opts, lockWait)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, reason(file, err))
	}
	return s, nil
}

func openDatabase(ctx context.Context, driver, file string, opts records.Options, lockWait time.Duration) (*records.Store, error) {
	makePrivate(file, opts.Logger)
	writes, err := sql.Open(driver, nameOf(file, lockWait, "_txlock=immediate&_pragma=cache_size(-65536)")) // KiB
	if err != nil {
		return nil, err
	}
	writes.SetMaxOpenConns(1)
	// The switch of a new file to WAL does not wait for others that are at it.
	for deadline := time.Now().Add(lockWait); ; {
		err := prepare(ctx, writes, file, opts.Logger)
		if err == nil {
			break
		}
		if !isLocked(err) || time.Now().After(deadline) {
			return nil, errors.Join(err, writes.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), writes.Close())
		case <-time.After(lockWait / 100):
		}
	}
	opening := func(conns int) (*sql.DB, error) {
		db, err := sql.Open(driver, nameOf(file, lockWait, "_pragma=query_only(1)&_pragma=cache_size(-8192)"))
		if err == nil {
			db.SetMaxOpenConns(conns)
			db.SetMaxIdleConns(conns)
		}
		return db, err
	}
	readConns := max(4, runtime.GOMAXPROCS(0))
	reads, err := opening(readConns)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	looks, err := opening(2) // a scan's and a lease's
	if err != nil {
		return nil, errors.Join(err, reads.Close(), writes.Close())
	}
	writer, err := newGroupWriter(ctx, writes, &dialect)
	if err != nil {
		return nil, errors.Join(err, reads.Close(), looks.Close(), writes.Close())
	}
	reading := func(db *sql.DB) *records.Readers { return &records.Readers{DB: db, Dialect: &dialect} }
	watch := watchFile(file, opts.Logger)
	pool, look := reading(reads), reading(looks)
	return records.New(records.Parts{
		Dialect: &dialect, Clock: opts.Clock, Zone: opts.ReportZone(),
		Reads: pool, IDReads: pool, ScanReads: look, LeaseReads: look, ReadGuests: records.NewGuests(readConns), Writes: writer,
		Refuse: watch.err, Ends: []func(){watch.end},
	}), nil
}

// nameOf is the driver's name for the file with our settings.
func nameOf(file string, lockWait time.Duration, more string) string {
	return "file:" + pathOf(file) + "?" + more +
		fmt.Sprintf("&_pragma=busy_timeout(%d)", lockWait.Milliseconds()) +
		"&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(FULL)" + // every commit is on the disk; group commit pays for it
		"&_pragma=temp_store(MEMORY)"
}

// pathOf is the path of a file in the driver's name for it.
func pathOf(file string) string { return (&url.URL{Path: filepath.Clean(file)}).EscapedPath() }

// reason puts SQLite's code into words for the person who named the file.
func reason(file string, err error) error {
	var coded *sqlite.Error
	if !errors.As(err, &coded) {
		return err
	}
	switch coded.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("is not a SQLite database (%w)", coded)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("is damaged (%w)", coded)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("is locked by another process (%w)", coded)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("is read-only (%w)", coded)
	case sqlite3.SQLITE_CANTOPEN:
		// SQLite does not say why; the system does.
		if f, osErr := os.OpenFile(file, os.O_RDWR, 0); osErr == nil {
			_ = f.Close()
		} else if pathErr := (*fs.PathError)(nil); errors.As(osErr, &pathErr) {
			return pathErr.Err
		}
	}
	return err
}

func isLocked(err error) bool {
	var coded *sqlite.Error
	return errors.As(err, &coded) && coded.Code()&0xff == sqlite3.SQLITE_BUSY
}

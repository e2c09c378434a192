// Package sqlite keeps the records of package sqlstore in a SQLite file.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// defaultLockWait is how long a write waits for another process that writes.
const defaultLockWait = 5 * time.Second

// driverName is the name of modernc.org/sqlite among database/sql's drivers.
const driverName = "sqlite"

// Open implements sqlstore.OpenSQLite.
func Open(ctx context.Context, file string, opts database.Options) (*records.Store, error) {
	opts = opts.WithDefaults()
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if err := CheckName(file); err != nil {
		return nil, err
	}
	return openNamed(ctx, driverName, file, opts, defaultLockWait)
}

func openNamed(
	ctx context.Context, driver, file string, opts database.Options, lockWait time.Duration,
) (*records.Store, error) {
	lock, err := openDirect(ctx, file, opts, lockWait)
	if err != nil {
		return nil, err
	}
	s, err := openDatabase(ctx, driver, file, opts, lockWait, nil)
	if err == nil {
		if err = checkWhole(ctx, s); err != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, reason(file, err)), lock.Close())
	}
	s.Ends = append(s.Ends, func() { _ = lock.Close() })
	return s, nil
}

// openDatabase opens the file, brings its tables up to date and creates the store.
func openDatabase(
	ctx context.Context, driver, file string, opts database.Options, lockWait time.Duration, front *journaled.Front,
) (_ *records.Store, err error) {
	createPrivate(file)
	looking, err := sql.Open(driver, plainNameOf(file, lockWait))
	if err != nil {
		return nil, err
	}
	defer looking.Close() // as late as this, because the last close moves the log into the file
	if err := whileLocked(ctx, lockWait, func() error { return checkOurs(ctx, looking) }); err != nil {
		return nil, err
	}
	makePrivate(file, opts.Logger)
	var opened []*sql.DB
	defer func() {
		if err != nil {
			for _, db := range opened {
				err = errors.Join(err, db.Close())
			}
		}
	}()
	open := func(conns int, pragmas string) *sql.DB {
		db, openErr := sql.Open(driver, nameOf(file, lockWait, pragmas))
		if openErr != nil {
			err = errors.Join(err, openErr)
			return nil
		}
		db.SetMaxOpenConns(conns)
		db.SetMaxIdleConns(conns)
		opened = append(opened, db)
		return db
	}
	// Cache sizes in KiB. A larger cache for the writer saves nothing, because the system's page
	// cache has the other pages: with 64 MiB instead of 16, planning 60,000 jobs takes as much
	// processor time and writes as much.
	const writing, reading = "_txlock=immediate&_pragma=cache_size(-16384)", "_pragma=query_only(1)&_pragma=cache_size(-8192)"
	conns := max(4, runtime.GOMAXPROCS(0))
	writes, reads, polls := open(1, writing), open(conns, reading), open(2, reading) // one poll each for a scan and a lease
	if err != nil {
		return nil, err
	}
	err = whileLocked(ctx, lockWait, func() error { return prepare(ctx, writes, file, opts.Logger) })
	if err != nil {
		return nil, err
	}
	writer, err := newBatchWriter(ctx, writes, &dialect, lockWait)
	if err != nil {
		return nil, err
	}
	if front != nil {
		if err := front.Prepare(ctx, writer.Write); err != nil {
			return nil, errors.Join(err, writer.Close())
		}
		writer.front = front
	}
	all, polling := &database.Readers{DB: reads, Dialect: &dialect}, &database.Readers{DB: polls, Dialect: &dialect}
	var more func() string
	if front != nil {
		more = front.Lost
	}
	watch := watchFile(file, more, opts.Logger)
	db := &database.DB{
		Dialect: &dialect, Clock: opts.Clock, Zone: opts.ReportZone(),
		Reads: all, IDReads: all, ScanReads: polling, LeaseReads: polling, ReadGuests: database.NewGuests(conns),
		Writes: writer,
		Refuse: watch.err, Ends: []func(){watch.end},
	}
	if front != nil {
		db.Front = front
	}
	s := records.New(db)
	if front == nil { // a journal makes these calls in memory
		s.Fires = records.NewFireQueue(s.RunFires)
		s.Ends = append(s.Ends, s.Fires.Close)
	}
	return s, nil
}

// whileLocked retries do while other processes switch a new file to WAL: SQLite does not wait for
// them there.
func whileLocked(ctx context.Context, lockWait time.Duration, do func() error) error {
	for deadline := time.Now().Add(lockWait); ; {
		err := do()
		if err == nil || !isLocked(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockWait / 100):
		}
	}
}

// nameOf returns the driver's name for the file, with our settings.
func nameOf(file string, lockWait time.Duration, more string) string {
	return "file:" + pathOf(file) + "?" + more +
		fmt.Sprintf("&_pragma=busy_timeout(%d)", lockWait.Milliseconds()) +
		"&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(FULL)" + // every commit is on the disk; batches make that affordable
		"&_pragma=temp_store(MEMORY)"
}

// plainNameOf returns the driver's name for a file that is there, without settings that change it.
func plainNameOf(file string, lockWait time.Duration) string {
	return fmt.Sprintf("file:%s?mode=rw&_pragma=busy_timeout(%d)", pathOf(file), lockWait.Milliseconds())
}

// pathOf returns the path of a file in the form that the driver's name needs.
func pathOf(file string) string { return (&url.URL{Path: filepath.Clean(file)}).EscapedPath() }

// reason explains SQLite's code to the person who named the file.
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
		// SQLite does not say why; the operating system does.
		if why := whyNotOpened(file); why != nil {
			return why
		}
	}
	return err
}

func isLocked(err error) bool { return hasCode(err, sqlite3.SQLITE_BUSY) }

// hasCode reports whether an error has a primary result code of SQLite.
func hasCode(err error, code int) bool {
	var coded *sqlite.Error
	return errors.As(err, &coded) && coded.Code()&0xff == code
}

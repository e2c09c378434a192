package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
)

// Backup implements sqlstore.BackupSQLite. With acceptLoss it copies a store also if files of its
// journal are missing, without what only these had.
func Backup(ctx context.Context, file, to string, acceptLoss bool) error {
	if err := CheckName(file); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("back up to %s: the file exists, must be a new one", to)
	}
	part, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*.part") // mode 0600
	if err != nil {
		return fmt.Errorf("back up to %s: %w", to, withoutPath(err))
	}
	defer os.Remove(part.Name())
	defer part.Close()
	defer removeBeside(part.Name())
	if err := copyWhole(ctx, file, part.Name(), acceptLoss); err != nil {
		return fmt.Errorf("back up %s: %w", file, reason(file, err))
	}
	// SQLite leaves syncing a copy to the caller.
	if err := errors.Join(part.Sync(), publish(part.Name(), to)); err != nil {
		return fmt.Errorf("back up to %s: %w", to, withoutPath(err))
	}
	return nil
}

// copyAttempts limits the copies that are tried. A copy is repeated if the journal has replaced its
// files meanwhile, which a scheduler does every few seconds at most.
const copyAttempts = 5

// copyWhole copies the database with what its journal has.
func copyWhole(ctx context.Context, file, to string, acceptLoss bool) (err error) {
	for range copyAttempts {
		if err = os.Truncate(to, 0); err != nil {
			return withoutPath(err)
		}
		err = journal.Copy(
			realName(file)+journalSuffix, to+journalSuffix, func() error { return vacuumInto(ctx, file, to) },
		)
		if errors.Is(err, fs.ErrNotExist) {
			removeBeside(to)
			continue // a file of the journal was removed before it could be held
		}
		if err != nil {
			return err
		}
		if !hasJournal(to) {
			if needed, err := needsJournal(ctx, to); err != nil || !needed {
				return err
			}
			if !acceptLoss {
				err = errNoJournal
				continue // it was perhaps begun and removed while the tables were copied
			}
		}
		// Closing the copy brings everything into its tables.
		var s *journaled.Store
		if s, err = OpenJournaled(
			ctx, to, database.Options{Logger: slog.New(slog.DiscardHandler)}, JournalOptions{AcceptLoss: acceptLoss},
		); err == nil {
			if err = s.Close(); err == nil && hasJournal(to) {
				err = errors.New("its copy could not be completed")
			}
		}
		removeBeside(to)
		if err == nil {
			return nil
		}
	}
	return err
}

// removeBeside removes the files beside a copy that is closed. It does not use [filepath.Glob],
// because the name of the copy or its folder may have characters that mean something in a pattern.
func removeBeside(to string) {
	folder, beside := filepath.Dir(to), filepath.Base(to)+"-"
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), beside) {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// vacuumInto copies the database into an empty file, in one read transaction.
func vacuumInto(ctx context.Context, file, to string) error {
	if _, err := os.Stat(file); err != nil { // SQLite would create it
		return withoutPath(err)
	}
	db, err := sql.Open(driverName, plainNameOf(file, defaultLockWait))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	ours := 0
	if err := db.QueryRowContext(
		ctx, `SELECT count(*) FROM sqlite_schema WHERE name = ?`, migration.Table,
	).Scan(&ours); err != nil {
		return err
	}
	if ours == 0 {
		return errors.New("is no store, it has no table " + migration.Table)
	}
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		return err
	}
	copied, err := sql.Open(driverName, "file:"+pathOf(to)+"?mode=ro")
	if err != nil {
		return err
	}
	defer copied.Close()
	found := ""
	if err := copied.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("is damaged, its copy has: %s", found)
	}
	return nil
}

// needsJournal reports whether the tables of a copy lack what a journal has.
func needsJournal(ctx context.Context, file string) (bool, error) {
	db, err := sql.Open(driverName, "file:"+pathOf(file)+"?mode=ro")
	if err != nil {
		return false, err
	}
	defer db.Close()
	tables, open := 0, 0 // a store of an early release has no such table
	err = db.QueryRowContext(
		ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE name = 'xxlwheel_journal'`,
	).Scan(&tables)
	if err == nil && tables > 0 {
		err = db.QueryRowContext(ctx, openJournals).Scan(&open)
	}
	return open > 0, err
}

// publish gives the finished file part a second name, to, unless another file has that name by now.
// The caller removes the first name.
func publish(part, to string) error {
	err := os.Link(part, to)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) { // a file system without links
		if _, err := os.Lstat(to); err == nil {
			return fs.ErrExist
		}
		err = os.Rename(part, to)
	}
	if err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer dir.Close()
	_ = dir.Sync() // not every system can
	return nil
}

// withoutPath returns an error of the operating system without the file, which the caller names.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

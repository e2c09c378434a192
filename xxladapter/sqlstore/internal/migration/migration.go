// Package migration brings the tables of a database up to date, in the same way for every
// database.
package migration

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

// Table records the applied versions. It distinguishes our databases from other programs', and
// shows their age.
const Table = "xxlwheel_schema"

// oldest is the version of the oldest tables that can be upgraded.
const oldest = 13

// The dialects of [Schema].
const (
	SQLite   = goose.DialectSQLite3
	MySQL    = goose.DialectMySQL
	Postgres = goose.DialectPostgres
)

// A Schema describes the tables of one kind of database. The newest version is that of the last
// migration.
type Schema struct {
	Dialect goose.Dialect
	// Files contains migrations/*.sql, the first of which creates all tables of a new database, and
	// migrations/before/*.sql, which bring older tables to the version of that first one.
	Files fs.FS
	// HasTable is a query for the number of tables with the name [Table].
	HasTable string
	// Lock keeps other processes from migrating the same database until unlock is called. Nil means
	// that the database has no such lock: a process that loses a step to another one gets an error,
	// and retries.
	Lock func(ctx context.Context, db *sql.DB) (unlock func() error, err error)
}

// A Step is the SQL text of one migration.
type Step struct {
	Version int64
	Text    string
}

// Up applies the missing migrations. It needs at least two connections if there is a lock. Tables
// that are up to date are only read.
func (s *Schema) Up(ctx context.Context, db *sql.DB, logger *slog.Logger) (err error) {
	steps, err := s.Steps(ctx, db)
	if len(steps) == 0 || err != nil {
		return err
	}
	attempts := len(steps) + 2 // a step that another process has done is not tried again, so each is lost at most once
	if s.Lock != nil {
		attempts = 1
		unlock, lockErr := s.Lock(ctx, db)
		if lockErr != nil {
			return lockErr
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	for range attempts {
		if err = s.apply(ctx, db, logger); err == nil {
			break
		}
	}
	return err
}

// Steps returns the missing migrations in order. It only reads the database.
func (s *Schema) Steps(ctx context.Context, db *sql.DB) ([]Step, error) {
	has, err := s.version(ctx, db)
	if err != nil {
		return nil, err
	}
	return s.StepsFrom(has)
}

// StepsFrom returns the missing migrations of tables of a given version; 0 means no tables.
func (s *Schema) StepsFrom(has int64) ([]Step, error) {
	all, err := s.read("migrations")
	if err != nil {
		return nil, err
	}
	first, last := all[0].Version, all[len(all)-1].Version
	switch {
	case has > last:
		return nil, fmt.Errorf(
			"was written by a newer release, its tables have version %d and this one knows %d", has, last,
		)
	case has != 0 && has < oldest:
		return nil, fmt.Errorf("its tables have version %d, the oldest that can be upgraded is %d", has, oldest)
	case has != 0 && has < first:
		before, err := s.read("migrations/before")
		if err != nil {
			return nil, err
		}
		all = append(before, all[1:]...)
	}
	for len(all) > 0 && all[0].Version <= has {
		all = all[1:]
	}
	return all, nil
}

// read returns the migrations of a folder.
func (s *Schema) read(folder string) (steps []Step, err error) {
	files, err := fs.Glob(s.Files, folder+"/*.sql") // in order, by their names
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		version, err := goose.NumericComponent(file)
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(s.Files, file)
		if err != nil {
			return nil, err
		}
		steps = append(steps, Step{version, string(text)})
	}
	return steps, nil
}

// version returns the version of the tables; 0 means that there are none.
func (s *Schema) version(ctx context.Context, db *sql.DB) (version int64, err error) {
	var tables int
	if err := db.QueryRowContext(ctx, s.HasTable).Scan(&tables); tables == 0 || err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM `+Table+` WHERE is_applied`).Scan(&version)
	return version, err
}

// apply runs the migrations that are still missing. It logs the creation of a new database as one
// line. With older tables it logs each step as soon as it has ended: on a large table a step can
// take minutes.
func (s *Schema) apply(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	has, err := s.version(ctx, db)
	if err != nil {
		return err
	}
	if has == 0 {
		return s.create(ctx, db, logger)
	}
	for _, folder := range []string{"migrations/before", "migrations"} {
		provider, err := s.provider(db, folder)
		if err != nil {
			return err
		}
		for {
			step, err := provider.UpByOne(ctx)
			if errors.Is(err, goose.ErrNoNextVersion) {
				break
			}
			if err != nil {
				return err
			}
			logger.Info("migrated", "to", step.Source.Version, "took", step.Duration)
		}
	}
	return nil
}

// create runs all migrations of a database without tables.
func (s *Schema) create(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	provider, err := s.provider(db, "migrations")
	if err != nil {
		return err
	}
	began := time.Now()
	steps, err := provider.Up(ctx)
	if len(steps) > 0 {
		logger.Info("created tables", "version", steps[len(steps)-1].Source.Version, "took", time.Since(began))
	}
	return err
}

func (s *Schema) provider(db *sql.DB, folder string) (*goose.Provider, error) {
	dir, err := fs.Sub(s.Files, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(s.Dialect, db, dir,
		goose.WithTableName(Table), goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
}

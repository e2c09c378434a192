package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"log/slog"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
)

//go:embed migrations/*.sql migrations/before/*.sql
var migrations embed.FS

// Schema describes the tables of a SQLite file, including XXL-JOB's own.
var Schema = migration.Schema{
	Dialect:  migration.SQLite,
	Files:    migrations,
	HasTable: hasVersions,
}

const hasVersions = `SELECT COUNT(*) FROM sqlite_schema WHERE name = '` + migration.Table + `'`

// checkOurs refuses a file that is no database, or another program's. It changes nothing.
func checkOurs(ctx context.Context, db *sql.DB) error {
	var foreign bool
	err := db.QueryRowContext(ctx, `SELECT COUNT(*) > 0 AND (`+hasVersions+`) = 0 FROM sqlite_schema`).Scan(&foreign)
	if err != nil {
		return err
	}
	if foreign {
		return errors.New("is a database of another program, it has tables but no " + migration.Table)
	}
	return nil
}

// prepare brings the tables up to date and checks that the file is writable.
func prepare(ctx context.Context, db *sql.DB, file string, logger *slog.Logger) error {
	if err := Schema.Up(ctx, db, logger.With("file", file)); err != nil {
		return err
	}
	// SQLite opens a read-only file without an error, and even begins a transaction on it.
	_, err := db.ExecContext(ctx, `UPDATE xxl_job_lock SET lock_name = lock_name`)
	return err
}

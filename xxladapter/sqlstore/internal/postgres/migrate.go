package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

//go:embed migrations/*.sql migrations/before/*.sql
var migrations embed.FS

// Schema describes the tables of a PostgreSQL database, including XXL-JOB's own.
var Schema = migration.Schema{
	Dialect:  migration.Postgres,
	Files:    migrations,
	HasTable: `SELECT COUNT(to_regclass('` + migration.Table + `'))`,
	Lock:     lockMigration,
}

// migrate brings the tables up to date, without time limits.
func migrate(ctx context.Context, config *pgx.ConnConfig, logger *slog.Logger) error {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0" // creating an index may take long
	config.RuntimeParams["lock_timeout"] = "0"
	config.ConnectTimeout = max(config.ConnectTimeout, network.OpenDialLimit)
	config.DialFunc = network.New().Dialer(network.Fixed(network.AnySilence))
	db := stdlib.OpenDB(*config)
	err := check(ctx, db)
	if err == nil {
		err = Schema.Up(ctx, db, logger.With("database", placeOf(config)))
	}
	return errors.Join(err, db.Close())
}

// migrationLock is the key of the advisory lock under which one of several processes migrates.
const migrationLock = 0x78786c776865656c // "xxlwheel"

func lockMigration(ctx context.Context, db *sql.DB) (unlock func() error, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(migrationLock))
		return errors.Join(err, conn.Close()) // a lock still held ends when db is closed
	}, nil
}

// check refuses databases that cannot hold the tables.
func check(ctx context.Context, db *sql.DB) error {
	var (
		encoding string
		version  int
		foreign  bool
	)
	err := db.QueryRowContext(ctx,
		`SELECT current_setting('server_encoding'), current_setting('server_version_num')::int,
		to_regclass('xxl_job_info') IS NOT NULL AND to_regclass($1) IS NULL`,
		migration.Table).Scan(&encoding, &version, &foreign)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8":
		return fmt.Errorf("its encoding is %s, must be UTF8", encoding)
	case version < 120000:
		return fmt.Errorf("the server has version %d, must be 12 or later", version/10000)
	case foreign:
		return errors.New("has a table xxl_job_info of another program, but no " + migration.Table)
	}
	return nil
}

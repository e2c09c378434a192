package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/mysql/*.sql
var mysqlMigrations embed.FS

//go:embed upstream/mysql.sql
var mysqlUpstream string

func mysqlMigrationDir() fs.FS {
	dir, err := fs.Sub(mysqlMigrations, "migrations/mysql")
	if err != nil {
		panic(err) // it is embedded above
	}
	return dir
}

// migrateMySQL creates what is missing of our side tables. A user without the
// right to do so can work once they exist.
func migrateMySQL(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	provider, err := goose.NewProvider(goose.DialectMySQL, db, mysqlMigrationDir(),
		goose.WithTableName(versionTable), goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	knows := newest(provider)
	has, err := mysqlVersion(ctx, db)
	switch {
	case err != nil:
		return err
	case has > knows:
		return fmt.Errorf("was written by a newer release, its tables have version %d and this one knows %d", has, knows)
	case has == knows:
		return nil
	}
	unlock, err := lockMigration(ctx, db)
	if err != nil {
		return err
	}
	applied, err := provider.Up(ctx)
	err = errors.Join(err, unlock())
	for _, m := range applied {
		logger.Info("migrated", "to", m.Source.Version, "took", m.Duration)
	}
	if isMySQL(err, mysqlTableDenied, mysqlDatabaseDenied, mysqlRightMissing) {
		return fmt.Errorf("lacks our side tables, and the user may not create them: have an administrator run what xxlwheel migrate --plan prints (%w)", err)
	}
	return err
}

func newest(provider *goose.Provider) int64 {
	sources := provider.ListSources()
	return sources[len(sources)-1].Version
}

// mysqlVersion is the version of our side tables; 0: there are none.
func mysqlVersion(ctx context.Context, db *sql.DB) (int64, error) {
	var version int64
	err := db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM `+versionTable+` WHERE is_applied`).Scan(&version)
	if isMySQL(err, mysqlNoTable) {
		return 0, nil
	}
	return version, err
}

// lockMigration keeps other nodes from migrating the same database until unlock
// is called. The lock is its connection's, and ends with it.
func lockMigration(ctx context.Context, db *sql.DB) (unlock func() error, err error) {
	// The migration itself needs a connection as well.
	db.SetMaxOpenConns(2)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	const wait = time.Minute / 2
	var got sql.NullInt64
	err = conn.QueryRowContext(ctx, `SELECT GET_LOCK(CONCAT('xxlwheel.', DATABASE()), ?)`, int(wait/time.Second)).Scan(&got)
	if err == nil && got.Int64 != 1 {
		err = fmt.Errorf("another process has been migrating for %v", wait)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return func() error {
		_, err := conn.ExecContext(context.Background(), `DO RELEASE_LOCK(CONCAT('xxlwheel.', DATABASE()))`)
		return errors.Join(err, conn.Close())
	}, nil
}

// MigrateMySQL brings our side tables in the database up to date, as
// [OpenMySQL] does. With upstream it first creates XXL-JOB's own tables as of
// release 3.4.2, without users or sample jobs; the database must have none of
// them then.
func MigrateMySQL(ctx context.Context, address string, upstream bool, opts Options) error {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	server, err := parseMySQL(address)
	if err != nil {
		return err
	}
	db, err := server.patiently(opts.Logger)
	if err != nil {
		return err
	}
	if upstream {
		err = createMySQLUpstream(ctx, db)
	}
	if err == nil {
		var facts *serverFacts
		if facts, err = readServer(ctx, db); err == nil {
			_, err = checkMySQL(ctx, db, facts, opts.Logger)
		}
	}
	if err == nil {
		err = migrateMySQL(ctx, db, opts.Logger)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("migrate %s: %w", server, mysqlReason(err))
	}
	return nil
}

func createMySQLUpstream(ctx context.Context, db *sql.DB) error {
	found, err := readColumns(ctx, db)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return errors.New("has tables of XXL-JOB already, they are not created again")
	}
	for statement := range strings.SplitSeq(mysqlUpstream, ";\n") {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// PlanMySQL is the statements that bring our side tables up to date, for
// administrators who apply them themselves; empty if there is nothing to do. The
// database is only read.
func PlanMySQL(ctx context.Context, address string, opts Options) (string, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	server, err := parseMySQL(address)
	if err != nil {
		return "", err
	}
	db, err := server.patiently(opts.Logger)
	if err != nil {
		return "", err
	}
	has, err := mysqlVersion(ctx, db)
	var exists bool
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT COUNT(*) > 0 FROM information_schema.TABLES
			WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '`+versionTable+`'`).Scan(&exists)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return "", fmt.Errorf("plan %s: %w", server, mysqlReason(err))
	}
	return planMySQL(has, exists)
}

func planMySQL(has int64, exists bool) (string, error) {
	var b strings.Builder
	if !exists {
		b.WriteString(`-- Which of the migrations below were applied.
CREATE TABLE ` + versionTable + ` (
    id         serial    NOT NULL,
    version_id bigint    NOT NULL,
    is_applied boolean   NOT NULL,
    tstamp     timestamp NULL DEFAULT now(),
    PRIMARY KEY (id)
) ENGINE = InnoDB;
INSERT INTO ` + versionTable + ` (version_id, is_applied) VALUES (0, true);
`)
	}
	files, err := fs.Glob(mysqlMigrations, "migrations/mysql/*.sql")
	if err != nil {
		return "", err
	}
	for _, file := range files { // in order, by their names
		version, err := goose.NumericComponent(file)
		if err != nil {
			return "", err
		}
		if version <= has {
			continue
		}
		text, err := mysqlMigrations.ReadFile(file)
		if err != nil {
			return "", err
		}
		up := strings.ReplaceAll(string(text), "-- +goose Up\n", "")
		fmt.Fprintf(&b, "\n%s\nINSERT INTO %s (version_id, is_applied) VALUES (%d, true);\n", strings.TrimSpace(up), versionTable, version)
	}
	return strings.TrimPrefix(b.String(), "\n"), nil
}

package mysql

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

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed upstream.sql
var Upstream string

func migrationDir() fs.FS {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // it is embedded above
	}
	return dir
}

// migrate creates what is missing of our side tables. A user without the
// right to do so can work once they exist.
func migrate(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	provider, err := goose.NewProvider(goose.DialectMySQL, db, migrationDir(),
		goose.WithTableName(records.VersionTable), goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	knows := newest(provider)
	has, err := versionOf(ctx, db)
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
	if isError(err, tableDenied, databaseDenied, rightMissing) {
		return fmt.Errorf("lacks our side tables, and the user may not create them: have an administrator run what xxlwheel migrate --plan prints (%w)", err)
	}
	return err
}

func newest(provider *goose.Provider) int64 {
	sources := provider.ListSources()
	return sources[len(sources)-1].Version
}

// versionOf is the version of our side tables; 0: there are none.
func versionOf(ctx context.Context, db *sql.DB) (int64, error) {
	var version int64
	err := db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM `+records.VersionTable+` WHERE is_applied`).Scan(&version)
	if isError(err, noTable) {
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

// Migrate is sqlstore.MigrateMySQL.
func Migrate(ctx context.Context, address string, upstream bool, opts records.Options) error {
	opts = opts.WithDefaults()
	server, err := parse(address)
	if err != nil {
		return err
	}
	db, err := server.patiently(opts.Logger)
	if err != nil {
		return err
	}
	if upstream {
		err = createUpstream(ctx, db)
	}
	if err == nil {
		var facts *serverFacts
		if facts, err = readServer(ctx, db); err == nil {
			_, err = check(ctx, db, facts, opts.Logger)
		}
	}
	if err == nil {
		err = migrate(ctx, db, opts.Logger)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("migrate %s: %w", server, reason(err))
	}
	return nil
}

func createUpstream(ctx context.Context, db *sql.DB) error {
	found, err := readColumns(ctx, db)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return errors.New("has tables of XXL-JOB already, they are not created again")
	}
	for statement := range strings.SplitSeq(Upstream, ";\n") {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Plan is sqlstore.PlanMySQL.
func Plan(ctx context.Context, address string, opts records.Options) (string, error) {
	opts = opts.WithDefaults()
	server, err := parse(address)
	if err != nil {
		return "", err
	}
	db, err := server.patiently(opts.Logger)
	if err != nil {
		return "", err
	}
	has, err := versionOf(ctx, db)
	var exists bool
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT COUNT(*) > 0 FROM information_schema.TABLES
			WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '`+records.VersionTable+`'`).Scan(&exists)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return "", fmt.Errorf("plan %s: %w", server, reason(err))
	}
	return PlanFrom(has, exists)
}

// PlanFrom is [Plan] for a database that has this version; exists says whether it has the table of versions.
func PlanFrom(has int64, exists bool) (string, error) {
	var b strings.Builder
	if !exists {
		b.WriteString(`-- Which of the migrations below were applied.
CREATE TABLE ` + records.VersionTable + ` (
    id         serial    NOT NULL,
    version_id bigint    NOT NULL,
    is_applied boolean   NOT NULL,
    tstamp     timestamp NULL DEFAULT now(),
    PRIMARY KEY (id)
) ENGINE = InnoDB;
INSERT INTO ` + records.VersionTable + ` (version_id, is_applied) VALUES (0, true);
`)
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
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
		text, err := migrations.ReadFile(file)
		if err != nil {
			return "", err
		}
		up := strings.ReplaceAll(string(text), "-- +goose Up\n", "")
		fmt.Fprintf(&b, "\n%s\nINSERT INTO %s (version_id, is_applied) VALUES (%d, true);\n", strings.TrimSpace(up), records.VersionTable, version)
	}
	return strings.TrimPrefix(b.String(), "\n"), nil
}

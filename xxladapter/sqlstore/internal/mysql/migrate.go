package mysql

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
)

//go:embed migrations/*.sql migrations/before/*.sql
var migrations embed.FS

// Upstream has the statements that create the tables of XXL-JOB in a database without them.
//
//go:embed upstream.sql
var Upstream string

// Schema describes our side tables beside XXL-JOB's own.
var Schema = migration.Schema{
	Dialect: migration.MySQL,
	Files:   migrations,
	HasTable: `SELECT COUNT(*) FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '` + migration.Table + `'`,
	Lock: lockMigration,
}

// migrate creates missing side tables. Once they exist, the user needs no right to create tables.
func migrate(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	err := Schema.Up(ctx, db, logger)
	if isError(err, tableDenied, databaseDenied, rightMissing) {
		return fmt.Errorf("lacks our side tables, and the user may not create them: have an administrator run what xxlwheel migrate --plan prints (%w)", err)
	}
	return err
}

// lockMigration keeps other nodes from migrating the same database until unlock is called. The lock
// belongs to its connection and ends with it.
func lockMigration(ctx context.Context, db *sql.DB) (unlock func() error, err error) {
	// The migration itself needs another connection.
	db.SetMaxOpenConns(2)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	const wait = time.Minute / 2
	var got sql.NullInt64
	err = conn.QueryRowContext(
		ctx, `SELECT GET_LOCK(CONCAT('xxlwheel.', DATABASE()), ?)`, int(wait/time.Second),
	).Scan(&got)
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

// Migrate implements sqlstore.MigrateMySQL.
func Migrate(ctx context.Context, address string, upstream bool, opts database.Options) error {
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

// Plan implements sqlstore.PlanMySQL.
func Plan(ctx context.Context, address string, opts database.Options) (string, error) {
	opts = opts.WithDefaults()
	server, err := parse(address)
	if err != nil {
		return "", err
	}
	db, err := server.patiently(opts.Logger)
	if err != nil {
		return "", err
	}
	var tables int
	steps, err := Schema.Steps(ctx, db)
	if err == nil {
		err = db.QueryRowContext(ctx, Schema.HasTable).Scan(&tables)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return "", fmt.Errorf("plan %s: %w", server, reason(err))
	}
	return planOf(steps, tables > 0), nil
}

// planOf writes the steps for an administrator; versions says whether the table of versions exists.
func planOf(steps []migration.Step, versions bool) string {
	var b strings.Builder
	if !versions {
		b.WriteString(`-- Which of the migrations below were applied.
CREATE TABLE ` + migration.Table + ` (
    id         serial    NOT NULL,
    version_id bigint    NOT NULL,
    is_applied boolean   NOT NULL,
    tstamp     timestamp NULL DEFAULT now(),
    PRIMARY KEY (id)
) ENGINE = InnoDB;
INSERT INTO ` + migration.Table + ` (version_id, is_applied) VALUES (0, true);
`)
	}
	for _, step := range steps {
		up := strings.TrimSpace(strings.ReplaceAll(step.Text, "-- +goose Up\n", ""))
		fmt.Fprintf(&b, "\n%s\nINSERT INTO %s (version_id, is_applied) VALUES (%d, true);\n", up, migration.Table, step.Version)
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// FullPlan returns the [Plan] of a database without our side tables.
func FullPlan() (string, error) {
	steps, err := Schema.StepsFrom(0)
	return planOf(steps, false), err
}

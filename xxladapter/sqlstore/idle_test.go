package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// idleCalls are what a node asks of its store while nothing is due, and how
// many statements each may cost, BEGIN and COMMIT included. The budget of the
// node package says how often it makes them.
var idleCalls = []struct {
	name       string
	statements int
	call       func(ctx context.Context, s *Store, term xxladapter.Term) error
}{
	{"Lease", 1, func(ctx context.Context, s *Store, term xxladapter.Term) error {
		_, err := s.Lease(ctx, term.Node, time.Minute)
		return err
	}},
	{"ClaimDue", 1, func(ctx context.Context, s *Store, term xxladapter.Term) error {
		_, _, err := s.ClaimDue(ctx, term, 5*time.Second, 100, nil)
		return err
	}},
	{"OpenFires", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.OpenFires(ctx, xxladapter.FireFilter{DueBefore: time.Now(), Limit: 1})
		return err
	}},
	{"ExpireRegistrations", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.ExpireRegistrations(ctx, time.Minute)
		return err
	}},
	{"LostRuns", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.LostRuns(ctx, time.Minute, 0, 100)
		return err
	}},
	{"FoldReports", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error { return s.FoldReports(ctx) }},
	{"ClaimTexts", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.ClaimTexts(ctx, 100, nil)
		return err
	}},
	{"Jobs", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.Jobs(ctx, xxladapter.JobFilter{KeepLogs: xxladapter.KeepFailures, Limit: 1000})
		return err
	}},
	{"FailedRuns", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.FailedRuns(ctx, 0, 100)
		return err
	}},
	{"RaisedAlarms", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.RaisedAlarms(ctx)
		return err
	}},
	{"StaleAlarms", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.StaleAlarms(ctx, time.Minute, 100)
		return err
	}},
	{"WriteOffStuck", 1, func(ctx context.Context, s *Store, _ xxladapter.Term) error {
		_, err := s.WriteOffStuck(ctx, time.Minute, 100, 500, "")
		return err
	}},
}

// idleCosts counts the statements of each idle call. count is how many there
// were so far, without those that it needs itself.
func idleCosts(t *testing.T, s *Store, count func() int64) {
	term := termOf(t, s, "n1")
	addDue(t, s, "far", time.Now().Add(time.Hour))
	for _, c := range idleCalls {
		for range 2 { // connections are made, and statements prepared
			require.NoError(t, c.call(t.Context(), s, term), c.name)
		}
		before := count()
		require.NoError(t, c.call(t.Context(), s, term), c.name)
		require.LessOrEqual(t, count()-before, int64(c.statements), c.name)
	}
}

func TestIdleCostsOfSQLite(t *testing.T) {
	t.Parallel()
	counted.register.Do(func() {
		db, err := sql.Open(sqliteDriver, "")
		require.NoError(t, err)
		counted.Driver = db.Driver()
		require.NoError(t, db.Close())
		sql.Register("sqlite, counted", &counted)
	})
	s, err := openNamed(t.Context(), "sqlite, counted", filepath.Join(t.TempDir(), "xxl.db"), Options{Clock: time.Now, Logger: quiet}, defaultLockWait)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	idleCosts(t, s, counted.statements.Load)
}

func TestIdleCostsOfMySQL(t *testing.T) {
	t.Parallel()
	server := testserver.StartMariaDB(t) // which nobody else asks meanwhile
	url := server.URL("idle")
	require.NoError(t, testserver.OrderMySQL(server.URL(""), "CREATE DATABASE idle"))
	require.NoError(t, MigrateMySQL(t.Context(), url, true, Options{Logger: quiet}))
	s := openMySQLAt(t, url, Options{Clock: time.Now})
	defer func() { require.NoError(t, s.Close()) }()
	asked := int64(0)
	idleCosts(t, s, func() (n int64) {
		err := s.query(t.Context(), `SHOW GLOBAL STATUS LIKE 'Questions'`, nil, func(r row) error {
			var name string
			return r.Scan(&name, &n)
		})
		require.NoError(t, err)
		asked++
		return n - asked
	})
}

func TestIdleCostsOfPostgres(t *testing.T) {
	t.Parallel()
	config, err := postgresConfig(testserver.PostgresCopy(t, migrateURL), Options{Connections: 8, LockLife: defaultLockLife})
	require.NoError(t, err)
	var traced queryCounter
	config.ConnConfig.Tracer = &traced
	s, err := openPostgres(t.Context(), config, Options{Clock: time.Now, Logger: quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	idleCosts(t, s, traced.Load)
}

// A queryCounter counts what pgx sends.
type queryCounter struct{ atomic.Int64 }

func (c *queryCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.Add(1)
	return ctx
}

func (c *queryCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// counted is SQLite's driver, with a count of the prepared statements that are
// run: there are no others once a store is open.
var counted countedDriver

type countedDriver struct {
	driver.Driver
	register   sync.Once
	statements atomic.Int64
}

func (d *countedDriver) Open(name string) (driver.Conn, error) {
	conn, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &countedConn{conn.(sqliteConn), d}, nil
}

// sqliteConn is what database/sql uses of the driver's connections.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
}

type countedConn struct {
	sqliteConn
	driver *countedDriver
}

func (c *countedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &countedStmt{stmt.(sqliteStmt), c.driver}, nil
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type countedStmt struct {
	sqliteStmt
	driver *countedDriver
}

func (s *countedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.driver.statements.Add(1)
	return s.sqliteStmt.ExecContext(ctx, args)
}

func (s *countedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.driver.statements.Add(1)
	return s.sqliteStmt.QueryContext(ctx, args)
}

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

func TestIdleCostsOfSQLite(t *testing.T) {
	s := openCounted(t)
	defer func() { require.NoError(t, s.Close()) }()
	fixture.IdleCosts(t, s, counted.statements.Load)
}

// openCounted opens a new store whose statements are counted.
//
// REQUIRES: the test is not parallel, since there is one count.
func openCounted(t *testing.T) *records.Store {
	t.Helper()
	counted.register.Do(func() {
		db, err := sql.Open(driverName, "")
		require.NoError(t, err)
		counted.Driver = db.Driver()
		require.NoError(t, db.Close())
		sql.Register("sqlite, counted", &counted)
	})
	s, err := openNamed(t.Context(), "sqlite, counted", filepath.Join(t.TempDir(), "xxl.db"), database.Options{Clock: time.Now, Logger: fixture.Quiet}, defaultLockWait)
	require.NoError(t, err)
	return s
}

// counted is SQLite's driver with a count of the prepared statements that run. Once a store is
// open, it runs no other statements.
var counted countedDriver

type countedDriver struct {
	driver.Driver
	register   sync.Once
	statements atomic.Int64
	prepared   atomic.Int64 // statements that are not closed
}

func (d *countedDriver) Open(name string) (driver.Conn, error) {
	conn, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &countedConn{conn.(sqliteConn), d}, nil
}

// sqliteConn is the part of the driver's connections that database/sql uses.
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
	c.driver.prepared.Add(1)
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

func (s *countedStmt) Close() error {
	s.driver.prepared.Add(-1)
	return s.sqliteStmt.Close()
}

// TestQueriesOfUsersAreNotKeptPrepared searches for runs by their duration, which is a number in
// the text of the query.
func TestQueriesOfUsersAreNotKeptPrepared(t *testing.T) {
	s := openCounted(t)
	defer s.Close()
	by := fixture.TermOf(t, s, "n1")
	fires, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	_, err = s.ClaimFire(t.Context(), by, fires[0].ID, []*xxladapter.Log{{JobID: 1, TriggerTime: time.Now().Add(-time.Hour)}})
	require.NoError(t, err)
	before := counted.prepared.Load()
	for i := range 1000 {
		found, _, err := s.Runs(t.Context(), xxladapter.RunFilter{
			LogFilter: xxladapter.LogFilter{Limit: 1}, AtLeast: time.Duration(i+1) * time.Millisecond,
		})
		require.NoError(t, err)
		require.Len(t, found, 1)
	}
	require.Less(t, counted.prepared.Load()-before, int64(600))
}

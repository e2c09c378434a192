//go:build unix

package redisstore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var quiet = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	testserver.Cases(5, 50)
	testserver.Main(m)
}

func TestOnSQLite(t *testing.T) { t.Parallel(); storetest.RunBriefly(t, openOnSQLite) }

func TestOnPostgres(t *testing.T) {
	testserver.Long(t) // TestOnSQLite has the same rules without a server's pauses
	t.Parallel()
	storetest.Run(t, openOnPostgres)
}

func TestModelOnPostgres(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	storetest.RunModel(t, openOnPostgres,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

func TestOnMySQL(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	storetest.Run(t, openOnMySQL)
}

func TestModelOnMySQL(t *testing.T) {
	if !testserver.Soak() {
		t.Skip("takes three minutes; TestOnMySQL has the rules")
	}
	t.Parallel()
	storetest.RunModel(t, openOnMySQL,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

func openOnMySQL(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return open(t, testserver.Redis(t), emptyMySQL(t), clock)
}

// emptyMySQL returns a database of the test's own, with tables.
func emptyMySQL(t testing.TB) string {
	t.Helper()
	url := testserver.MySQL(t)
	require.NoError(t, sqlstore.MigrateMySQL(t.Context(), url, true, sqlstore.Options{Logger: quiet}))
	return url
}

func TestModelOnSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, openOnSQLite,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// openOnPostgres opens an empty store in a database of its own.
func openOnPostgres(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return open(t, testserver.Redis(t), emptyPostgres(t), clock)
}

// emptyPostgres returns a database of the test's own, with tables.
func emptyPostgres(t testing.TB) string {
	t.Helper()
	return testserver.PostgresCopy(t, func(url string) error {
		s, err := sqlstore.OpenPostgres(context.Background(), url, sqlstore.Options{Logger: quiet})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

func openOnSQLite(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return open(t, testserver.Redis(t), "sqlite:"+emptySQLite(t), clock)
}

// emptySQLite returns a file of the test's own, with tables.
func emptySQLite(t testing.TB) string {
	t.Helper()
	content, err := migrated()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

// migrated is the content of a file with tables, which take most of the time that a test needs.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "redisstore")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "x.db")
	s, err := sqlstore.OpenSQLite(context.Background(), file, sqlstore.Options{Logger: quiet})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// A compared is a store whose tables must have the same as Redis when it is closed.
type compared struct {
	*Store
	t testing.TB
}

func (c compared) Close() error {
	if found, err := c.Compare(context.Background()); err == nil { // closing again is allowed
		require.Empty(c.t, found.Differences)
	}
	return c.Store.Close()
}

// open opens a store. The test closes it.
func open(t testing.TB, redis, behind string, clock func() time.Time) compared {
	t.Helper()
	s, err := Open(t.Context(), redis, behind, Options{SQL: sqlstore.Options{Logger: quiet, Clock: clock}})
	require.NoError(t, err)
	return compared{s, t}
}

//go:build unix

package mysql

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sqlite"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// mysqlDatabase returns an empty database of a release with our side tables.
func mysqlDatabase(t testing.TB, release string) (url string) {
	t.Helper()
	url = testserver.MySQL(t)
	plan, err := FullPlan()
	require.NoError(t, err)
	ddl := Upstream
	if release != "3.4" {
		ddl = fixture.Release(t, release)
	}
	require.NoError(t, testserver.OrderMySQL(url, ddl, plan))
	return url
}

// openMySQLAt opens the store. The test closes it.
func openMySQLAt(t testing.TB, url string, opts database.Options) *records.Store {
	t.Helper()
	opts.Logger = fixture.Quiet
	s, err := Open(t.Context(), url, opts)
	require.NoError(t, err)
	return s
}

// openSQLite opens an empty store to compare with.
func openSQLite(t *testing.T, clock func() time.Time) *records.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), t.TempDir()+"/xxl.db", database.Options{Clock: clock, Logger: fixture.Quiet})
	require.NoError(t, err)
	return s
}

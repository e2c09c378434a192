//go:build unix

package sqlstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMySQL(t *testing.T) {
	t.Parallel()
	testserver.MySQL(t) // or skip all of it
	storetest.RunBriefly(t, openMySQLEmpty, behindProxy(emptyMySQL))
}

func TestMySQLModel(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // TestSQLiteModel has the same histories
	testserver.MySQL(t)
	storetest.RunModel(t, openMySQLEmpty,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// mysqlDatabase returns an empty database of a release with our side tables.
func mysqlDatabase(t testing.TB, release string) (url string) {
	t.Helper()
	url = testserver.MySQL(t)
	plan, err := mysql.FullPlan()
	require.NoError(t, err)
	ddl := mysql.Upstream
	if release != "3.4" {
		ddl = fixture.Release(t, release)
	}
	require.NoError(t, testserver.OrderMySQL(url, ddl, plan))
	return url
}

// openMySQLAt opens the store. The test closes it.
func openMySQLAt(t testing.TB, url string, opts Options) *records.Store {
	t.Helper()
	opts.Logger = fixture.Quiet
	s, err := OpenMySQL(t.Context(), url, opts)
	require.NoError(t, err)
	return s.(*records.Store)
}

// restingMySQL are databases on the shared server.
var restingMySQL = make(resting, 100)

func openMySQLEmpty(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	from := restingMySQL.take(func() restingDatabase {
		url := testserver.KeptMySQL(t)
		plan, err := mysql.FullPlan()
		require.NoError(t, err)
		require.NoError(t, testserver.OrderMySQL(url, mysql.Upstream, plan))
		return restingDatabase{url, func() error {
			return testserver.OrderMySQL(url, emptyTables+"; DELETE FROM xxlwheel_app")
		}}
	})
	return &returning{Store: openMySQLAt(t, from.url, Options{Clock: clock}), to: restingMySQL, from: from}
}

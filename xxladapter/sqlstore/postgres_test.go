//go:build unix

package sqlstore

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.RunBriefly(t, openPostgresEmpty, behindProxy(emptyPostgres))
}

func TestPostgresModel(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // TestSQLiteModel has the same histories
	storetest.RunModel(t, openPostgresEmpty,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// restingPostgres are databases on the shared server.
var restingPostgres = make(resting, 100)

func openPostgresEmpty(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	from := restingPostgres.take(func() restingDatabase {
		url := testserver.KeptPostgresCopy(t, migrateURL)
		// The connection ends with the server: each new one would read the catalog of all tables.
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		return restingDatabase{url, func() error {
			_, err := conn.PgConn().Exec(context.Background(), emptyTables).ReadAll()
			return err
		}}
	})
	return &returning{Store: openURL(t, from.url, Options{Clock: clock}), to: restingPostgres, from: from}
}

func migrateURL(url string) error {
	s, err := OpenPostgres(context.Background(), url, Options{Logger: fixture.Quiet})
	if err != nil {
		return err
	}
	return s.Close()
}

// openURL opens the store. The caller has to close it.
func openURL(t testing.TB, url string, opts Options) *records.Store {
	t.Helper()
	opts.Logger = fixture.Quiet
	s, err := OpenPostgres(t.Context(), url, opts)
	require.NoError(t, err)
	return s.(*records.Store)
}

//go:build unix

package sqlstore

import (
	"context"
	"testing"
	"time"

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
	storetest.Run(t, openPostgresEmpty)
}

func TestPostgresModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, openPostgresEmpty,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// restingPostgres are databases on the shared server.
var restingPostgres = resting{
	urls:  make(chan string, 100),
	empty: func(url string) error { return testserver.OrderPostgres(url, emptyTables) },
}

func openPostgresEmpty(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	url := restingPostgres.take(func() string { return testserver.KeptPostgresCopy(t, migrateURL) })
	return &returning{Store: openURL(t, url, Options{Clock: clock}), to: &restingPostgres, url: url}
}

func migrateURL(url string) error {
	s, err := OpenPostgres(context.Background(), url, Options{Logger: fixture.Quiet})
	if err != nil {
		return err
	}
	return s.Close()
}

// openURL opens the store. The test closes it.
func openURL(t testing.TB, url string, opts Options) *records.Store {
	t.Helper()
	opts.Logger = fixture.Quiet
	s, err := OpenPostgres(t.Context(), url, opts)
	require.NoError(t, err)
	return s.(*records.Store)
}

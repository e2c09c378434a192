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
	storetest.Run(t, openPostgresCopy)
}

func TestPostgresModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, openPostgresCopy,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// openPostgresCopy opens an empty store in a database of its own.
func openPostgresCopy(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return openURL(t, testserver.PostgresCopy(t, migrateURL), Options{Clock: clock})
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

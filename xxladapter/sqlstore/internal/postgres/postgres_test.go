//go:build unix

package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// openPostgresCopy opens an empty store in a database of its own.
func openPostgresCopy(t *testing.T, clock func() time.Time) *records.Store {
	t.Helper()
	return openURL(t, testserver.PostgresCopy(t, migrateURL), database.Options{Clock: clock})
}

func migrateURL(url string) error {
	s, err := Open(context.Background(), url, database.Options{Logger: fixture.Quiet})
	if err != nil {
		return err
	}
	return s.Close()
}

// openURL opens the store. The test closes it.
func openURL(t testing.TB, url string, opts database.Options) *records.Store {
	t.Helper()
	opts.Logger = fixture.Quiet
	s, err := Open(t.Context(), url, opts)
	require.NoError(t, err)
	return s
}

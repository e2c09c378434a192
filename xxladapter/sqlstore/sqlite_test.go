package sqlstore

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openFile opens the store in file and leaves it to the test to close it.
func openFile(t testing.TB, file string, clock func() time.Time) *Store {
	t.Helper()
	s, err := OpenSQLite(t.Context(), file, Options{Clock: clock, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock func() time.Time) xxladapter.Store {
		return openFile(t, filepath.Join(t.TempDir(), "xxl job 100%?.db"), clock)
	})
}

// TestSQLiteModel compares the file with the reference.
func TestSQLiteModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t,
		func(t *testing.T, clock func() time.Time) xxladapter.Store {
			dir, err := os.MkdirTemp(t.TempDir(), "model")
			require.NoError(t, err)
			return openFile(t, filepath.Join(dir, "xxl.db"), clock)
		},
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

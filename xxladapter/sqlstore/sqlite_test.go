package sqlstore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

func TestSQLite(t *testing.T) { storetest.Run(t, openCopy) }

func TestSQLiteModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, openCopy,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// openFile opens the store in file and leaves it to the test to close it.
func openFile(t testing.TB, file string, clock func() time.Time) *Store {
	t.Helper()
	s, err := OpenSQLite(t.Context(), file, Options{Clock: clock, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

// openCopy opens an empty store in a file of its own. The file is a copy of
// one that was migrated before, which takes most of the time.
func openCopy(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	empty, err := emptyFile()
	require.NoError(t, err)
	dir, err := os.MkdirTemp(t.TempDir(), "")
	require.NoError(t, err)
	file := filepath.Join(dir, "xxl job 100%?.db")
	require.NoError(t, os.WriteFile(file, empty, 0o600))
	return openFile(t, file, clock)
}

var emptyFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sqlstore")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "empty.db")
	s, err := OpenSQLite(context.Background(), file, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

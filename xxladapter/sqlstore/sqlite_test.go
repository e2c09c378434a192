package sqlstore

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxlwheel/xxlwheel/xxladapter"
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

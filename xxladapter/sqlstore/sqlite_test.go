package sqlstore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
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
	s, err := OpenSQLite(t.Context(), file, Options{Clock: clock, Logger: quiet})
	require.NoError(t, err)
	return s
}

// termOf is the node's term, under a lease that outlives the test.
func termOf(t testing.TB, s *Store, node string) xxladapter.Term {
	t.Helper()
	l, err := s.Lease(t.Context(), node, 1000*time.Hour)
	require.NoError(t, err)
	return l.Term
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
	s, err := OpenSQLite(context.Background(), file, Options{Logger: quiet})
	if err != nil {
		return nil, err
	}
	// All of it into the one file.
	err = s.writer.(*groupCommit).tx.query(context.Background(), `PRAGMA wal_checkpoint(TRUNCATE)`, nil, func(row) error { return nil })
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// quiet is for stores whose migrations nobody needs to hear of.
var quiet = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	if act := os.Getenv(childAct); act != "" {
		if err := runChild(act, os.Getenv(childFile)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Half of rapid's default, as SQLite is slow under the race detector; the
	// command line has the last word.
	if err := flag.Set("rapid.checks", "50"); err != nil {
		panic(err)
	}
	testserver.Main(m)
}

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

// TestSQLite checks the file without a journal. TestJournaledConformance has all rules.
func TestSQLite(t *testing.T) { storetest.RunBriefly(t, openCopy) }

func TestSQLiteModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, openCopy,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// openFile opens the store in file. The test closes it.
func openFile(t testing.TB, file string, clock func() time.Time) *records.Store {
	t.Helper()
	s, err := OpenSQLite(t.Context(), file, Options{Clock: clock, Logger: fixture.Quiet})
	require.NoError(t, err)
	return s.(*records.Store)
}

// openCopy opens an empty store in a file of its own.
func openCopy(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return openFile(t, emptyFile.Copy(t), clock)
}

// emptyFile is migrated once, which takes most of the time.
var emptyFile = fixture.File{Make: func(file string) error {
	s, err := OpenSQLite(context.Background(), file, Options{Logger: fixture.Quiet})
	if err != nil {
		return err
	}
	return s.Close()
}}

func TestMain(m *testing.M) {
	testserver.Cases(3, 50) // no more than half of rapid's default: SQLite is slow under the race detector
	testserver.Main(m)
}

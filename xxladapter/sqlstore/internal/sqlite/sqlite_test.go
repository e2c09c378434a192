//go:build unix

package sqlite

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) {
	if act := os.Getenv(childAct); act != "" {
		if err := runChild(act, os.Getenv(childFile)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testserver.Cases(5, 100)
	m.Run()
}

// openFile opens the store in file. The caller has to close it.
func openFile(t testing.TB, file string, clock func() time.Time) *records.Store {
	t.Helper()
	s, err := Open(t.Context(), file, database.Options{Clock: clock, Logger: fixture.Quiet})
	require.NoError(t, err)
	return s
}

// openCopy opens an empty store in a file of its own.
func openCopy(t *testing.T, clock func() time.Time) *records.Store {
	t.Helper()
	return openFile(t, emptyFile.Copy(t), clock)
}

// emptyFile is migrated once and then copied: migrating takes most of the time to open a new store.
var emptyFile = fixture.File{Make: func(file string) error {
	s, err := Open(context.Background(), file, database.Options{Logger: fixture.Quiet})
	if err != nil {
		return err
	}
	return s.Close()
}}

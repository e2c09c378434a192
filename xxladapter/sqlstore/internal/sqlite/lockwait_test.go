package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// TestPausesGetShorter asks for the pauses of writers that have waited for longer and longer.
func TestPausesGetShorter(t *testing.T) {
	require.Equal(t, firstPause, lockPause(0))
	require.Equal(t, firstPause/2, lockPause(pauseHalf))
	require.Equal(t, firstPause/4, lockPause(2*pauseHalf))
	for waited := time.Duration(0); waited < time.Second; waited += pauseHalf {
		require.LessOrEqual(t, lockPause(waited+pauseHalf), lockPause(waited))
	}
	require.Equal(t, leastPause, lockPause(time.Second))
	require.Equal(t, leastPause, lockPause(time.Hour))
}

// TestWritesWaitForAnotherProcess writes while another process does, by one statement and in a
// transaction. A write that has waited as long as it may is not carried out.
func TestWritesWaitForAnotherProcess(t *testing.T) {
	t.Parallel()
	insert := func(n int) func(context.Context, *database.Tx) error {
		return func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO x VALUES (?)`, n)
			return err
		}
	}
	writes := map[string]func(*records.Store, int) error{
		"ByOneStatement": func(s *records.Store, n int) error { return s.Writes.WriteOne(t.Context(), insert(n)) },
		"ByATransaction": func(s *records.Store, n int) error { return s.Writes.Write(t.Context(), insert(n)) },
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "xxl.db")
			s, err := openWithin(t, file, time.Minute)
			require.NoError(t, err)
			impatient, err := openWithin(t, file, 10*time.Millisecond)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()); require.NoError(t, impatient.Close()) }()
			other := raw(t, file, `CREATE TABLE x (n INTEGER)`, `BEGIN IMMEDIATE`)

			err = write(impatient, 1)
			require.True(t, isLocked(err), err)
			waiting := make(chan error, 1)
			go func() { waiting <- write(s, 2) }()
			time.Sleep(5 * firstPause) // SQLite does not say that somebody waits for the lock
			_, err = other.ExecContext(t.Context(), `COMMIT`)
			require.NoError(t, err)
			require.NoError(t, <-waiting)
			var sum int
			require.NoError(t, other.QueryRowContext(t.Context(), `SELECT sum(n) FROM x`).Scan(&sum))
			require.Equal(t, 2, sum)
			require.NoError(t, other.Close())
		})
	}
}

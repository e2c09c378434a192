//go:build unix

package testserver

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { Main(m) }

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	// With -count, the call of the first round has made the template that the others copy.
	again := sharedPostgres(t).template != ""
	prepared := 0
	prepare := func(url string) error {
		prepared++
		conn, err := pgx.Connect(context.Background(), url)
		if err != nil {
			return err
		}
		_, err = conn.Exec(context.Background(), `CREATE TABLE t AS SELECT 7 AS n`)
		require.NoError(t, conn.Close(context.Background()))
		return err
	}
	for range 2 {
		t.Run("copy", func(t *testing.T) {
			conn := connect(t, PostgresCopy(t, prepare))
			var n int
			require.NoError(t, conn.QueryRow(t.Context(), `SELECT sum(n) FROM t`).Scan(&n))
			require.Equal(t, 7, n)
			_, err := conn.Exec(t.Context(), `INSERT INTO t VALUES (8)`)
			require.NoError(t, err)
		})
	}
	if !again {
		require.Equal(t, 1, prepared)
	}
	_, err := connect(t, Postgres(t)).Exec(t.Context(), `SELECT n FROM t`)
	require.ErrorContains(t, err, "does not exist")
}

func TestAServerMayBeTreatedBadly(t *testing.T) {
	t.Parallel()
	Long(t) // servers take their time
	s := StartPostgres(t)
	url := s.Database(t)
	conn := connect(t, url)
	_, err := conn.Exec(t.Context(), `CREATE TABLE t AS SELECT 7 AS n`)
	require.NoError(t, err)
	count := func(conn *pgx.Conn, within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		var n int
		return conn.QueryRow(ctx, `SELECT n FROM t`).Scan(&n)
	}

	s.Freeze(t)
	require.ErrorIs(t, count(conn, 50*time.Millisecond), context.DeadlineExceeded)
	s.Thaw(t)
	require.NoError(t, count(connect(t, url), startWithin))

	for _, end := range []func(testing.TB){s.Kill, s.Stop} {
		conn := connect(t, url)
		end(t)
		require.Error(t, count(conn, startWithin))
		_, err := pgx.Connect(t.Context(), url)
		require.Error(t, err)
		s.Start(t)
		require.NoError(t, count(connect(t, url), startWithin))
	}
	dir := s.dir
	require.NoError(t, s.close())
	require.NoDirExists(t, dir)
}

//go:build unix

package testserver

import (
	"context"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// pooled returns the URL of a database behind a pooler of its own.
func pooled(t *testing.T) string {
	t.Helper()
	place := sharedPostgres(t)
	if place.pooler == nil {
		t.Skip("there is no pooler before the server of " + postgresEnv)
	}
	p, err := startPooler(place.admin)
	require.NoError(t, err)
	t.Cleanup(p.close)
	return (&postgresPlace{admin: place.admin, pooler: p}).pooledURL("postgres")
}

// session returns the number of the process that serves the connection.
func session(t *testing.T, conn *pgx.Conn) (pid int) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid))
	return pid
}

// leave ends the connection as its Close does, and waits until the pooler has seen it.
func leave(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	raw, err := conn.PgConn().Hijack()
	require.NoError(t, err)
	_, err = raw.Conn.Write([]byte{'X', 0, 0, 0, 4})
	require.NoError(t, err)
	_, err = io.ReadAll(raw.Conn)
	require.NoError(t, err)
	require.NoError(t, raw.Conn.Close())
}

func TestAPooledSessionIsAsNew(t *testing.T) {
	t.Parallel()
	url := pooled(t)
	first := connect(t, url)
	pid := session(t, first)
	_, err := first.PgConn().Exec(t.Context(), `SET timezone = 'Asia/Tokyo'; CREATE TEMPORARY TABLE left_over (n int);
		SELECT pg_advisory_lock(7); PREPARE left_over AS SELECT 7`).ReadAll()
	require.NoError(t, err)
	leave(t, first)

	second := connect(t, url)
	require.Equal(t, pid, session(t, second))
	var zone string
	var tables, locks, prepared int
	require.NoError(t, second.QueryRow(t.Context(), `SELECT current_setting('timezone'),
		(SELECT count(*) FROM pg_class WHERE relname = 'left_over'), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
		(SELECT count(*) FROM pg_prepared_statements WHERE name = 'left_over')`).Scan(&zone, &tables, &locks, &prepared))
	require.NotEqual(t, "Asia/Tokyo", zone)
	require.Zero(t, tables)
	require.Zero(t, locks)
	require.Zero(t, prepared)
	require.NotEqual(t, pid, session(t, connect(t, url)), "two clients at a time")
}

func TestASessionIsPooledForEqualClientsOnly(t *testing.T) {
	t.Parallel()
	url := pooled(t)
	first := connect(t, url)
	pid := session(t, first)
	leave(t, first)
	require.NotEqual(t, pid, session(t, connect(t, url+"&application_name=another")))
	require.Equal(t, pid, session(t, connect(t, url)))
}

func TestWhatEndsASessionIsNotPooled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, conn *pgx.Conn){
		"in a transaction": func(t *testing.T, conn *pgx.Conn) {
			_, err := conn.Exec(t.Context(), `BEGIN`)
			require.NoError(t, err)
			leave(t, conn)
		},
		"without a goodbye": func(t *testing.T, conn *pgx.Conn) {
			raw, err := conn.PgConn().Hijack()
			require.NoError(t, err)
			require.NoError(t, raw.Conn.Close())
		},
		"by the server": func(t *testing.T, conn *pgx.Conn) {
			_, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
			var ended *pgconn.PgError
			require.ErrorAs(t, err, &ended)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pooled(t)
			first := connect(t, url)
			pid := session(t, first)
			end(t, first)
			require.NotEqual(t, pid, session(t, connect(t, url)))
		})
	}
}

func TestAPooledStatementCanBeCancelled(t *testing.T) {
	t.Parallel()
	conn := connect(t, pooled(t))
	ended := make(chan error, 1)
	go func() { // the test waits for its error
		_, err := conn.Exec(context.Background(), `SELECT pg_sleep(60)`)
		ended <- err
	}()
	for { // a request that comes before the statement has no effect
		require.NoError(t, conn.PgConn().CancelRequest(t.Context()))
		select {
		case err := <-ended:
			require.ErrorContains(t, err, "57014") // query_canceled
			return
		default:
		}
	}
}

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// serveOn starts a scheduler and returns it with its address. A file that does not exist begins as
// a copy of one whose tables were made once for all tests.
func serveOn(t *testing.T, file string, more ...string) (serve *process, server string) {
	t.Helper()
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		tables, err := emptyTables()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, tables, 0o600))
	}
	return serveAt(t, "sqlite:"+file, more...)
}

// emptyTables returns a database file without rows.
var emptyTables = sync.OnceValues(func() (tables []byte, err error) {
	dir, err := os.MkdirTemp("", "xxlwheel")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "x.db")
	s, err := sqlstore.OpenSQLite(context.Background(), file, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// serveAt starts a scheduler on any store.
func serveAt(t *testing.T, store string, more ...string) (serve *process, server string) {
	t.Helper()
	serve = start(t, "xxlwheel", append([]string{"serve", "--listen", "127.0.0.1:0", "--store", store}, more...)...)
	return serve, strings.TrimSuffix(strings.Fields(serve.line("serves on"))[3], ",")
}

// ready returns the status and the body of the scheduler's readiness page.
func ready(t *testing.T, server string) (int, string) {
	t.Helper()
	resp, err := http.Get(server + "/readyz")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// TestARemovedDatabaseIsNoSecret checks that the scheduler reports the loss at once and accepts no
// more work, but keeps running, since it may have the only copy that is left.
func TestARemovedDatabaseIsNoSecret(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.db")
	serve, server := serveOn(t, file)
	testserver.Eventually(t, 20*time.Second, "it is ready", func() bool {
		code, _ := ready(t, server)
		return code == http.StatusOK
	})
	require.Equal(t, "1", mustCLI(t, "job", "add", "--server", server, "--app", "some-app", "--name", "n", "--handler", "h", "--fixed-rate", "1s", "--start"))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		require.NoError(t, os.Remove(file+suffix))
	}
	testserver.Eventually(t, 20*time.Second, "it is no longer ready", func() bool {
		code, _ := ready(t, server)
		return code != http.StatusOK
	})
	code, body := ready(t, server)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, "store: the database file was removed or replaced while it was open\n")
	for _, words := range []string{"job list", "job trigger 1"} {
		code, _, stderr := cli(t, append(strings.Fields(words), "--server", server)...)
		require.Equal(t, command.ExitFail, code)
		require.Equal(t, "xxlwheel: the database file was removed or replaced while it was open\n", stderr)
	}
	require.NoFileExists(t, file, "no empty one took its place")
	require.Equal(t, 1, strings.Count(serve.stderr.String(), "nothing is read or written until it is back"), serve.stderr)
	require.Zero(t, serve.terminate())
}

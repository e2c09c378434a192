package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// serveOn starts a scheduler and returns it with its address.
func serveOn(t *testing.T, file string, more ...string) (serve *process, server string) {
	t.Helper()
	return serveAt(t, "sqlite:"+file, more...)
}

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

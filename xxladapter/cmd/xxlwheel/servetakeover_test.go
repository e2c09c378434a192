package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTakeOverThroughTheAPI takes jobs over while the scheduler works, after a dry run. No answer
// of the API contains the URL of the database, and the audit says who took the jobs.
func TestTakeOverThroughTheAPI(t *testing.T) {
	t.Parallel()
	from, dir := testserver.MySQL(t), t.TempDir()
	mustCLI(t, "migrate", "--store", from, "--create-upstream")
	require.NoError(t, testserver.OrderMySQL(from, takenRows))
	named := filepath.Join(dir, "from")
	require.NoError(t, os.WriteFile(named, []byte(from), 0o600))
	serve, server := serveOn(t, filepath.Join(dir, "x.db"), "--zone", "UTC", "--takeover-from", "@"+named)

	call := func(method string) (r fromxxljob.Report) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, server+"/api/v1/takeover", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, string(body))
		require.NotContains(t, string(body), from)
		require.NoError(t, json.Unmarshal(body, &r))
		return r
	}
	looked := call("GET")
	require.Equal(t, []any{true, true, 3, 1}, []any{looked.DryRun, looked.Served, looked.Jobs.Taken, looked.Groups.Taken})
	require.Empty(t, mustCLI(t, "job", "-q", "list", "--server", server))
	taken := call("POST")
	require.Equal(t, []any{false, 3}, []any{taken.DryRun, taken.Jobs.Taken})
	require.Equal(t, "7\n8\n9", mustCLI(t, "job", "-q", "list", "--server", server))
	require.Contains(t, mustCLI(t, "job", "show", "7", "--server", server), "stopped")
	require.Regexp(t, `(?m)^\d+ +\S+ +open +127\.0\.0\.1 +POST /api/v1/takeover +job 7 often`, mustCLI(t, "audit", "--server", server, "list"))
	require.Equal(t, 3, call("POST").Jobs.Before, "nothing is taken twice")
	require.Zero(t, serve.terminate())

	for _, args := range [][]string{
		{"--store", from, "--takeover-from", from}, {"--store", "sqlite:" + filepath.Join(dir, "j.db") + "?journal=on", "--takeover-from", from},
	} {
		code, _, stderr := cli(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
		require.Equal(t, command.ExitUsage, code, stderr)
		require.Contains(t, stderr, "--takeover-from ")
	}
}

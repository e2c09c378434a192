package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestStoreCopy moves a scheduler from a file to PostgreSQL, where its schedule continues.
func TestStoreCopy(t *testing.T) {
	t.Parallel()
	file, there := filepath.Join(t.TempDir(), "x.db"), testserver.Postgres(t)
	serve, server := serveOn(t, file)
	mustCLI(t, "job", "add", "--server", server, "--app", "some-app", "--name", "often", "--handler", "demoJobHandler", "--fixed-rate", "1s", "--start")
	code, _, stderr := cli(t, "store", "copy", "--from", "sqlite:"+file, "--to", there)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "holds a lease on one of the stores, must be stopped, and its lease must expire")
	testserver.Eventually(t, 30*time.Second, "a run", func() bool { return len(listedRuns(t, server)) >= 1 })
	kept := listedRuns(t, server)
	require.Zero(t, serve.terminate())

	require.Regexp(t, `\d+ rows were copied, and compared$`, mustCLI(t, "store", "copy", "--from", "sqlite:"+file, "--to", there))
	code, _, stderr = cli(t, "store", "copy", "--from", "sqlite:"+file, "--to", there)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "the target has rows in xxl_job_group, must be empty")
	require.Contains(t, mustCLI(t, "store", "copy", "--from", there, "--to", "sqlite:"+filepath.Join(t.TempDir(), "y.db"), "--history=false", "-o", "json"),
		`{"table":"xxl_job_info","rows":1}`)

	again := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", there)
	server = strings.TrimSuffix(strings.Fields(again.line("serves on"))[3], ",")
	testserver.Eventually(t, 30*time.Second, "the schedule continues", func() bool {
		return len(listedRuns(t, server)) > len(kept)
	})

	code, _, stderr = cli(t, "store", "copy", "--from", there, "--to", there)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "--to is the same store as --from")
}

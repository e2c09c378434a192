package main

import (
	"os"
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
	code, _, _ = cli(t, "store", "copy", "--from", "sqlite:"+file, "--to", "sqlite:"+file+"-copy")
	require.Equal(t, command.ExitFail, code)
	require.NoFileExists(t, file+"-copy")
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

// TestALossIsAccepted takes the journal of a killed scheduler away. Every command refuses the store
// and proposes ?journal=lost, with which it works.
func TestALossIsAccepted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "x.db")
	serve, server := serveOn(t, file)
	mustCLI(t, "job", "add", "--server", server, "--app", "some-app", "--name", "n", "--handler", "h")
	require.Zero(t, serve.terminate())
	serve, _ = serveAt(t, "sqlite:"+file+"?journal=on")
	serve.kill()
	journal, err := filepath.Glob(file + "-ahead.*")
	require.NoError(t, err)
	require.NotEmpty(t, journal)
	for _, name := range journal {
		require.NoError(t, os.Remove(name))
	}
	for _, words := range []string{"backup " + dir + "/copy.db --store", "store copy --to sqlite:" + dir + "/other.db --from"} {
		args := strings.Fields(words)
		code, _, stderr := cli(t, append(args, "sqlite:"+file)...)
		require.Equal(t, command.ExitFail, code, words)
		require.Contains(t, stderr, "its journal is incomplete: there is none. Put its files back, or accept with ?journal=lost", words)
		testserver.Eventually(t, 30*time.Second, "the lease of the killed scheduler has expired", func() bool {
			code, _, stderr = cli(t, append(args, "sqlite:"+file+"?journal=lost")...)
			return !strings.Contains(stderr, "holds a lease")
		})
		require.Zero(t, code, stderr)
	}
	for _, copied := range []string{"/copy.db", "/other.db"} {
		_, server := serveOn(t, dir+copied)
		require.Contains(t, mustCLI(t, "job", "list", "--server", server), "some-app", copied)
	}
}

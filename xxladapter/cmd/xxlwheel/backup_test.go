package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestABackupIsRestored copies the store of a working scheduler, which is then killed and loses its
// disk. A scheduler on the copy has the jobs and the runs, and continues the schedule.
func TestABackupIsRestored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, copied := filepath.Join(dir, "x.db"), filepath.Join(dir, "copy.db")
	serve, server := serveOn(t, file)
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	mustCLI(t, "job", "add", "--server", server, "--app", "some-app", "--name", "often", "--handler", "demoJobHandler", "--fixed-rate", "1s", "--start")
	list := func(server string) []string {
		return strings.Split(mustCLI(t, "log", "list", "--server", server, "-n", "0"), "\n")[1:]
	}
	eventually(t, 30*time.Second, "three runs", func() bool { return strings.Count(strings.Join(list(server), "\n"), "SUCCESS") >= 3 })
	kept := list(server)
	require.Regexp(t, `^\Q`+copied+`\E: \d+ bytes$`, mustCLI(t, "backup", copied, "--store", "sqlite:"+file))
	eventually(t, 30*time.Second, "the schedule continues", func() bool { return len(list(server)) > len(kept) })
	code, _, stderr := cli(t, "backup", copied, "--store", "sqlite:"+file)
	require.Equal(t, exitFail, code)
	require.Equal(t, "xxlwheel: back up to "+copied+": the file exists, must be a new one\n", stderr)
	serve.kill()
	require.Zero(t, theirs.terminate())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		require.NoError(t, os.Remove(file+suffix))
	}

	require.NoError(t, os.Rename(copied, file))
	again, server := serveOn(t, file)
	require.Contains(t, mustCLI(t, "job", "show", "1", "--server", server), "running")
	ended := regexp.MustCompile(`(?m)^(\d+) .*SUCCESS`).FindAllString(strings.Join(kept, "\n"), -1)
	require.Subset(t, list(server), ended)
	before := len(list(server))
	eventually(t, 30*time.Second, "the schedule continues", func() bool { return len(list(server)) > before })
	require.Zero(t, again.terminate())
}

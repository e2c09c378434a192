package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
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
	testserver.Eventually(t, 30*time.Second, "three runs", func() bool {
		return len(succeeded(listedRuns(t, server))) >= 3
	})
	kept := listedRuns(t, server)
	require.Regexp(t, `^\Q`+copied+`\E: \d+ bytes$`, mustCLI(t, "backup", copied, "--store", "sqlite:"+file))
	testserver.Eventually(t, 30*time.Second, "the schedule continues", func() bool {
		return len(listedRuns(t, server)) > len(kept)
	})
	code, _, stderr := cli(t, "backup", copied, "--store", "sqlite:"+file)
	require.Equal(t, command.ExitFail, code)
	require.Equal(t, "xxlwheel: back up to "+copied+": the file exists, must be a new one\n", stderr)
	serve.kill()
	require.Zero(t, theirs.terminate())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		require.NoError(t, os.Remove(file+suffix))
	}

	require.NoError(t, os.Rename(copied, file))
	again, server := serveOn(t, file)
	require.Contains(t, mustCLI(t, "job", "show", "1", "--server", server), "running")
	restored := listedRuns(t, server)
	require.Subset(t, restored, succeeded(kept))
	testserver.Eventually(t, 30*time.Second, "the schedule continues", func() bool {
		return len(listedRuns(t, server)) > len(restored)
	})
	require.Zero(t, again.terminate())
}

// A listedRun has the fields of a run that never change once it has ended.
type listedRun struct {
	ID          int64
	JobID       int64
	TriggerTime time.Time
	TookMs      int64
	Status      string
}

// listedRuns returns all runs of a scheduler.
func listedRuns(t *testing.T, server string) (runs []listedRun) {
	t.Helper()
	lines := strings.NewReader(mustCLI(t, "run", "list", "--server", server, "-n", "0", "-o", "json"))
	for d := json.NewDecoder(lines); d.More(); {
		var r listedRun
		require.NoError(t, d.Decode(&r))
		runs = append(runs, r)
	}
	return runs
}

// succeeded returns the runs that have ended well.
func succeeded(runs []listedRun) []listedRun {
	return slices.DeleteFunc(slices.Clone(runs), func(r listedRun) bool { return r.Status != "SUCCESS" })
}

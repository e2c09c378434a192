//go:build unix

package executor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestScriptOutputIsBounded checks that a script's output is limited like a handler's, and fills no
// disk.
func TestScriptOutputIsBounded(t *testing.T) {
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret", MaxRunLog: 100_000}, nil)
	run := scriptRun(1, 1, "GLUE_SHELL", `for i in $(seq 40000); do echo "line $i"; done; printf 'no end'; exit 3`)
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })
	require.Equal(t, "500 script exit value(3) is failed", e.outcome(1), "it ran to its end")
	files, err := filepath.Glob(filepath.Join(e.opts.DataDir, "*", "1.log"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.InDelta(t, 100_000, len(data), 1000)
	require.Contains(t, string(data), "\nline 100\n")
	require.Contains(t, string(data), "\n[executor] the log has reached 100000 bytes; the rest is dropped\n")
	require.NotContains(t, string(data), "line 40000")
	require.Contains(t, string(data), "run ends: ")
}

// TestAnOpenLineIsEnded checks that an open line of the script is not joined with the executor's
// own.
func TestAnOpenLineIsEnded(t *testing.T) {
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	run := scriptRun(1, 1, "GLUE_SHELL", `printf 'no end'`)
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })
	require.Contains(t, e.readLog(run, 1).Content, "no end\n")
}

// TestABackgroundProcessHoldsNothingUp checks that what a script leaves in the background does not
// delay its result.
func TestABackgroundProcessHoldsNothingUp(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	pidFile := filepath.Join(t.TempDir(), "pid")
	run := scriptRun(1, 1, "GLUE_SHELL", `sleep 300 & echo $! > "$1"; echo done`)
	run.Params = pidFile
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })
	require.Equal(t, "200", e.outcome(1))
	pid, err := readPID(pidFile)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL), "it lives on after a script that ended by itself")
}

// TestADaemonOfAKilledScriptDies checks that a process that has left the group and the tree of its
// script dies with it.
func TestADaemonOfAKilledScriptDies(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by their environment, which needs /proc")
	}
	needs(t, "bash")
	needs(t, "setsid")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	pidFile := filepath.Join(t.TempDir(), "pid")
	run := scriptRun(1, 1, "GLUE_SHELL", `setsid bash -c 'trap "" TERM; echo $$ > "$0"; while :; do sleep 0.1; done' "$1" & disown; while :; do sleep 0.1; done`)
	run.Params = pidFile
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "daemon", func() bool { _, err := readPID(pidFile); return err == nil })
	pid, err := readPID(pidFile)
	require.NoError(t, err)
	e.post("/kill", wire.KillRequest{JobID: 1})
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })
	require.True(t, syscall.Kill(pid, 0) != nil || isZombie(pid), "the daemon lives on")
}

func readPID(file string) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(data)))
}

// TestAbsurdNumbersAreRefused checks ids and times, which become names of files.
func TestAbsurdNumbersAreRefused(t *testing.T) {
	e := start(t, Options{}, nil)
	for body, msg := range map[string]string{
		`{"jobId":1,"logId":0,"glueType":"BEAN"}`:                                  "request error: logId is 0, must be a positive integer",
		`{"jobId":1,"logId":-7,"glueType":"BEAN"}`:                                 "request error: logId is -7, must be a positive integer",
		`{"jobId":1,"logId":1,"logDateTime":-1000000000000000,"glueType":"BEAN"}`:  "request error: logDateTime is -1000000000000000, must be epoch milliseconds from 0 to 253402300799999",
		`{"jobId":1,"logId":1,"logDateTime":100000000000000000,"glueType":"BEAN"}`: "request error: logDateTime is 100000000000000000, must be epoch milliseconds from 0 to 253402300799999",
	} {
		require.Equal(t, wire.Fail(msg), e.post("/run", json.RawMessage(body)))
	}
	days, err := filepath.Glob(filepath.Join(e.opts.DataDir, "*-*-*"))
	require.NoError(t, err)
	require.Empty(t, days)
}

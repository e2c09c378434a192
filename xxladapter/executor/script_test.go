//go:build unix

package executor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func scriptRun(jobID, logID int64, glueType, source string) wire.RunRequest {
	run := beanRun(jobID, logID, "")
	run.GlueType, run.GlueSource, run.GlueUpdated = glueType, source, 1541254891000
	return run
}

func needs(t *testing.T, command string) {
	t.Helper()
	testserver.Short(t)
	if _, err := exec.LookPath(command); err != nil {
		t.Skipf("%s is not installed", command)
	}
}

func TestScripts(t *testing.T) {
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	for i, c := range []struct{ glueType, command, suffix, source string }{
		{"GLUE_SHELL", "bash", ".sh", "echo \"args: $1 $2 $3 $#\"; echo problem >&2"},
		{"GLUE_PYTHON", "python3", ".py", "import sys\nprint('args:', *sys.argv[1:], len(sys.argv)-1)\nprint('problem', file=sys.stderr)"},
		{"GLUE_NODEJS", "node", ".js", "const a = process.argv.slice(2); console.log('args:', ...a, a.length); console.error('problem')"},
		{"GLUE_PHP", "php", ".php", "<?php array_shift($argv); echo 'args: '.implode(' ', $argv).' '.count($argv).\"\\n\"; fwrite(STDERR, \"problem\\n\");"},
		{"GLUE_POWERSHELL", "pwsh", ".ps1", "Write-Output \"args: $($args -join ' ') $($args.Count)\"; [Console]::Error.WriteLine('problem')"},
	} {
		t.Run(c.glueType, func(t *testing.T) {
			needs(t, c.command)
			id := int64(i + 1)
			run := scriptRun(id, id, c.glueType, c.source)
			run.Params, run.BroadcastIndex, run.BroadcastTotal = "a=1", 2, 5
			require.Equal(t, wire.OK(), e.post("/run", run))
			testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(id) != nil })
			require.Equal(t, "200", e.outcome(id))
			text := e.readLog(run, 1).Content
			require.Contains(t, text, "args: a=1 2 5 3\n")
			require.Contains(t, text, "problem\n")
			require.Contains(t, text, "run ends: code 200\n")
			data, err := os.ReadFile(filepath.Join(e.opts.DataDir, "gluesource", strconv.FormatInt(id, 10)+"_1541254891000"+c.suffix))
			require.NoError(t, err)
			require.Equal(t, c.source, string(data))
		})
	}
}

// TestScriptExit checks the arguments of a script and the results of its exit codes (XXL-JOB 2.4.2,
// ScriptJobHandler.java).
func TestScriptExit(t *testing.T) {
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	for id, c := range map[int64]struct{ source, want string }{
		1: {"exit 3", "500 script exit value(3) is failed"},
		2: {"kill -9 $$", "500 script exit value(-1) is failed"},
		3: {"", "200"},
		4: {"[ $# = 3 ] && [ -z \"$1\" ]", "200"}, // always three arguments
	} {
		e.post("/run", scriptRun(id, id, "GLUE_SHELL", c.source))
		testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(id) != nil })
		require.Equal(t, c.want, e.outcome(id), c.source)
	}
	t.Setenv("PATH", t.TempDir())
	run := scriptRun(9, 9, "GLUE_SHELL", "")
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(9) != nil })
	require.Equal(t, "500 script exit value(-1) is failed", e.outcome(9))
	require.Contains(t, e.readLog(run, 1).Content, "script does not start: ")
}

// TestScriptVersions checks that a new version replaces the file, and ends runs of the old one
// (XXL-JOB 2.4.2, ExecutorBizImpl.java).
func TestScriptVersions(t *testing.T) {
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	run := scriptRun(7, 1, "GLUE_SHELL", "echo old")
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })

	// As in XXL-JOB, the time stands for the source.
	same := scriptRun(7, 2, "GLUE_SHELL", "echo new")
	e.post("/run", same)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(2) != nil })
	require.Contains(t, e.readLog(same, 1).Content, "old\n")

	newer := scriptRun(7, 3, "GLUE_SHELL", "echo new; sleep 60")
	newer.GlueUpdated++
	e.post("/run", newer)
	testserver.Eventually(t, endsWithin, "output", func() bool {
		return strings.Contains(e.readLog(newer, 1).Content, "new\n")
	})
	files, err := filepath.Glob(filepath.Join(e.opts.DataDir, "gluesource", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)

	newest := scriptRun(7, 4, "GLUE_SHELL", "echo newest")
	newest.GlueUpdated += 2
	e.post("/run", newest)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(4) != nil })
	require.Equal(t, "500 change job source or glue type, and terminate the old job thread. [job running, killed]", e.outcome(3))
	require.Equal(t, "200", e.outcome(4))
}

// TestARefusedVersionOfAScriptChangesNothing checks that runs keep the source that they were
// accepted with, although a run with another one is refused meanwhile.
func TestARefusedVersionOfAScriptChangesNothing(t *testing.T) {
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret", IdleAfter: time.Millisecond}, nil)
	goOn := filepath.Join(t.TempDir(), "go")
	run := func(id int64) wire.RunRequest {
		r := scriptRun(7, id, "GLUE_SHELL", `while [ ! -e "$1" ]; do sleep 0.01; done`)
		r.Params = goOn
		return r
	}
	first := run(1)
	require.Equal(t, wire.OK(), e.post("/run", first))
	testserver.Eventually(t, endsWithin, "start", func() bool { return e.readLog(first, 1).ToLine > 0 })
	require.Equal(t, wire.OK(), e.post("/run", run(2)))
	newer := scriptRun(7, 2, "GLUE_SHELL", "exit 3")
	newer.GlueUpdated++
	require.Equal(t, "repeat trigger job, logId:2", e.post("/run", newer).Msg)
	require.Equal(t, wire.OK(), e.post("/run", run(3)))
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	testserver.Eventually(t, endsWithin, "results", func() bool { return len(e.admin.results()) == 3 })
	for id := range int64(3) {
		require.Equal(t, "200", e.outcome(id+1))
	}
	scripts := e.live.Load().scripts
	testserver.Eventually(t, endsWithin, "the source to be freed", func() bool {
		scripts.mu.Lock()
		defer scripts.mu.Unlock()
		return len(scripts.byJob) == 0
	})
}

// TestScriptIsKilledWithItsGroup checks that a kill and a time-out end the script with everything
// that it started. XXL-JOB leaves the grandchildren running (2.4.2, ScriptUtil.java).
func TestScriptIsKilledWithItsGroup(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	pidFile := filepath.Join(t.TempDir(), "pid")
	source := `sleep 300 & echo $! > "$1"; wait`
	alive := func(file string) (pid int, alive bool) {
		data, _ := os.ReadFile(file)
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		return pid, err == nil && pid > 0 && syscall.Kill(pid, 0) == nil && !isZombie(pid)
	}

	run := scriptRun(7, 1, "GLUE_SHELL", source)
	run.Params = pidFile
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "grandchild", func() bool { _, ok := alive(pidFile); return ok })
	e.post("/kill", wire.KillRequest{JobID: 7})
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })
	require.Equal(t, "500 scheduling center kill job. [job running, killed]", e.outcome(1))
	_, ok := alive(pidFile)
	require.False(t, ok, "the grandchild lives on")

	run = scriptRun(8, 2, "GLUE_SHELL", source)
	run.Params, run.Timeout = pidFile+"2", 1
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(2) != nil })
	require.Equal(t, "502 job execute timeout", strings.TrimSpace(e.outcome(2)))
	_, ok = alive(pidFile + "2")
	require.False(t, ok, "the grandchild lives on")
}

// isZombie reports whether a process has ended and has not been reaped. Orphans are reaped by init,
// which a container may not have.
func isZombie(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.HasPrefix(rest, "Z")
}

// TestScriptThatIgnoresSigterm checks that a script that ignores SIGTERM is killed.
func TestScriptThatIgnoresSigterm(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	e := start(t, Options{Scripts: true, AccessToken: "secret"}, nil)
	run := scriptRun(7, 1, "GLUE_SHELL", `trap "" TERM; echo ready; while :; do sleep 0.05; done`)
	e.post("/run", run)
	testserver.Eventually(t, endsWithin, "output", func() bool {
		return strings.Contains(e.readLog(run, 1).Content, "ready\n")
	})
	began := time.Now()
	e.post("/kill", wire.KillRequest{JobID: 7})
	testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(1) != nil })
	require.GreaterOrEqual(t, time.Since(began), scriptTerm)
}

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestPythonExecutor runs jobs on pyxxl, a library for executors in Python. It needs Python and its
// package index, and runs only on request.
func TestPythonExecutor(t *testing.T) {
	testserver.Python(t)
	t.Parallel()
	python := installPython(t, "pyxxl==0.4.8")
	const token = "shared with Python"
	_, server := serveOn(t, t.TempDir()+"/x.db", "--access-token", token)
	s := executorSite{t, client.API{Server: server, Token: token}, token, "python"}
	s.job("add", "--name", "group", "--app", s.app, "--handler", "greet") // creates the group, before the executor registers
	output := new(testserver.Output)
	executor := exec.Command(python, "testdata/python/sample.py", server+"/xxl-job-admin/api/", token, s.app, testserver.FreePort(t), t.TempDir())
	executor.Stdout, executor.Stderr = output, output
	require.NoError(t, executor.Start())
	testserver.Eventually(t, 60*time.Second, "it registers", func() bool { return len(s.addresses()) == 1 })

	s.checkRuns()
	s.checkTimeout()
	s.checkPythonLogAndKill()

	require.NoError(t, executor.Process.Signal(syscall.SIGTERM))
	require.NoError(t, executor.Wait(), output.String())
	require.Empty(t, s.addresses(), "it deregisters at its end")
}

// installPython installs a package into an environment of its own and returns its interpreter.
func installPython(t *testing.T, requirement string) (python string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		testserver.Missing(t, fmt.Sprintf("no environment of Python can be made: %v\n%s", err, out))
	}
	python = filepath.Join(dir, "bin", "python")
	if out, err := exec.Command(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", requirement).CombinedOutput(); err != nil {
		testserver.Missing(t, fmt.Sprintf("%s cannot be fetched: %v\n%s", requirement, err, out))
	}
	return python
}

// checkTimeout lets the executor end a run that takes too long.
func (s executorSite) checkTimeout() {
	s.t.Helper()
	id := s.job("add", "--name", "slow", "--app", s.app, "--handler", "sleep", "--timeout", "1s")
	s.job("trigger", id)
	l := s.ended(id, 1)[0]
	require.Equal(s.t, 500, l.HandleCode, "pyxxl reports no 502")
	require.Equal(s.t, "TimeoutError", l.HandleMsg)
}

func (s executorSite) checkPythonLogAndKill() {
	s.t.Helper()
	client, err := trigger.NewClient(trigger.ClientOptions{AccessToken: s.token})
	require.NoError(s.t, err)
	defer client.Close()
	addr := s.addresses()[0]
	require.NoError(s.t, client.Beat(s.t.Context(), addr))

	id := s.job("add", "--name", "logged", "--app", s.app, "--handler", "greet", "--param", "there")
	s.job("trigger", id)
	l := s.ended(id, 1)[0]
	result, err := client.Log(s.t.Context(), addr, s.app, wire.LogRequest{LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: 1})
	require.NoError(s.t, err)
	require.Contains(s.t, result.Content, "hello there")

	id = s.job("add", "--name", "long", "--app", s.app, "--handler", "sleep")
	s.job("trigger", id)
	var jobID int64
	_, err = fmt.Sscan(id, &jobID)
	require.NoError(s.t, err)
	testserver.Eventually(s.t, 15*time.Second, "the job runs", func() bool {
		return client.IdleBeat(s.t.Context(), addr, jobID) != nil
	})
	require.NoError(s.t, client.Kill(s.t.Context(), addr, s.app, jobID))
	l = s.ended(id, 1)[0]
	require.Equal(s.t, 500, l.HandleCode)
	require.Equal(s.t, "CancelledError", l.HandleMsg)
}

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A process is a child of the test that plays another program.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  chan string // of stdout; closed at its end
	stderr *testserver.Output
}

// start runs the test binary in a role. The child is killed at the end of the test if it still
// runs.
func start(t *testing.T, role string, args ...string) *process {
	t.Helper()
	testserver.Short(t)
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), lines: make(chan string, 10_000), stderr: new(testserver.Output)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	p.cmd.Stderr = p.stderr
	// Held open until the child has ended; see endWithParent.
	_, err := p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // an error comes from the kill itself, or from a second wait
		if t.Failed() {
			t.Logf("stderr of %s %s:\n%s", role, strings.Join(args, " "), p.stderr)
		}
	})
	return p
}

// line waits for a line of stdout that contains text.
func (p *process) line(text string) string {
	p.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("no line with %q before the end of the output; stderr:\n%s", text, p.stderr)
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			p.t.Fatalf("no line with %q within 30s; stderr:\n%s", text, p.stderr)
		}
	}
}

// kill ends the process as a power cut would, and waits until it has ended.
func (p *process) kill() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGKILL))
	require.ErrorContains(p.t, p.cmd.Wait(), "killed")
}

// terminate asks the process to end and returns its exit code.
func (p *process) terminate() int {
	p.t.Helper()
	return p.end(syscall.SIGTERM)
}

// end sends a signal and returns the exit code that follows.
func (p *process) end(signal os.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(signal))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.cmd.Wait() // the exit code is enough
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		p.t.Fatalf("no end within 30s of a signal; stderr:\n%s", p.stderr)
	}
	return p.cmd.ProcessState.ExitCode()
}

// cli runs a command line in this process and returns its exit code, stdout and stderr.
func cli(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, command.Console{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	return code, stdout.String(), stderr.String()
}

// mustCLI runs a command line that has to succeed, and returns its stdout.
func mustCLI(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := cli(t, args...)
	require.Zero(t, code, "xxlwheel %s: %s", strings.Join(args, " "), stderr)
	return strings.TrimSpace(stdout)
}

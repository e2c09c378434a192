//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// unread starts the binary with a stdout whose reader is gone, and with stderr there too if log is
// nil.
func unread(t *testing.T, log *testserver.Output, args ...string) *process {
	t.Helper()
	testserver.Short(t)
	reader, out, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), stderr: log}
	p.cmd.Env = append(os.Environ(), roleVariable+"=xxlwheel")
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if log != nil {
		p.cmd.Stderr = log
	}
	_, err = p.cmd.StdinPipe() // held open until the child has ended; see endWithParent
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	require.NoError(t, out.Close())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // an error comes from the kill itself, or from a second wait
	})
	return p
}

// TestADaemonOutlivesItsReader checks that serve, executor and demo work and end cleanly although
// nobody reads what they print and log.
func TestADaemonOutlivesItsReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"serve":    {"--store", "sqlite:" + filepath.Join(dir, "x.db")},
		"executor": {"--admin", "http://127.0.0.1:1", "--data-dir", dir},
	} {
		addr := "127.0.0.1:" + testserver.FreePort(t)
		p := unread(t, nil, append([]string{name, "--listen", addr}, args...)...)
		testserver.Eventually(t, 30*time.Second, name+" serves", func() bool {
			resp, err := http.Get("http://" + addr + "/")
			if err != nil {
				return false
			}
			return resp.Body.Close() == nil
		})
		require.Zero(t, p.terminate(), name)
	}
	demo := unread(t, nil, "demo", "--db", filepath.Join(dir, "demo.db"), "--for", "2s", "--verbose")
	require.NoError(t, demo.cmd.Wait())
}

// TestAListEndsWithItsReader checks that other commands end at once, and silently.
func TestAListEndsWithItsReader(t *testing.T) {
	t.Parallel()
	var stderr testserver.Output
	p := unread(t, &stderr, "man")
	require.Error(t, p.cmd.Wait())
	require.Equal(t, syscall.SIGPIPE, p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	require.Empty(t, stderr.String())
}

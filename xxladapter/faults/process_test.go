//go:build linux

package faults

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// program builds the command under test, once.
var program = sync.OnceValues(func() (string, error) {
	file := filepath.Join(workDir, "xxlwheel")
	out, err := exec.Command("go", "build", "-o", file, "github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build xxlwheel: %w\n%s", err, out)
	}
	return file, nil
})

// A process is a scheduler that a test may kill and start repeatedly, with the same arguments.
type process struct {
	t    *testing.T
	name string
	args []string

	cmd    *exec.Cmd
	log    *testserver.Output
	exited chan struct{}
}

func newProcess(t *testing.T, name string, args ...string) *process {
	p := &process{t: t, name: name, args: args, log: new(testserver.Output)}
	t.Cleanup(func() {
		if p.cmd != nil {
			_ = p.cmd.Process.Signal(syscall.SIGCONT)
			_ = p.cmd.Process.Kill()
			<-p.exited
		}
		if t.Failed() {
			t.Logf("%s wrote:\n%s", name, tail(p.log.String(), 6000))
		}
	})
	return p
}

// start runs the process and returns once it serves.
func (p *process) start() {
	p.t.Helper()
	file, err := program()
	require.NoError(p.t, err)
	p.cmd = exec.Command(file, p.args...)
	p.cmd.Stderr = p.log
	// A scheduler must not outlive the test, even if the test binary is killed.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Start())
	serves := make(chan struct{})
	p.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		defer close(exited)
		said := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if !said && strings.Contains(lines.Text(), "serves on") {
				said = true
				close(serves)
			}
		}
		_ = cmd.Wait() // ProcessState tells how it ended
	}(p.cmd, p.exited)
	select {
	case <-serves:
	case <-p.exited:
		p.t.Fatalf("%s ended instead of serving: %v\n%s", p.name, p.cmd.ProcessState, tail(p.log.String(), 3000))
	case <-time.After(60 * time.Second):
		p.t.Fatalf("%s does not serve within a minute\n%s", p.name, tail(p.log.String(), 3000))
	}
}

// kill ends the process with SIGKILL and returns once it has ended.
func (p *process) kill() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGKILL))
	<-p.exited
}

// stop sends SIGTERM and returns how long the process took to exit. Its exit code must be 0.
func (p *process) stop() time.Duration {
	p.t.Helper()
	asked := time.Now()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.exited:
	case <-time.After(60 * time.Second):
		p.t.Fatalf("%s does not end within a minute of SIGTERM\n%s", p.name, tail(p.log.String(), 3000))
	}
	require.Zero(p.t, p.cmd.ProcessState.ExitCode(), "%s", tail(p.log.String(), 3000))
	return time.Since(asked)
}

func (p *process) freeze() { require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGSTOP)) }
func (p *process) thaw()   { require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGCONT)) }

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// peakMemory returns the largest resident set so far, in bytes.
func (p *process) peakMemory() int64 {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	for line := range strings.Lines(string(status)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	p.t.Fatal("no VmHWM in the process's status")
	return 0
}

func tail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return "... " + text[len(text)-limit:]
}

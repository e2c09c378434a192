//go:build unix

package executor

import (
	"os"
	"os/exec"
	"syscall"
)

var termSignal os.Signal = syscall.SIGTERM

// signalGroup sends a signal to the processes of cmd's group; there may be none.
func signalGroup(cmd *exec.Cmd, s os.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal))
}

// groupLives reports whether cmd's group has a process.
func groupLives(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }

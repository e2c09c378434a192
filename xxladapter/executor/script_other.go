//go:build !unix

package executor

import (
	"os"
	"os/exec"
	"syscall"
)

var termSignal = os.Kill

// There are no process groups here: only the script itself is ended.

func groupAttr() *syscall.SysProcAttr { return nil }

func signalGroup(cmd *exec.Cmd, s os.Signal) { _ = cmd.Process.Signal(s) }

func groupLives(*exec.Cmd) bool { return false }

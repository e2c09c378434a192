//go:build !linux

package executor

import (
	"os"
	"syscall"
)

// signalMarked does nothing on this system: processes that have left the script's group outlive it.
func signalMarked(string, os.Signal) (found int) { return 0 }

// nothing is signal 0, which is never delivered.
var nothing os.Signal = syscall.Signal(0)

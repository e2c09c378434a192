package executor

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// signalMarked sends a signal to every process that was started with mark in its environment, and
// returns how many there were. This finds processes that have left the script's group, and even its
// tree, by setsid or as daemons. It does not find processes that were started with another
// environment, or those of another user.
func signalMarked(mark string, s os.Signal) (found int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if !hasMark(file, mark) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		p, err := os.FindProcess(pid) // a handle: the number may be reused
		if err != nil {
			continue
		}
		if hasMark(file, mark) && pid != os.Getpid() {
			found++
			_ = p.Signal(s)
		}
		_ = p.Release()
	}
	return found
}

func hasMark(file, mark string) bool {
	environ, err := os.ReadFile(file)
	return err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+mark+"\x00"))
}

// nothing is signal 0: the kernel checks that the process exists and delivers nothing.
var nothing os.Signal = syscall.Signal(0)

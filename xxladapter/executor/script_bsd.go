//go:build unix && !linux

package executor

import "syscall"

// groupAttr makes a process the leader of a group, so that the processes it starts can be ended
// with it. If this process is killed, its scripts outlive it.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

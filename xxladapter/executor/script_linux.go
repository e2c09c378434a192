package executor

import "syscall"

// groupAttr makes a process the leader of a group, so that what it starts can be
// ended with it, and has it killed when this process dies: its run is then
// reported as unfinished and must not go on.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

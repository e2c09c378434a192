package executor

import "syscall"

// groupAttr makes a process the leader of a group, so that the processes it starts can be ended
// with it. The process is killed when this one dies: its run is then reported as unfinished and
// must not continue.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

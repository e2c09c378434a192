package sqlite

import (
	"syscall"
	"time"
)

// nap pauses for about d. [time.Sleep] lasts a millisecond at least while all goroutines sleep,
// because then the runtime waits in whole milliseconds (Go 1.26, runtime/netpoll_epoll.go). So
// shorter pauses are left to the kernel. They hold a thread, and may end early at a signal.
func nap(d time.Duration) {
	if d >= time.Millisecond {
		time.Sleep(d)
		return
	}
	pause := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&pause, nil) // fails only at a signal
}

//go:build unix

package bench_test

import "syscall"

// sockets returns the number of connections of which this process may have both ends, with some
// descriptors to spare. It is at most 5000, because more only take longer, and at least 1.
func sockets() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 100
	}
	return max(int(min(l.Cur/2, 5050))-50, 1)
}

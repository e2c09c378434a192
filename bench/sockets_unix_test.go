//go:build unix

package bench_test

import "syscall"

// sockets returns how many connections with both ends this process may have, with some descriptors
// to spare, and at most 5000: more only take longer.
func sockets() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 100
	}
	return int(min(l.Cur/2, 5050)) - 50
}

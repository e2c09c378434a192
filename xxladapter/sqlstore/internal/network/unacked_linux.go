package network

import (
	"errors"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not define.
const tcpUserTimeout = 18

// limitUnacked makes the kernel drop a connection whose peer has acknowledged nothing for that
// long.
func limitUnacked(conn syscall.RawConn, limit time.Duration) error {
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(limit.Milliseconds()))
	})
	return errors.Join(err, failed)
}

//go:build unix

package post

import (
	"syscall"
)

// quiet reports whether an idle connection is open and has nothing to read. Nothing must be sent to
// a peer that has closed the connection, or that has sent something unasked.
func (g *guarded) quiet() bool {
	socket, ok := g.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		// The socket does not block.
		_, err := syscall.Read(int(fd), one[:])
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && quiet
}

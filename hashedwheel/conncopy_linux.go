//go:build linux && !386 && !s390x

package hashedwheel

import (
	"encoding/binary"
	"net"
	"syscall"
	"unsafe"
)

const (
	// transferPiece is the most that one system call writes before the write counts.
	transferPiece = 64 << 10

	// kernelPiece is the most that ReadFrom and WriteTo have the kernel move at a time. A
	// slow one is found to make progress by bytesMoved.
	kernelPiece = 4 << 20
)

// Where struct tcp_info (linux/tcp.h, since 4.1) has its counters of payload bytes.
const (
	tcpInfoBytesAcked    = 120
	tcpInfoBytesReceived = 128
	tcpInfoLen           = 136
)

// bytesMoved returns how many bytes were read from a TCP connection since it was made, or sent and
// acknowledged by the peer. It returns false if that cannot be known.
func bytesMoved(c net.Conn, s side) (bytes uint64, ok bool) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	var (
		info   [tcpInfoLen]byte
		n      = uint32(len(info))
		unread int32
		failed [2]syscall.Errno
	)
	err = raw.Control(func(fd uintptr) {
		// What has not been read is asked for first: it must not be more than what was received.
		_, _, failed[0] = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&unread)))
		_, _, failed[1] = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&n)), 0)
	})
	if err != nil || failed != [2]syscall.Errno{} || n < tcpInfoLen {
		return 0, false
	}
	if s == readSide {
		return binary.NativeEndian.Uint64(info[tcpInfoBytesReceived:]) - uint64(unread), true
	}
	return binary.NativeEndian.Uint64(info[tcpInfoBytesAcked:]), true
}

//go:build linux && !386 && !s390x

package hashedwheel

import (
	"encoding/binary"
	"net"
	"syscall"
	"unsafe"
)

const (
	// transferPiece is the largest number of bytes that one system call writes. They count when it
	// returns.
	transferPiece = 64 << 10

	// kernelPiece is the largest number of bytes that ReadFrom and WriteTo make the kernel move at
	// a time. Meanwhile bytesMoved shows progress.
	kernelPiece = 4 << 20
)

// The offsets of the counters of payload bytes in struct tcp_info (linux/tcp.h, since 4.1).
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
		// The number of unread bytes is requested first, so that it is never larger than that of
		// the received bytes.
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

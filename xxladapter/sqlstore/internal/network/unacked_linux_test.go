package network

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheKernelWatchesConnections reads the options of a socket.
func TestTheKernelWatchesConnections(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	conn, err := New().Dialer(Fixed(QuickSilence))(t.Context(), "tcp", ln.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	raw, err := conn.(syscall.Conn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		for option, want := range map[[2]int]int{
			{syscall.IPPROTO_TCP, tcpUserTimeout}:        int(unackedLimit.Milliseconds()),
			{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}:   1,
			{syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE}:  int(keepAliveIdle.Seconds()),
			{syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL}: 1,
		} {
			got, err := syscall.GetsockoptInt(int(fd), option[0], option[1])
			require.NoError(t, err)
			require.Equal(t, want, got, "option %v", option)
		}
	}))
}

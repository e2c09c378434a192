package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheServiceManagerIsNotified stands in for systemd with a socket of its own: it hears when the
// scheduler serves, that it lives, and that it stops.
func TestTheServiceManagerIsNotified(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify") // the path of a socket has at most 108 bytes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	require.NoError(t, socket.SetReadDeadline(time.Now().Add(time.Minute)))
	hears := func() string {
		message := make([]byte, 100)
		n, err := socket.Read(message)
		require.NoError(t, err)
		return string(message[:n])
	}

	t.Setenv("NOTIFY_SOCKET", filepath.Join(dir, "s"))
	t.Setenv("WATCHDOG_USEC", "200000")
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	require.Equal(t, "READY=1", hears())
	for range 3 {
		require.Equal(t, "WATCHDOG=1", hears())
	}
	require.Zero(t, serve.terminate())
	said := hears()
	for said == "WATCHDOG=1" {
		said = hears()
	}
	require.Equal(t, "STOPPING=1", said)
}

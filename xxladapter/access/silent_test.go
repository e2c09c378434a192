package access

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSilentConnectionsAreThoseThatAskedForNothing checks that a connection that has sent a request
// is left open, and that one accepted too late is closed.
func TestSilentConnectionsAreThoseThatAskedForNothing(t *testing.T) {
	t.Parallel()
	var conns silentConns
	silent, silentEnd := net.Pipe()
	busy, busyEnd := net.Pipe()
	late, lateEnd := net.Pipe()
	for _, end := range []net.Conn{silentEnd, busyEnd, lateEnd} {
		defer end.Close()
	}
	conns.note(silent, http.StateNew)
	conns.note(busy, http.StateNew)
	conns.note(busy, http.StateActive)
	conns.close()
	conns.note(late, http.StateNew)
	for conn, open := range map[net.Conn]bool{silent: false, busy: true, late: false} {
		err := conn.SetDeadline(time.Now().Add(time.Minute))
		require.Equal(t, open, err == nil, "%v", err)
	}
	require.NoError(t, busy.Close())
}

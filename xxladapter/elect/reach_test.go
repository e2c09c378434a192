package elect

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestASilentServerLeavesTimeForTheNextOne has a first server that takes connections and says
// nothing.
func TestASilentServerLeavesTimeForTheNextOne(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	live := httptest.NewTLSServer(nil)
	defer live.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	a := Address{Hosts: []string{silent.Addr().String(), live.Listener.Addr().String()}, TLS: &tls.Config{InsecureSkipVerify: true}}
	require.NoError(t, a.Reach(ctx))
	a.Hosts = a.Hosts[:1]
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, a.Reach(ctx), "does not answer")
}

package client

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCallsWithACAShareConnections makes calls one after the other over one connection, and others
// at the same time.
func TestCallsWithACAShareConnections(t *testing.T) {
	t.Cleanup(func() {
		HTTP.CloseIdleConnections()
		HTTP.Transport, trusted.file = nil, ""
	})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}")
	}))
	var opened atomic.Int32
	server.Config.ConnState = func(_ net.Conn, is http.ConnState) {
		if is == http.StateNew {
			opened.Add(1)
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, block, 0o600))
	api := API{Server: server.URL, CA: file}
	call := func() error {
		var answer struct{}
		return api.Call(t.Context(), http.MethodGet, "/info", nil, &answer)
	}
	for range 3 {
		require.NoError(t, call())
	}
	require.EqualValues(t, 1, opened.Load())
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}

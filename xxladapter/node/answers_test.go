package node

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// inBothProtocols runs a test in a bubble with HTTP/1.1, and in another one with TLS and HTTP/2.
func inBothProtocols(t *testing.T, test func(t *testing.T, protocol string)) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, protocol) })
		})
	}
}

// serveNode serves a node over connections in memory until the test ends, and returns a function
// that sends requests to it.
func serveNode(
	t *testing.T, protocol string, opts Options,
) (send func(method, path string, body io.Reader) (*http.Response, error)) {
	t.Helper()
	opts.Logger, opts.AllowHosts = slog.New(slog.DiscardHandler), []string{"127.0.0.1"}
	if opts.Store == nil {
		opts.Store = memstore.New(time.Now)
	}
	url := "http://127.0.0.1"
	if protocol == "HTTP/2.0" {
		opts.TLSCert, opts.TLSKey = testserver.Certificate(t)
		url = "https://127.0.0.1"
	}
	n, err := New(opts)
	require.NoError(t, err)
	ln := testserver.NewPipes()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Serve(ctx, ln) }()
	client := &http.Client{Transport: &http.Transport{
		DialContext: ln.Dial, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
	})
	return func(method, path string, body io.Reader) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, method, url+path, body)
		require.NoError(t, err)
		resp, err := client.Do(req)
		if err == nil {
			require.Equal(t, protocol, resp.Proto)
		}
		return resp, err
	}
}

// TestAStreamOutlivesItsSilences reads a stream in which nothing happens for some minutes.
func TestAStreamOutlivesItsSilences(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		resp, err := serveNode(t, protocol, Options{})(http.MethodGet, "/api/v1/events", nil)
		require.NoError(t, err)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for begun := time.Now(); time.Since(begun) < 3*time.Minute; {
			require.True(t, lines.Scan(), "%v after %v", lines.Err(), time.Since(begun))
		}
	})
}

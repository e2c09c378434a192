package node

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
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

// A caller sends requests to a node that is served over connections in memory.
type caller struct {
	t             *testing.T
	client        *http.Client
	url, protocol string
	frozen        atomic.Bool
	thawed        chan struct{}
}

// serveNode serves a node until the test ends.
func serveNode(t *testing.T, protocol string, opts Options) *caller {
	t.Helper()
	opts.Logger, opts.AllowHosts = slog.New(slog.DiscardHandler), []string{"127.0.0.1"}
	if opts.Store == nil {
		opts.Store = memstore.New(time.Now)
	}
	c := &caller{t: t, url: "http://127.0.0.1", protocol: protocol, thawed: make(chan struct{})}
	if protocol == "HTTP/2.0" {
		opts.TLSCert, opts.TLSKey = testserver.Certificate(t)
		c.url = "https://127.0.0.1"
	}
	n, err := New(opts)
	require.NoError(t, err)
	ln := testserver.NewPipes()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Serve(ctx, ln) }()
	c.client = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := ln.Dial(ctx, network, addr)
			return callerConn{conn, c}, err
		},
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	t.Cleanup(func() {
		c.client.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
	})
	return c
}

func (c *caller) send(method, path string, body io.Reader) (*http.Response, error) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, body)
	require.NoError(c.t, err)
	resp, err := c.client.Do(req)
	if err == nil {
		require.Equal(c.t, c.protocol, resp.Proto)
	}
	return resp, err
}

// A callerConn reads nothing while its caller is frozen.
type callerConn struct {
	net.Conn
	of *caller
}

func (c callerConn) Read(p []byte) (int, error) {
	if c.of.frozen.Load() {
		<-c.of.thawed
	}
	return c.Conn.Read(p)
}

// TestAStreamOutlivesItsSilences reads a stream in which nothing happens for some minutes.
func TestAStreamOutlivesItsSilences(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		resp, err := serveNode(t, protocol, Options{}).send(http.MethodGet, "/api/v1/events", nil)
		require.NoError(t, err)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for begun := time.Now(); time.Since(begun) < 3*time.Minute; {
			require.True(t, lines.Scan(), "%v after %v", lines.Err(), time.Since(begun))
		}
	})
}

// An auditOf is a store whose audit has a number of pages, -1 for no end, each after a delay.
type auditOf struct {
	xxladapter.Store
	pages int64
	delay time.Duration
}

func (s auditOf) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(s.delay):
	}
	rows := make([]xxladapter.AuditRow, f.Limit)
	if f.AfterID == s.pages*int64(f.Limit) {
		rows = nil
	}
	for i := range rows {
		rows[i].ID = f.AfterID + int64(i) + 1
	}
	return rows, nil
}

// TestACallMayTakeLong makes the store slower than the server waits for a request or for a write.
func TestACallMayTakeLong(t *testing.T) {
	const delay = 5 * time.Minute
	inBothProtocols(t, func(t *testing.T, protocol string) {
		caller := serveNode(t, protocol, Options{
			Store: auditOf{memstore.New(time.Now), 3, delay},
			TakeOver: func(ctx context.Context, _ bool) (*fromxxljob.Report, error) {
				time.Sleep(delay)
				return new(fromxxljob.Report), ctx.Err()
			},
		})
		for _, c := range []struct{ method, path, body string }{
			{http.MethodGet, "/api/v1/audit/export", ""},
			{http.MethodPost, "/api/v1/takeover", ""},
			{http.MethodPost, "/api/v1/takeover", "{}"},
		} {
			resp, err := caller.send(c.method, c.path, strings.NewReader(c.body))
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err, c)
			require.Equal(t, http.StatusOK, resp.StatusCode, "%v: %s", c, body)
			require.NoError(t, resp.Body.Close())
		}
	})
}

// TestACallerThatDoesNotReadIsCutOff begins an export without end. The caller leaves it unread, or
// freezes and reads nothing at all from its connection.
func TestACallerThatDoesNotReadIsCutOff(t *testing.T) {
	for name, frozen := range map[string]bool{"the export": false, "the connection": true} {
		t.Run(name, func(t *testing.T) {
			inBothProtocols(t, func(t *testing.T, protocol string) {
				ended := make(chan struct{})
				caller := serveNode(t, protocol, Options{
					Store: auditOf{memstore.New(time.Now), -1, time.Second},
					Around: func(next http.Handler) http.Handler {
						return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							defer close(ended)
							next.ServeHTTP(w, r)
						})
					},
				})
				resp, err := caller.send(http.MethodGet, "/api/v1/audit/export", nil)
				require.NoError(t, err)
				defer resp.Body.Close()
				caller.frozen.Store(frozen)
				select {
				case <-ended:
				case <-time.After(10 * writeLimit):
					assert.Fail(t, "the server waits")
				}
				close(caller.thawed)
				_, err = io.Copy(io.Discard, resp.Body)
				require.Error(t, err, "a part must not look whole")
			})
		})
	}
}

// A slowBody arrives within a little less than readLimit.
type slowBody struct{ io.Reader }

func (s slowBody) Read(p []byte) (int, error) {
	time.Sleep(readLimit / 110) // of the bubble
	return s.Reader.Read(p[:min(len(p), 1<<10)])
}

// TestASlowCallerSeesItsRefusal refuses a call whose body is still arriving.
func TestASlowCallerSeesItsRefusal(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		caller := serveNode(t, protocol, Options{AccessToken: "a-secret-of-executors"})
		resp, err := caller.send(http.MethodPost, "/api/v1/jobs", slowBody{bytes.NewReader(make([]byte, 100<<10))})
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
		require.NoError(t, resp.Body.Close())
	})
}

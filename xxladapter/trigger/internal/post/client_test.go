package post

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

const limit = 1000 // bytes of a body, in these tests

func newClient(t *testing.T, opts Options) *Client {
	t.Helper()
	if opts.Dial == nil {
		opts.Dial = new(net.Dialer).DialContext
	}
	opts.Idle, opts.MaxBody = 2, limit
	if opts.IdleFor == 0 {
		opts.IdleFor = time.Minute
	}
	c := New(opts)
	t.Cleanup(c.Close)
	return c
}

func call(base, path, body string) *Call {
	return &Call{Base: base, Path: path, Body: []byte(body), Deadline: time.Now().Add(30 * time.Second)}
}

// idle returns how many connections to a peer are kept.
func (c *Client) idle(base string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.peers[base]; p != nil {
		return len(p.idle)
	}
	return 0
}

func TestWhatAServerGets(t *testing.T) {
	type got struct {
		line, host, length, token, body string
		user                            bool
	}
	seen := make(chan got, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		name, password, ok := r.BasicAuth()
		seen <- got{r.Method + " " + r.RequestURI, r.Host, r.Header.Get("Content-Length"), r.Header.Get("Token"), string(body), ok && name == "u" && password == "p"}
		_, _ = io.WriteString(w, "answer")
	}))
	defer srv.Close()
	c := newClient(t, Options{})
	host := strings.TrimPrefix(srv.URL, "http://")
	for _, tt := range []struct{ base, line string }{
		{srv.URL, "POST /run"},
		{srv.URL + "/a b/ü", "POST /a%20b/%C3%BC/run"},
		{strings.Replace(srv.URL, "http://", "http://u:p@", 1), "POST /run"},
	} {
		request := call(tt.base, "/run", "body")
		request.Header = [][2]string{{"Token", "secret"}, {"Empty", ""}}
		a, sent, err := c.Do(t.Context(), request)
		require.NoError(t, err)
		require.True(t, sent)
		require.Equal(t, 200, a.Status)
		require.Equal(t, "6", a.Header.Get("Content-Length"))
		require.Equal(t, "answer", string(a.Body))
		require.Equal(t, got{tt.line, host, "4", "secret", "body", strings.Contains(tt.base, "@")}, <-seen)
	}
}

func TestWhereAPeerIs(t *testing.T) {
	for base, want := range map[string][3]string{ // address, name for TLS, Host header
		"http://host":             {"host:80", "", "host"},
		"https://host":            {"host:443", "host", "host"},
		"http://host:8080/x":      {"host:8080", "", "host:8080"},
		"https://[::1]:1":         {"[::1]:1", "::1", "[::1]:1"},
		"http://[fe80::1%25eth0]": {"[fe80::1%eth0]:80", "", "[fe80::1]"},
		"http://bücher.example:1": {"xn--bcher-kva.example:1", "", "xn--bcher-kva.example:1"},
	} {
		p, head, err := parse(base, "/p")
		require.NoError(t, err, base)
		require.Equal(t, want[0], p.addr, base)
		require.Equal(t, want[1], p.host, base)
		require.Contains(t, string(head), "Host: "+want[2]+"\r\n", base)
	}
	for base, want := range map[string]string{
		"ftp://h":         `post ftp://h/p: scheme is "ftp", must be http or https`,
		"http://":         "post http:///p: host is empty, must be set",
		"host:80":         `scheme is "host", must be http or https`,
		"http://a b":      "invalid character",
		"http://h/\r\nX:": "invalid control character",
	} {
		_, sent, err := newClient(t, Options{}).Do(t.Context(), call(base, "/p", ""))
		require.ErrorContains(t, err, want)
		require.False(t, sent)
	}
}

func TestAHeaderIsOneLine(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	request := call(srv.URL, "", "")
	request.Header = [][2]string{{"Token", "a\r\nX: b"}}
	_, sent, err := newClient(t, Options{}).Do(t.Context(), request)
	require.ErrorContains(t, err, "header Token contains a control character")
	require.False(t, sent)
}

// script starts a server that answers each request with the next text, as it is. A text that ends
// in "CLOSE" closes the connection; an empty one closes it without an answer.
func script(t *testing.T, texts ...string) (base string, conns *atomic.Int64) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	conns = new(atomic.Int64)
	var next atomic.Int64
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	t.Cleanup(func() { _ = ln.Close() })
	serve := func(conn net.Conn) {
		defer conn.Close()
		in := bufio.NewReader(conn)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			text, closes := strings.CutSuffix(texts[next.Add(1)-1], "CLOSE")
			if _, err := io.WriteString(conn, text); err != nil || closes || text == "" {
				return
			}
		}
	}
	serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			serving.Go(func() { serve(conn) })
		}
	})
	return "http://" + ln.Addr().String(), conns
}

func TestHowAResponseIsReadAndWhichConnectionsAreKept(t *testing.T) {
	long := strings.Repeat("x", limit)
	for _, tt := range []struct {
		name, text string
		want       Answer
		kept       int
		err        string
	}{
		{"a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", Answer{Status: 200, Body: []byte("ok")}, 1, ""},
		{"no body", "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", Answer{Status: 500, Body: []byte{}}, 1, ""},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", Answer{Status: 200, Body: []byte("ok")}, 1, ""},
		{"something before", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", Answer{Status: 200, Body: []byte("ok")}, 1, ""},
		{"a redirect", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", Answer{Status: 302, Body: []byte{}}, 1, ""},
		{"all that is permitted", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + long, Answer{Status: 200, Body: []byte(long)}, 1, ""},

		{"to be closed", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", Answer{Status: 200, Body: []byte("ok")}, 0, ""},
		{"an old server", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", Answer{Status: 200, Body: []byte("ok")}, 0, ""},
		{"until the end", "HTTP/1.1 200 OK\r\n\r\nokCLOSE", Answer{Status: 200, Body: []byte("ok")}, 0, ""},
		{"more than was asked for", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200", Answer{Status: 200, Body: []byte("ok")}, 0, ""},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", Answer{Status: 101, Body: []byte{}}, 0, ""},
		{"too much", "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + long + "x", Answer{Status: 200, Body: []byte(long), Cut: true}, 0, ""},
		{"too many chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + long + "x\r\n0\r\n\r\n", Answer{Status: 200, Body: []byte(long), Cut: true}, 0, ""},

		{"nothing", "", Answer{}, 0, "read response: unexpected EOF"},
		{"half a head", "HTTP/1.1 200CLOSE", Answer{}, 0, "read response: unexpected EOF"},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nokCLOSE", Answer{}, 0, "read response: unexpected EOF"},
		{"no HTTP", "hello\r\n\r\nCLOSE", Answer{}, 0, "read response: malformed HTTP"},
		{"an endless head", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("y", maxHead+limit) + "CLOSE", Answer{}, 0, "read response: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, _ := script(t, tt.text)
			c := newClient(t, Options{})
			a, sent, err := c.Do(t.Context(), call(base, "/", "x"))
			require.True(t, sent)
			require.Equal(t, tt.kept, c.idle(base))
			if tt.err != "" {
				require.ErrorContains(t, err, "post "+base+"/: "+tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want.Status, a.Status)
			require.Equal(t, string(tt.want.Body), string(a.Body))
			require.Equal(t, tt.want.Cut, a.Cut)
			c.Close()
		})
	}
}

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestConnectionsAreUsedAgain(t *testing.T) {
	base, conns := script(t, fine, fine, fine)
	c := newClient(t, Options{})
	for range 3 {
		_, _, err := c.Do(t.Context(), call(base, "/", ""))
		require.NoError(t, err)
	}
	require.Equal(t, int64(1), conns.Load())
	c.Close()
	require.Zero(t, c.idle(base))
}

// TestAConnectionThatThePeerClosedIsNotUsed lets a peer close a kept connection, or write to it
// unasked: the next request must not be written to that connection, or nobody would know whether it
// was read.
func TestAConnectionThatThePeerClosedIsNotUsed(t *testing.T) {
	for name, first := range map[string]string{
		"closed":    fine + "CLOSE",
		"said more": fine + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			base, conns := script(t, first, fine)
			c := newClient(t, Options{})
			_, _, err := c.Do(t.Context(), call(base, "/", ""))
			require.NoError(t, err)
			if name == "closed" {
				// The close has to arrive first; the test must not wait for it by reading from the
				// connection.
				require.Eventually(t, func() bool {
					conn := c.take(c.peers[base])
					defer c.keep(c.peers[base], conn)
					return !conn.raw.quiet()
				}, 10*time.Second, time.Millisecond)
			}
			_, sent, err := c.Do(t.Context(), call(base, "/", ""))
			require.NoError(t, err)
			require.True(t, sent)
			require.Equal(t, int64(2), conns.Load())
			c.Close()
		})
	}
}

func TestTheNumberAndTheAgeOfKeptConnectionsAreLimited(t *testing.T) {
	var together sync.WaitGroup
	together.Add(3)
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		together.Done()
		together.Wait()
	}))
	defer srv.Close()
	c := newClient(t, Options{IdleFor: 50 * time.Millisecond})
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() { _, _, _ = c.Do(t.Context(), call(srv.URL, "/", "")) })
	}
	calls.Wait()
	require.LessOrEqual(t, c.idle(srv.URL), 2)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.peers) == 0
	}, 10*time.Second, time.Millisecond)
}

// TestAConnectionThatWasIdleForTooLongIsNotUsedAgain ages a connection that its timer has not
// closed.
func TestAConnectionThatWasIdleForTooLongIsNotUsedAgain(t *testing.T) {
	base, conns := script(t, fine, fine)
	c := newClient(t, Options{IdleFor: time.Hour})
	for i := range int64(2) {
		_, _, err := c.Do(t.Context(), call(base, "/", ""))
		require.NoError(t, err)
		require.Equal(t, 1+i, conns.Load())
		c.mu.Lock()
		c.peers[base].idle[0].since = time.Now().Add(-time.Hour)
		c.mu.Unlock()
	}
	c.Close()
}

func TestWhatWasSentAndWhatWasNot(t *testing.T) {
	c := newClient(t, Options{})
	_, sent, err := c.Do(t.Context(), call("http://"+testserver.Refuses, "/", ""))
	require.ErrorContains(t, err, "connection refused")
	require.False(t, sent)

	base, _ := script(t, fine, fine)
	for range 2 { // on a new connection and on a kept one
		asked := 0
		no := call(base, "/", "")
		no.May = func() bool { asked++; return false }
		_, sent, err = c.Do(t.Context(), no)
		require.ErrorIs(t, err, ErrWithheld)
		require.False(t, sent)
		require.Equal(t, 1, asked)
		_, _, err = c.Do(t.Context(), call(base, "/", ""))
		require.NoError(t, err)
	}
	c.Close()
}

func TestACallEndsWithItsDeadlineAndItsContext(t *testing.T) {
	entered := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer srv.Close()
	c := newClient(t, Options{})
	late := call(srv.URL, "/", "")
	late.Deadline = time.Now().Add(50 * time.Millisecond)
	_, sent, err := c.Do(t.Context(), late)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.True(t, sent)
	<-entered

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	_, sent, err = c.Do(ctx, call(srv.URL, "/", ""))
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, sent)
	require.Zero(t, c.idle(srv.URL))

	_, sent, err = c.Do(ctx, call(srv.URL, "/", "")) // ctx has ended before
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, sent)
}

// TestARefusalOfALargeBodyIsRead lets a server refuse a request, and close the connection, before
// it has read the whole body.
func TestARefusalOfALargeBodyIsRead(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}))
	defer srv.Close()
	a, sent, err := newClient(t, Options{}).Do(t.Context(), call(srv.URL, "/", strings.Repeat("x", 300_000)))
	require.NoError(t, err)
	require.True(t, sent)
	require.Equal(t, http.StatusRequestEntityTooLarge, a.Status)
}

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	c := newClient(t, Options{TLS: &tls.Config{RootCAs: roots}})
	for range 3 {
		a, _, err := c.Do(t.Context(), call(srv.URL, "/", ""))
		require.NoError(t, err)
		require.Equal(t, "ok", string(a.Body))
		require.Equal(t, 1, c.idle(srv.URL))
	}
	no := call(srv.URL, "/", "")
	no.May = func() bool { return false }
	_, sent, err := c.Do(t.Context(), no)
	require.ErrorIs(t, err, ErrWithheld)
	require.False(t, sent)

	_, sent, err = newClient(t, Options{}).Do(t.Context(), call(srv.URL, "/", ""))
	require.ErrorContains(t, err, "certificate")
	require.False(t, sent, "not one byte of the request")
}

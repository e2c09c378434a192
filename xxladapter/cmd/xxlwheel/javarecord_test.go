package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// recordTo makes the tests with XXL-JOB's Java programs record what goes over the wire, for the
// tests of package wire:
//
//	XXLWHEEL_TEST_JAVA=1 XXLWHEEL_TEST_JAVA_ADMIN=FILE go test ./xxladapter/cmd/xxlwheel -run TestJava -count=1 -record ../../wire/testdata/recorded
var recordTo = flag.String("record", "", "`folder` for the traffic of the Java tests; it replaces what is there")

// A recording is a proxy before one server. It keeps the bytes of every connection.
type recording struct {
	t       *testing.T
	ln      net.Listener
	running sync.WaitGroup

	mu    sync.Mutex // guards conns
	conns []*recordedConn
}

// A recordedConn holds the bytes of one connection, in each direction.
type recordedConn struct {
	mu             sync.Mutex // guards both buffers
	request, reply bytes.Buffer
}

// record returns an address that leads to server. When the test ends, the traffic is written to the
// folder of a release and a direction. Without -record it returns the server's own address.
func record(t *testing.T, release, direction, server string) (address string) {
	t.Helper()
	if *recordTo == "" {
		return server
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &recording{t: t, ln: ln}
	host := strings.Trim(strings.TrimPrefix(server, "http://"), "/")
	r.running.Go(func() { r.accept(host) })
	t.Cleanup(func() {
		require.NoError(t, ln.Close())
		r.running.Wait()
		r.write(filepath.Join(*recordTo, release, direction))
	})
	return strings.Replace(server, host, ln.Addr().String(), 1)
}

// accept forwards connections to host until the listener is closed.
func (r *recording) accept(host string) {
	for {
		from, err := r.ln.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", host)
		if err != nil { // the server is gone, which its caller must notice
			_ = from.Close()
			continue
		}
		c := new(recordedConn)
		r.mu.Lock()
		r.conns = append(r.conns, c)
		r.mu.Unlock()
		pass := func(to, from net.Conn, kept *bytes.Buffer) {
			_, _ = io.Copy(io.MultiWriter(to, lockedWriter{&c.mu, kept}), from)
			_, _ = to.Close(), from.Close()
		}
		r.running.Go(func() { pass(to, from, &c.request) })
		r.running.Go(func() { pass(from, to, &c.reply) })
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	to io.Writer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// write stores the first exchange of each kind in a file of its own: the bytes of the request, then
// those of the reply.
func (r *recording) write(folder string) {
	require.NoError(r.t, os.RemoveAll(folder))
	require.NoError(r.t, os.MkdirAll(folder, 0o755))
	seen := map[string]bool{}
	for _, c := range r.conns {
		c.mu.Lock()
		requests, replies := c.request.Bytes(), c.reply.Bytes()
		c.mu.Unlock()
		for len(requests) > 0 && len(replies) > 0 {
			var request, reply, body, answer []byte
			var name string
			request, requests = cut(r.t, requests, func(b *bufio.Reader) io.ReadCloser {
				req, err := http.ReadRequest(b)
				require.NoError(r.t, err)
				name = path.Base(req.URL.Path)
				return req.Body
			}, &body)
			reply, replies = cut(r.t, replies, func(b *bufio.Reader) io.ReadCloser {
				resp, err := http.ReadResponse(b, nil)
				require.NoError(r.t, err)
				return resp.Body
			}, &answer)
			if kind := kindOf(r.t, name, body, answer); !seen[kind] {
				seen[kind] = true
				require.NoError(r.t, os.WriteFile(filepath.Join(folder, kind+".http"), append(request, reply...), 0o644))
			}
		}
	}
	require.NotEmpty(r.t, seen, folder)
}

// cut splits the first message off a stream and stores its body.
func cut(t *testing.T, stream []byte, read func(*bufio.Reader) io.ReadCloser, body *[]byte) (message, rest []byte) {
	t.Helper()
	left := bytes.NewReader(stream)
	b := bufio.NewReader(left)
	data, err := io.ReadAll(read(b))
	require.NoError(t, err)
	*body = data
	n := len(stream) - left.Len() - b.Buffered()
	return bytes.Clone(stream[:n]), stream[n:]
}

// kindOf returns the name of an exchange: its operation, and what distinguishes its reply or its
// result.
func kindOf(t *testing.T, operation string, body, answer []byte) string {
	t.Helper()
	reply, err := wire.DecodeReply(answer)
	require.NoError(t, err, string(answer))
	kind := fmt.Sprint(operation, "-", reply.Code)
	var callbacks wire.Callbacks
	switch {
	case operation == "callback" && wire.Decode(body, &callbacks) == nil && len(callbacks) > 0:
		kind += fmt.Sprint("-of-", callbacks[0].HandleCode)
	case strings.Contains(reply.Msg, wire.MsgWrongToken):
		kind += "-token"
	case strings.Contains(reply.Msg, wire.MsgBusy):
		kind += "-busy"
	case bytes.Contains(answer, []byte(wire.MsgNoLogFile)):
		kind += "-missing"
	case strings.Contains(reply.Msg, wire.MsgDiscardLater):
		kind += "-discarded"
	}
	return kind
}

package node

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A pipeListener accepts what is dialled in a bubble.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// dial connects to the listener, or fails once it is closed: a client may dial while it closes.
func (l *pipeListener) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// TestAStopDoesNotWaitForSilentConnections stops a node to which a client keeps a connection in
// reserve.
func TestAStopDoesNotWaitForSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, err := New(Options{Store: memstore.New(time.Now), Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		ln := &pipeListener{make(chan net.Conn), make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Serve(ctx, ln) }()
		silent, err := ln.dial()
		require.NoError(t, err)
		defer silent.Close()
		synctest.Wait()

		stop()
		stopped := time.Now()
		require.NoError(t, <-ended)
		require.Less(t, time.Since(stopped), 100*time.Millisecond)
		_, err = silent.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	})
}

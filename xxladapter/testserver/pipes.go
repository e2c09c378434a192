package testserver

import (
	"context"
	"net"
)

// Pipes listens for connections in memory. In a bubble of [testing/synctest], goroutines that wait
// for such a connection count as blocked; those that wait for a socket do not. Make one with
// [NewPipes].
type Pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

// NewPipes returns a listener. A listener for a bubble must be made in that bubble.
func NewPipes() *Pipes { return &Pipes{make(chan net.Conn), make(chan struct{})} }

// Dial connects to the listener, whatever the network and the address are. It waits until the
// connection is accepted; the error is [net.ErrClosed] after Close, or that of ctx.
func (p *Pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements [net.Listener].
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]. It may be called once, and leaves accepted connections open.
func (p *Pipes) Close() error { close(p.closed); return nil }

// Addr returns an address of this machine. Pipes takes no connections there.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

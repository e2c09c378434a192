package trigger

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// errWithheld is why a request was not sent: the node was not sure any more of
// the lease under which the fire was claimed.
var errWithheld = errors.New("trigger: not sent, the node cannot rely on its lease any more")

// guardKey is the context key of a func() bool.
type guardKey struct{}

// sendOnlyIf makes calls with the context ask may at the last moment. If that
// says no, no more is sent and the call fails with errWithheld.
func sendOnlyIf(ctx context.Context, may func() bool) context.Context {
	return context.WithValue(ctx, guardKey{}, may)
}

// A guard is asked before each write of one call.
type guard struct {
	may      func() bool
	withheld atomic.Bool // it said no; the executor has no whole request to act on
}

// guardOf is the guard of a call with this context; nil if there is none.
func guardOf(ctx context.Context) *guard {
	if may, ok := ctx.Value(guardKey{}).(func() bool); ok {
		return &guard{may: may}
	}
	return nil
}

// A guardedConn asks the guard of the call that has the connection before each
// write to the socket. What a process sends that freezes between the two, when
// it wakes, is the window that remains (see DESIGN.md of package scheduler).
type guardedConn struct {
	net.Conn
	guard atomic.Pointer[guard] // nil: anything may be written
}

// guardConn gives the connection, or the one below its TLS, to a call.
func guardConn(conn net.Conn, g *guard) {
	if layer, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = layer.NetConn()
	}
	if guarded, ok := conn.(*guardedConn); ok {
		guarded.guard.Store(g)
	}
}

func (c *guardedConn) Write(p []byte) (int, error) {
	if g := c.guard.Load(); g != nil && !g.may() {
		g.withheld.Store(true)
		return 0, errWithheld
	}
	return c.Conn.Write(p)
}

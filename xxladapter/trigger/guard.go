package trigger

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// errWithheld says that a request was not sent because the node could no longer rely on the lease
// under which the fire was claimed.
var errWithheld = errors.New("trigger: not sent, the node can no longer rely on its lease")

// guardKey is the context key of a func() bool.
type guardKey struct{}

// sendOnlyIf returns a context whose calls ask may before each write. If it returns false, nothing
// more is sent and the call fails with errWithheld.
func sendOnlyIf(ctx context.Context, may func() bool) context.Context {
	return context.WithValue(ctx, guardKey{}, may)
}

// A guard is asked before each write of one call.
type guard struct {
	may      func() bool
	withheld atomic.Bool // it said no; the executor has no whole request to act on
}

// guardOf returns the guard of a call with this context, or nil.
func guardOf(ctx context.Context) *guard {
	if may, ok := ctx.Value(guardKey{}).(func() bool); ok {
		return &guard{may: may}
	}
	return nil
}

// A guardedConn asks the guard of its current call before each write to the socket. What remains is
// a process that freezes between the two and sends when it wakes (see DESIGN.md of package
// scheduler).
type guardedConn struct {
	net.Conn
	guard atomic.Pointer[guard] // nil means that anything may be written
}

// guardConn assigns the connection, or the one below its TLS, to a call.
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

package elect

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"
)

// Dial connects to one of the servers, with TLS if the address has it.
func (a Address) Dial(ctx context.Context, host string) (net.Conn, error) {
	if a.TLS != nil {
		return (&tls.Dialer{Config: a.TLS}).DialContext(ctx, "tcp", host)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", host)
}

// Reach connects to the first server that answers, and closes the connection. Each server has an
// equal part of the time that is left, so one that drops packets does not use up all of it. If no
// server answers, the error says in one line why the first one does not. The clients of
// coordinators retry silently, so call Reach before you create one.
//
// REQUIRES: a has a host.
func (a Address) Reach(ctx context.Context) error {
	var first error
	for i, host := range a.Hosts {
		part, cancel := partOf(ctx, len(a.Hosts)-i)
		conn, err := a.Dial(part, host)
		cancel()
		if err == nil {
			return conn.Close()
		}
		if first == nil {
			first = err
		}
	}
	return fmt.Errorf("elector %s does not answer: %w", a, first)
}

// partOf returns a context that ends after the nth part of the time that ctx has left.
func partOf(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(n))
}

package elect

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
)

// Dial connects to one of the servers, with TLS if the address has it.
func (a Address) Dial(ctx context.Context, host string) (net.Conn, error) {
	if a.TLS != nil {
		return (&tls.Dialer{Config: a.TLS}).DialContext(ctx, "tcp", host)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", host)
}

// Reach connects to the first server that answers, and closes the connection. If no server answers,
// the error says in one line why the first one does not. REQUIRES: a has a host. The clients of
// coordinators retry silently, so call Reach before you create one.
func (a Address) Reach(ctx context.Context) error {
	var first error
	for _, host := range a.Hosts {
		conn, err := a.Dial(ctx, host)
		if err == nil {
			return conn.Close()
		}
		if first == nil {
			first = err
		}
	}
	return fmt.Errorf("elector %s does not answer: %w", a, first)
}

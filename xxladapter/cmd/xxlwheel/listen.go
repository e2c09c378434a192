package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	webconsole "github.com/xxlwheel/xxlwheel/xxladapter/console"
)

// listen opens the port of a --listen flag.
func listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--listen is %s, must be a free port: address already in use", addr)
	case err != nil:
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		var sys *os.SyscallError
		if errors.As(err, &sys) {
			err = sys.Err
		}
		return nil, fmt.Errorf("--listen is %q, must be host:port: %w", addr, err)
	}
	return ln, nil
}

// checkListener refuses to open a port to other machines without a secret.
func checkListener(addr, token string, allowDefault bool, others ...access.Secret) error {
	err := access.CheckListener(addr, allowDefault, access.Secret{Setting: "--access-token", Token: token}, others...)
	switch {
	case err != nil && token == access.DefaultToken:
		return usagef("%v (--allow-default-token overrides)", err)
	case err != nil:
		return usagef("%v", err)
	}
	return nil
}

// consoleURL returns the URL at which a browser on this machine finds the console that is served at
// an address.
func consoleURL(scheme string, at net.Addr) string {
	host := at.String()
	if bound, err := netip.ParseAddrPort(host); err == nil && bound.Addr().IsUnspecified() {
		host = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), bound.Port()).String()
	}
	return scheme + host + webconsole.Base
}

// Package daemon has the flags and steps that long-running commands share: serve, executor and
// demo. They are about ports, TLS, the log, telemetry, a broker and the service manager.
package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	webconsole "github.com/xxlwheel/xxlwheel/xxladapter/console"
)

// Listen opens the port that a flag such as --listen names.
func Listen(flag, addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is %s, must be a free port: address already in use", flag, addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s is %s, must be an address of this machine", flag, addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s is %s, must be a port that this user may open: permission denied", flag, addr)
	case err != nil:
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		var sys *os.SyscallError
		if errors.As(err, &sys) {
			err = sys.Err
		}
		return nil, fmt.Errorf("%s is %q, must be host:port: %w", flag, addr, err)
	}
	return ln, nil
}

// CheckAddress refuses an address that a flag such as --listen cannot have, before anything is
// opened.
func CheckAddress(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return command.Usagef("%s is %q, must be host:port: %v", flag, addr, err)
	}
	return nil
}

// CheckListener refuses a --listen that is no address, or that would open a port to other machines
// without a secret.
func CheckListener(addr, token string, allowDefault bool, others ...access.Secret) error {
	if err := CheckAddress("--listen", addr); err != nil {
		return err
	}
	err := access.CheckListener(addr, allowDefault, access.Secret{Setting: "--access-token", Token: token}, others...)
	switch {
	case err != nil && token == access.DefaultToken:
		return command.Usagef("%v (--allow-default-token overrides)", err)
	case err != nil:
		return command.Usagef("%v", err)
	}
	return nil
}

// ConsoleURL returns the URL at which a browser on this machine finds the console that is served at
// an address.
func ConsoleURL(scheme string, at net.Addr) string {
	host := at.String()
	if bound, err := netip.ParseAddrPort(host); err == nil && bound.Addr().IsUnspecified() {
		host = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), bound.Port()).String()
	}
	return scheme + host + webconsole.Base
}

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
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

// isLoopback reports whether only this machine can reach a listener on addr.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// wellKnownToken stands in every sample configuration of XXL-JOB.
const wellKnownToken = "default_token"

// checkToken refuses to open a port to other machines without a secret.
func checkToken(listen, token string, allowWeak bool) error {
	if allowWeak || isLoopback(listen) {
		return nil
	}
	switch token {
	case "":
		return usagef("--access-token is empty, must be set to listen on %s, which other machines can reach (--allow-weak-token overrides)", listen)
	case wellKnownToken:
		return usagef("--access-token is %s, which everybody knows, must be another one to listen on %s (--allow-weak-token overrides)", token, listen)
	}
	return nil
}

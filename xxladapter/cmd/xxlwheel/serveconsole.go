package main

import (
	"net"
	"net/netip"

	webconsole "github.com/xxlwheel/xxlwheel/xxladapter/console"
)

// console returns the web console, or nil with --no-console.
func (c *serveCmd) console() (*webconsole.Console, error) {
	if c.NoConsole {
		if c.ConsoleDir != "" {
			return nil, usagef("--console-dir is %q, must not be together with --no-console", c.ConsoleDir)
		}
		return nil, nil
	}
	pages, err := webconsole.New(webconsole.Options{Dir: c.ConsoleDir})
	if err != nil {
		return nil, usagef("--console-dir is %q, must be a folder with index.html", c.ConsoleDir)
	}
	return pages, nil
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

package alarm

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// A Guard limits where alarms may be posted to, so that a person who may configure a webhook cannot
// use it to reach what only the scheduler's machine can reach. The zero value allows every host
// with a public address.
type Guard struct {
	// Hosts lists the only host names allowed in a URL: "example.org", or "*.example.org" for all
	// names below it. Empty allows any.
	Hosts []string
	// Nets lists networks that may be reached although they are not public.
	Nets []netip.Prefix
	// Private allows loopback and private networks. Link-local addresses, where clouds serve their
	// metadata, need Nets.
	Private bool
}

var (
	privateNets = prefixes(
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "127.0.0.0/8", "::1/128",
	)
	// closedNets lists what only Nets allows, in addition to [access.IsMetadata]: this network;
	// link-local addresses, among them most clouds' metadata; protocol assignments; multicast;
	// reserved networks.
	closedNets = prefixes("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/128",
		"fe80::/10", "fec0::/10", "ff00::/8")
)

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// checkHost checks the host of a URL by its name.
func (g *Guard) checkHost(host string) error {
	if len(g.Hosts) == 0 {
		return nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, allowed := range g.Hosts {
		allowed = strings.ToLower(allowed)
		if host == allowed || strings.HasPrefix(allowed, "*.") && strings.HasSuffix(host, allowed[1:]) {
			return nil
		}
	}
	return fmt.Errorf("host %s is not among the allowed hosts of alarms", host)
}

// checkAddr checks the address that a connection is about to be made to.
func (g *Guard) checkAddr(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	in := func(net netip.Prefix) bool { return net.Contains(addr) }
	switch {
	case access.Within(addr, g.Nets):
		return nil
	case slices.ContainsFunc(closedNets, in), access.IsMetadata(addr):
		return fmt.Errorf("address %s is link-local, metadata or reserved: not allowed", addr)
	case slices.ContainsFunc(privateNets, in):
		if g.Private {
			return nil
		}
		return fmt.Errorf("address %s is loopback or private: not allowed", addr)
	}
	for _, carried := range access.CarriedBy(addr) {
		if err := g.checkAddr(carried); err != nil {
			return err
		}
	}
	return nil
}

// control checks the resolved address of each connection, so a name that resolves differently the
// second time gains nothing.
func (g *Guard) control(_, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return finalf("address %s: %w", address, err)
	}
	if err := g.checkAddr(addr.Addr()); err != nil {
		return &finalError{err}
	}
	return nil
}

// client returns an HTTP client that obeys the guard. It follows no redirects, and uses no proxy,
// which would make the connection in its place.
func (g *Guard) client() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: g.control}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         dialer.DialContext,
			TLSHandshakeTimeout: 5 * time.Second,
			ForceAttemptHTTP2:   true,
			MaxIdleConns:        2,
			IdleConnTimeout:     30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

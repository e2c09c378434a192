package access

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Addresses says which addresses the scheduler may be told to call, so that
// nobody can use it to reach what he cannot reach himself. The zero value
// forbids what is never an executor: link-local addresses, where clouds serve
// their machines' secrets, multicast, and the scheduler itself. Its methods may
// be called from any goroutine.
type Addresses struct {
	// Allow is where executors may be; empty: everywhere else. An address in it
	// may also be called without being registered. It must not be changed.
	Allow []netip.Prefix

	mu  sync.RWMutex
	own []netip.AddrPort // where this process listens
}

// metadata are the addresses outside of the link-local ranges at which clouds
// serve their machines' secrets.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),   // Amazon
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("192.0.0.192"),     // Oracle
	netip.MustParseAddr("168.63.129.16"),   // Azure
}

// ParsePrefixes reads an allow list: networks such as 10.0.0.0/8, or single
// addresses.
func ParsePrefixes(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil {
				return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// Serve notes an address that this process listens on, which is then never
// called. The address of all interfaces stands for each of them.
func (a *Addresses) Serve(listener net.Addr) {
	addr, err := netip.ParseAddrPort(listener.String())
	if err != nil {
		return
	}
	own := []netip.AddrPort{unmap(addr)}
	if addr.Addr().IsUnspecified() {
		own = nil
		interfaces, _ := net.InterfaceAddrs()
		for _, i := range interfaces {
			if prefix, err := netip.ParsePrefix(i.String()); err == nil {
				own = append(own, unmap(netip.AddrPortFrom(prefix.Addr(), addr.Port())))
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.own = append(a.own, own...)
}

// CheckURL refuses an executor's URL that must not be called, as far as its text
// tells. What a host name stands for is known only when it is called; see
// [Addresses.CheckDial].
func (a *Addresses) CheckURL(field, text string) error {
	if err := xxladapter.CheckAddress(field, text); err != nil {
		return err
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return xxladapter.Invalidf("%s contains %q, must be http://host:port or https://host:port", field, text)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return xxladapter.Invalidf("%s contains %q, must have a port from 1 to 65535", field, text)
		}
	}
	addr, ok := literal(u)
	if !ok {
		return nil
	}
	if err := a.CheckDial(addr); err != nil {
		return xxladapter.Invalidf("%s contains %q, must be an executor: %v", field, text, err)
	}
	return nil
}

// Allows reports whether the allow list names the address of a URL.
func (a *Addresses) Allows(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, ok := literal(u)
	return ok && a.allowed(addr.Addr()) && a.CheckDial(addr) == nil
}

// CheckDial refuses a connection, by where it really goes to.
func (a *Addresses) CheckDial(addr netip.AddrPort) error {
	addr = unmap(addr)
	ip := addr.Addr()
	switch {
	case ip.IsUnspecified(), ip.IsMulticast():
		return fmt.Errorf("%s is not the address of a machine", ip)
	case ip.IsLinkLocalUnicast(), slices.Contains(metadata, ip):
		return fmt.Errorf("%s is link-local or a cloud's metadata service", ip)
	case len(a.Allow) > 0 && !a.allowed(ip):
		return fmt.Errorf("%s is not in the allowed networks", ip)
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if slices.Contains(a.own, addr) {
		return fmt.Errorf("%s is the scheduler itself", addr)
	}
	return nil
}

func (a *Addresses) allowed(ip netip.Addr) bool {
	return slices.ContainsFunc(a.Allow, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}

// literal is the address of a URL whose host is one in digits.
func literal(u *url.URL) (netip.AddrPort, bool) {
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return netip.AddrPort{}, false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		port = map[string]uint64{"http": 80, "https": 443}[u.Scheme]
	}
	return netip.AddrPortFrom(ip, uint16(port)), true
}

// unmap makes IPv4 in IPv6's clothes, and addresses with a zone, comparable.
func unmap(addr netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(addr.Addr().Unmap().WithZone(""), addr.Port())
}

// bare is an address as lists of them compare it.
func bare(addr string) string { return strings.TrimSuffix(addr, "/") }

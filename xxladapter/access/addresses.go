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
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Addresses decides which addresses callers may make the scheduler call, so that it cannot be used
// to reach what its user cannot reach directly. The zero value forbids what is never an executor:
// link-local addresses and others at which clouds serve their machines' secrets, unspecified and
// multicast addresses, and the scheduler itself. Its methods may be called from any goroutine.
type Addresses struct {
	// Allow lists the networks that executors may be in; empty means all that are not forbidden. An
	// address in a listed network may also be called without being registered. The list must not be
	// changed.
	Allow []netip.Prefix

	mu        sync.RWMutex     // guards the fields below
	listening []netip.AddrPort // the addresses that this process listens on
	wildcards []uint16         // the ports on which it listens on all interfaces
}

// ParsePrefixes parses an allow list of networks such as 10.0.0.0/8 and single addresses. Networks
// of IPv4 addresses in IPv6 become IPv4.
func ParsePrefixes(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, _ := netip.ParseAddr(text)
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if addr := prefix.Addr(); addr.Is4In6() {
			prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96) // invalid below 96 bits
		}
		if !prefix.IsValid() {
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// Serve records an address that this process listens on, so that it is never called. The
// unspecified address stands for the addresses of all interfaces, and for every loopback address:
// the loopback interface has all of 127.0.0.0/8, although it lists one address only.
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
	a.listening = append(a.listening, own...)
	if addr.Addr().IsUnspecified() {
		a.wildcards = append(a.wildcards, addr.Port())
	}
}

// CheckURL refuses an executor's URL that must not be called, as far as its text shows. A host name
// is resolved only when it is called; see [Addresses.CheckDial].
func (a *Addresses) CheckURL(field, text string) error {
	if err := xxladapter.CheckAddress(field, text); err != nil {
		return err
	}
	if xxladapter.IsQueueAddress(text) {
		return nil // nothing connects to it
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return xxladapter.Invalidf(errorrule.ExecutorURL, "%s contains %q, must be http://host:port or https://host:port",
			field, text)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return xxladapter.Invalidf(errorrule.ExecutorPort, "%s contains %q, must have a port from 1 to 65535",
				field, text)
		}
	}
	addr, ok := literal(u)
	if !ok {
		return nil
	}
	if err := a.CheckDial(addr); err != nil {
		return xxladapter.Invalidf(errorrule.Executor, "%s contains %q, must be an executor: %v", field, text, err)
	}
	return nil
}

// Allows reports whether the allow list contains the address in a URL, and [Addresses.CheckDial]
// accepts it. It is false for a host name.
func (a *Addresses) Allows(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, ok := literal(u)
	return ok && a.allowed(addr.Addr()) && a.CheckDial(addr) == nil
}

// CheckDial refuses a connection by the address that it is really made to.
func (a *Addresses) CheckDial(addr netip.AddrPort) error {
	addr = unmap(addr)
	ip := addr.Addr()
	if err := checkMachine(ip); err != nil {
		return err
	}
	for _, carried := range CarriedBy(ip) {
		if err := checkMachine(carried); err != nil {
			return fmt.Errorf("%s stands for %s: %w", ip, carried, err)
		}
	}
	if len(a.Allow) > 0 && !a.allowed(ip) {
		return fmt.Errorf("%s is not in the allowed networks", ip)
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if slices.Contains(a.listening, addr) || ip.IsLoopback() && slices.Contains(a.wildcards, addr.Port()) {
		return fmt.Errorf("%s is the scheduler itself", addr)
	}
	return nil
}

// checkMachine refuses what is never the address of an executor's machine.
func checkMachine(ip netip.Addr) error {
	switch {
	case ip.IsUnspecified(), ip.IsMulticast():
		return fmt.Errorf("%s is not the address of a machine", ip)
	case ip.IsLinkLocalUnicast(), IsMetadata(ip):
		return fmt.Errorf("%s is link-local or a cloud's metadata service", ip)
	}
	return nil
}

func (a *Addresses) allowed(ip netip.Addr) bool { return Within(ip, a.Allow) }

// Within reports whether an address is in one of some networks. Networks and addresses of IPv4 may
// also have the form of IPv6, as ::ffff:10.0.0.0/104 has; the zone of such an address is ignored.
// Any other address with a zone is in none.
func Within(ip netip.Addr, networks []netip.Prefix) bool {
	plain, mapped := ip.Unmap(), netip.AddrFrom16(ip.As16())
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool {
		return p.Contains(plain) || p.Addr().Is4In6() && p.Bits() >= 96 && p.Contains(mapped)
	})
}

// literal returns the address in a URL whose host is an IP address.
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

// unmap normalizes an address for comparison: IPv4 in IPv6 becomes IPv4, and the zone is removed.
func unmap(addr netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(addr.Addr().Unmap().WithZone(""), addr.Port())
}

// bare returns an address without its trailing slash, the form in which addresses are compared.
func bare(addr string) string { return strings.TrimSuffix(addr, "/") }

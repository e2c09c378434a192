package access

import (
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Pages refuses requests that a foreign web page makes a user's browser send to a port that the
// user can reach and the page's author cannot. Create it with [NewPages]. Its methods may be called
// from any goroutine.
type Pages struct {
	crossOrigin *http.CrossOriginProtection
	open        bool
	anyAddress  bool // every IP address is accepted as a name of this machine
	hosts       []string
	setting     string
}

// PagesOptions configures [Pages].
type PagesOptions struct {
	// Open says that requests need no token. A page whose own name resolves to this machine (DNS
	// rebinding) is of the same origin, and without a token only the name in the Host header
	// reveals it. False means that the Host header is not checked.
	Open bool
	// Listen is the host:port to listen on. Its host is accepted as a name of this machine. If it
	// stands for all interfaces, every IP address is accepted, since a page cannot rebind an
	// address. Empty accepts only localhost, loopback addresses and Hosts.
	Listen string
	// Hosts are additional accepted names; a port in one is ignored. Nil adds none.
	Hosts []string
	// Setting names the setting of Hosts in errors.
	Setting string
}

// NewPages returns the rule for one listener.
func NewPages(o PagesOptions) *Pages {
	p := &Pages{crossOrigin: http.NewCrossOriginProtection(), open: o.Open, setting: o.Setting}
	for _, host := range o.Hosts {
		p.hosts = append(p.hosts, hostName(host))
	}
	if host, _, err := net.SplitHostPort(o.Listen); err == nil {
		ip, err := netip.ParseAddr(host)
		if p.anyAddress = host == "" || err == nil && ip.IsUnspecified(); !p.anyAddress {
			p.hosts = append(p.hosts, hostName(host))
		}
	}
	return p
}

// Check returns an error if a request may come from a foreign page.
func (p *Pages) Check(r *http.Request) error {
	if err := p.crossOrigin.Check(r); err != nil {
		return err
	}
	if !p.open {
		return nil // no page knows the token
	}
	if !p.named(r.Host) {
		return fmt.Errorf(
			"the Host header is %q, must be localhost, a loopback address or in %s", r.Host, p.setting,
		)
	}
	// This is the only type with which a form can send JSON; the browser marks requests of scripts
	// by the Origin header.
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "text/plain" {
		return fmt.Errorf("the Content-Type is text/plain, must be application/json")
	}
	return nil
}

// named reports whether a Host header is accepted as a name of this machine. Browsers always send
// one.
func (p *Pages) named(host string) bool {
	if host == "" {
		return true
	}
	name := hostName(host)
	if name == "localhost" || slices.Contains(p.hosts, name) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (p.anyAddress || ip.Unmap().IsLoopback())
}

// hostName returns the name or address in host, host:port, [address] or [address]:port, normalized
// for comparison.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

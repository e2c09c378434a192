package access

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ErrNoInterface means that [OwnURL] found no interface with a suitable address.
var ErrNoInterface = errors.New("access: no network interface has a suitable address")

// OwnURL returns the URL, without a trailing slash, at which others reach a listener. listen is the
// address that was asked for, and bound the one that it got. The host is that of listen or, if that
// stands for all interfaces, an address of this machine.
func OwnURL(listen string, bound net.Addr, tls bool) (string, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(bound.String())
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = interfaceHost(); err != nil {
			return "", err
		}
	}
	scheme := "http://"
	if tls {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port), nil
}

// CheckBase refuses a text that is not an http or https URL with only a host, and one whose address
// is not that of one machine. The error names the setting that the text is from.
func CheckBase(setting, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.TrimSuffix(u.Path, "/") != "" || strings.ContainsAny(text, "?#") ||
		len(text) > xxladapter.MaxNodeAddress {
		return fmt.Errorf("%s is %q, must be http://HOST:PORT or https://HOST:PORT", setting, text)
	}
	if addr, ok := literal(u); ok && (addr.Addr().IsUnspecified() || addr.Addr().IsMulticast()) {
		return fmt.Errorf("%s is %q, must have the address of one machine", setting, text)
	}
	return nil
}

// CheckPublic refuses a text that is not the address of a server for browsers: an http or https URL
// with a host and maybe a path. The error names the setting that the text is from.
func CheckPublic(setting, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s is %q, must be an address such as https://jobs.example.org/xxl", setting, text)
	}
	return nil
}

// interfaceHost returns the address of the first interface that is up and not loopback. It prefers
// interfaces whose names are not those of bridges and tunnels of containers and virtual machines on
// this host, and IPv4 to IPv6; public and private addresses count alike. XXL-JOB: IpUtil since
// 3.0.0.
func interfaceHost() (string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return "", fmt.Errorf("list network interfaces: %w", err)
	}
	var fallback string
	for _, virtual := range []bool{false, true} {
		for _, i := range all {
			if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 || isVirtual(i.Name) != virtual {
				continue
			}
			addrs, err := i.Addrs()
			if err != nil {
				continue
			}
			for _, a := range addrs {
				ipNet, ok := a.(*net.IPNet)
				if !ok || !ipNet.IP.IsGlobalUnicast() {
					continue
				}
				if ipNet.IP.To4() != nil {
					return ipNet.IP.String(), nil
				}
				if fallback == "" {
					fallback = ipNet.IP.String()
				}
			}
		}
	}
	if fallback == "" {
		return "", ErrNoInterface
	}
	return fallback, nil
}

func isVirtual(name string) bool {
	for _, prefix := range []string{
		"docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "cni", "flannel", "tun", "tap",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

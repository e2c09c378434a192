package executor

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// findAddress returns the address to register: the configured one exactly as it is, or
// http://host:port/ (https:// with TLS), with the trailing slash that Java executors have.
func (e *Executor) findAddress(l net.Listener) (string, error) {
	if e.opts.Address != "" || l == nil {
		return e.opts.Address, nil
	}
	host, _, err := net.SplitHostPort(e.opts.Listen)
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = interfaceHost(); err != nil {
			return "", err
		}
	}
	scheme := "http://"
	if e.opts.serverTLS != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port) + "/", nil
}

var errNoInterface = errors.New("executor: no network interface has a suitable address; set Options.Address")

// interfaceHost returns the address of the first interface that is up and not loopback. It prefers
// interfaces whose names are not those of bridges and tunnels of containers and virtual machines on
// this host, and IPv4 to IPv6; public and private addresses count alike. XXL-JOB: IpUtil since
// 3.0.0.
func interfaceHost() (string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return "", fmt.Errorf("executor: list network interfaces: %w", err)
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
		return "", errNoInterface
	}
	return fallback, nil
}

func isVirtual(name string) bool {
	for _, prefix := range []string{"docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "cni", "flannel", "tun", "tap"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

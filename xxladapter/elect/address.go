package elect

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// An Address says where a coordinator is, and at which place in it processes campaign.
type Address struct {
	Scheme         string   // etcd or zookeeper
	Hosts          []string // host:port of each server
	User, Password string   // empty means none
	// Path is the place, with one slash at its beginning and none at its end.
	Path string
	// TLS configures encrypted connections; nil means plain ones.
	TLS *tls.Config
}

// ports are the default ports, by scheme.
var ports = map[string]string{"etcd": "2379", "zookeeper": "2181"}

// ParseAddress parses SCHEME://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/PATH. The scheme is
// etcd or zookeeper; with an s at the end of the scheme, connections are encrypted and trust the
// authorities of the system. The error does not show secrets.
func ParseAddress(text string) (Address, error) {
	wrong := errors.New("elector must be etcd:// or zookeeper://, then [USER:PASSWORD@]HOST:PORT[,HOST:PORT]/PATH; etcds:// and zookeepers:// use TLS")
	// Package url accepts only one host. So it parses the URL with the first host, and then each
	// host by itself.
	before, hosts, after := splitHosts(strings.TrimSpace(text))
	u, err := url.Parse(before + hosts[0] + after)
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return Address{}, wrong
	}
	a := Address{Scheme: strings.TrimSuffix(u.Scheme, "s"), Path: "/" + strings.Trim(u.Path, "/")}
	port, known := ports[a.Scheme]
	if !known {
		return Address{}, wrong
	}
	if a.Scheme != u.Scheme {
		a.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if a.Path == "/" || strings.Contains(a.Path, "//") || strings.ContainsAny(a.Path, "\x00 \t\r\n") {
		return Address{}, errors.New("elector must name a path after its hosts, such as /xxlwheel, which all schedulers of a store share and no others")
	}
	for _, host := range hosts {
		if one, err := url.Parse("//" + host); err != nil || one.Host == "" || one.Host != host {
			return Address{}, wrong
		}
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
		a.Hosts = append(a.Hosts, host)
	}
	a.User = u.User.Username()
	a.Password, _ = u.User.Password()
	if (a.User == "") != (a.Password == "") {
		return Address{}, errors.New("elector must have both a user and a password, or neither")
	}
	return a, nil
}

// splitHosts returns the hosts, and what stands before and after them.
func splitHosts(text string) (before string, hosts []string, after string) {
	scheme, rest, _ := strings.Cut(text, "://")
	authority, path, found := strings.Cut(rest, "/")
	if found {
		after = "/" + path
	}
	user := strings.LastIndex(authority, "@") + 1
	return scheme + "://" + authority[:user], strings.Split(authority[user:], ","), after
}

// String returns the address without secrets.
func (a Address) String() string {
	s := ""
	if a.TLS != nil {
		s = "s"
	}
	return fmt.Sprintf("%s%s://%s%s", a.Scheme, s, strings.Join(a.Hosts, ","), a.Path)
}

package redisstore

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// The ports of hosts that are given without one.
const (
	sentinelPort = "26379"
	nodePort     = "6379"
)

// An address says where Redis is.
type address struct {
	hosts   []string // of the sentinels, of nodes of the cluster, or of the one server
	name    string   // the primary's name; empty if there are no sentinels
	cluster bool
	// server and sentinel return the client's options for a host.
	server, sentinel func(host string) (*redis.Options, error)
}

// parse reads the URL of a Redis. The error contains no password.
func parse(place string) (*address, error) {
	one, hosts := cutHosts(place)
	u, err := url.Parse(one)
	if err == nil {
		if scheme, sentinels := strings.CutSuffix(u.Scheme, "+sentinel"); sentinels {
			u.Scheme = scheme
			return parseSentinels(place, u, hosts)
		}
		if scheme, nodes := strings.CutSuffix(u.Scheme, "+cluster"); nodes {
			u.Scheme = scheme
			return parseCluster(place, u, hosts)
		}
	}
	opts, err := redis.ParseURL(place)
	if err != nil || opts.Network == "unix" && !strings.HasPrefix(place, "unix://") {
		return nil, xxladapter.Invalidf(errorrule.RedisPlace,
			"%s is %q, must be redis://USER:PASSWORD@HOST:PORT/DB, "+
				"redis+sentinel://USER:PASSWORD@HOST1:PORT,HOST2:PORT/NAME/DB or "+
				"redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, or with TLS rediss:// in place of redis:// and "+
				"so on",
			"redis", redacted(place))
	}
	return &address{hosts: hosts, server: func(string) (*redis.Options, error) { return opts, nil }}, nil
}

// parseSentinels reads the URL of sentinels. u is the URL with the first host only, and with a
// scheme that the client knows.
func parseSentinels(place string, u *url.URL, hosts []string) (*address, error) {
	wrong := func(why string) error {
		return xxladapter.Invalidf(errorrule.RedisPlace,
			"%s is %q, must be redis+sentinel://USER:PASSWORD@HOST1:PORT,HOST2:PORT/NAME/DB, or rediss+sentinel:// "+
				"with TLS: %s",
			"redis", redacted(place), why)
	}
	if !withPorts(hosts, sentinelPort) {
		return nil, wrong(wrongHost)
	}
	name, database, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if name == "" {
		return nil, wrong("the primary's NAME is missing")
	}
	query := u.Query()
	user, password := query.Get("sentinel_user"), query.Get("sentinel_password")
	query.Del("sentinel_user")
	query.Del("sentinel_password")
	options := func(login *url.Userinfo, host, path string) (*redis.Options, error) {
		one := url.URL{Scheme: u.Scheme, User: login, Host: host, Path: path, RawQuery: query.Encode()}
		return redis.ParseURL(one.String())
	}
	a := &address{hosts: hosts, name: name}
	a.server = func(host string) (*redis.Options, error) { return options(u.User, host, "/"+database) }
	a.sentinel = func(host string) (*redis.Options, error) {
		var login *url.Userinfo
		if user+password != "" {
			login = url.UserPassword(user, password)
		}
		opts, err := options(login, host, "")
		if err == nil {
			opts.DB = 0 // a sentinel has no databases
		}
		return opts, err
	}
	for _, host := range hosts {
		_, err := a.server(host)
		if _, other := a.sentinel(host); errors.Join(err, other) != nil {
			return nil, wrong("scheme, port, DB or an option is unknown")
		}
	}
	return a, nil
}

// parseCluster reads the URL of nodes of a cluster. u is the URL with the first host only, and with
// a scheme that the client knows.
func parseCluster(place string, u *url.URL, hosts []string) (*address, error) {
	wrong := func(why string) error {
		return xxladapter.Invalidf(errorrule.RedisPlace,
			"%s is %q, must be redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, or rediss+cluster:// with TLS: "+
				"%s",
			"redis", redacted(place), why)
	}
	if !withPorts(hosts, nodePort) {
		return nil, wrong(wrongHost)
	}
	a := &address{hosts: hosts, cluster: true}
	a.server = func(host string) (*redis.Options, error) {
		one := url.URL{Scheme: u.Scheme, User: u.User, Host: host, RawQuery: u.RawQuery}
		return redis.ParseURL(one.String())
	}
	for _, host := range hosts {
		opts, err := a.server(host)
		if err != nil {
			return nil, wrong("scheme, port or an option is unknown")
		}
		if strings.Trim(u.Path, "/") != "" || opts.DB != 0 {
			return nil, wrong("a cluster has no DB")
		}
	}
	return a, nil
}

// wrongHost is the rule that withPorts checks.
const wrongHost = "a host is missing or has no valid port"

// withPorts adds the port to each host without one, and reports whether all of them are then valid.
func withPorts(hosts []string, port string) bool {
	for i, host := range hosts {
		switch h, own, err := net.SplitHostPort(host); {
		case err == nil && h != "" && own != "":
		case err != nil && host != "" && !strings.Contains(strings.Trim(host, "[]"), ":"):
			hosts[i] = net.JoinHostPort(strings.Trim(host, "[]"), port)
		default:
			return false
		}
	}
	return true
}

// cutHosts returns the URL with its first host only, and the list of all its hosts.
func cutHosts(place string) (one string, hosts []string) {
	scheme, rest, found := strings.Cut(place, "://")
	if !found {
		return place, nil
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	begin := strings.LastIndex(rest[:end], "@") + 1
	hosts = strings.Split(rest[begin:end], ",")
	return scheme + "://" + rest[:begin] + hosts[0] + rest[end:], hosts
}

// redacted returns a URL without its passwords.
func redacted(place string) string {
	one, hosts := cutHosts(place)
	hidden := sqlstore.Redacted(one)
	if u, err := url.Parse(hidden); err == nil && u.Host != "" {
		u.Host = strings.Join(hosts, ",")
		return u.String()
	}
	return hidden
}

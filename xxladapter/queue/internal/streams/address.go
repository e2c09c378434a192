package streams

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// An Endpoint is the Redis that a URL names.
type Endpoint struct {
	Shown     string // the URL without secrets, with DB and namespace
	options   redis.Options
	secure    bool
	namespace string
}

// Parse reads a URL of the form that queue.Options describes. The error does not show secrets.
func Parse(text string) (Endpoint, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(rest, "/")
	hosts := authority[strings.LastIndexByte(authority, '@')+1:]
	if strings.Contains(scheme, "+") || strings.Contains(hosts, ",") {
		return Endpoint{}, errors.New(
			"queue URL names sentinels or a cluster of Redis, must be redis://host:port/DB with one server",
		)
	}
	wrong := errors.New(
		"queue URL must be redis://host:port/DB or rediss://host:port/DB, where a namespace may follow the DB",
	)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return Endpoint{}, wrong
	}
	port := u.Port()
	if port == "" {
		port = "6379"
	}
	db, namespace, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if db == "" {
		db = "0"
	}
	number, err := strconv.ParseUint(db, 10, 16)
	if err != nil {
		return Endpoint{}, wrong
	}
	if namespace, err = broker.Namespace(namespace); err != nil {
		return Endpoint{}, err
	}
	e := Endpoint{secure: u.Scheme == "rediss", namespace: namespace}
	e.options.Addr, e.options.DB, e.options.Username = net.JoinHostPort(u.Hostname(), port), int(number),
		u.User.Username()
	e.options.Password, _ = u.User.Password()
	e.Shown = fmt.Sprintf("%s://%s/%d/%s", u.Scheme, e.options.Addr, number, namespace)
	return e, nil
}

// poolSize limits the connections for commands. An executor needs a few. A scheduler publishes over
// one. It also answers executors and looks for open runs, from many goroutines, few of which need a
// connection at the same time.
const poolSize = 256

// client returns a client that does not connect yet.
func (e Endpoint) client(o broker.Options) *redis.Client {
	silence()
	opts := e.options
	// The client must not retry, because a silently repeated command could store or count a run
	// twice. Callers retry what is safe to repeat.
	opts.MaxRetries, opts.DialerRetries, opts.ContextTimeoutEnabled = -1, 1, true
	opts.DialTimeout, opts.ReadTimeout, opts.WriteTimeout = broker.CallLimit, broker.CallLimit, broker.CallLimit
	opts.PoolSize, opts.Protocol, opts.DisableIdentity = poolSize, 2, true
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if e.secure {
		opts.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		if o.TLS != nil {
			opts.TLSConfig = o.TLS.Clone()
		}
	}
	if name := shownName(o.Name); name != "" {
		opts.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
			_ = conn.ClientSetName(ctx, name).Err() // only for people, and may be forbidden
			return nil
		}
	}
	return redis.NewClient(&opts)
}

// shownName replaces the characters that Redis does not accept in a name, such as blanks.
func shownName(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '-'
		}
		return r
	}, name)
}

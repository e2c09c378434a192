package queue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options configures a connection.
type Options struct {
	// URL is nats://host:port, or tls://host:port, which refuses a broker without TLS. User and
	// password, or a token, may stand before the host. A path is the namespace; empty means
	// "default". Several URLs of one cluster are separated by commas; the first one has the
	// namespace.
	URL string
	// Credentials is a file with a user's JWT and seed, as nsc writes it; empty uses what URL has.
	Credentials string
	// TLS configures connections to a broker with TLS; nil trusts the authorities of the system.
	TLS *tls.Config
	// App is the app of an executor; empty means a scheduler.
	App string
	// Name is shown in the broker's list of connections; empty shows none.
	Name   string
	Logger *slog.Logger // nil means slog.Default()
}

const (
	// connectLimit limits the first connection, and each call to the broker itself.
	connectLimit = 5 * time.Second
	// pingEvery is between two signs of life of the broker. After two that are missing the
	// connection counts as lost.
	pingEvery = 10 * time.Second
)

// A Conn is a connection to a broker. It reconnects by itself until Close. Its methods may be
// called from any goroutine.
type Conn struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	names   names
	app     string   // empty means a scheduler
	streams sync.Map // app -> jetstream.Stream
	shown   string   // the URL without secrets
	logger  *slog.Logger
}

// Shown returns a URL without secrets, with its namespace. It refuses one that [Connect] cannot
// use; the error does not show secrets.
func Shown(text string) (string, error) {
	_, _, shown, err := split(text)
	return shown, err
}

// split returns the servers, the namespace, and the URL as it may be shown.
func split(text string) (servers []string, namespace, shown string, err error) {
	var all []string
	for i, one := range strings.Split(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return nil, "", "", errors.New("queue URL must be nats://host:port or tls://host:port, with the namespace as its path")
		}
		path := strings.Trim(u.Path, "/")
		if i == 0 {
			namespace = path
		} else if path != "" {
			return nil, "", "", errors.New("queue URL must have its namespace in the first server alone")
		}
		u.Path, u.RawPath = "", ""
		servers = append(servers, u.String())
		u.User = nil
		all = append(all, u.String())
	}
	if namespace == "" {
		namespace = "default"
	}
	if !isNamespace(namespace) {
		return nil, "", "", fmt.Errorf("queue namespace is %q, must have 1 to 32 lower-case letters, digits and hyphens", namespace)
	}
	return servers, namespace, strings.Join(all, ",") + "/" + namespace, nil
}

// Connect connects to a broker. The error is one line that says whether the broker is missing,
// refuses the credentials, or, to a scheduler, has no JetStream.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	servers, namespace, shown, err := split(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	c := &Conn{names: names{namespace}, app: o.App, shown: shown, logger: o.Logger}
	opts := []nats.Option{
		nats.Name(o.Name), nats.CustomInboxPrefix(c.names.replies(o.App)), nats.Timeout(connectLimit), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.logger.Warn("connection to the queue lost", "queue", shown, "err", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.logger.Info("connected to the queue again", "queue", shown) }),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			c.logger.Warn("queue reports an error", "queue", shown, "err", err)
		}),
	}
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	if o.TLS != nil {
		opts = append(opts, nats.Secure(o.TLS))
	}
	if c.nc, err = nats.Connect(strings.Join(servers, ","), opts...); err != nil {
		return nil, c.refused(err)
	}
	if c.js, err = jetstream.New(c.nc); err == nil && o.App == "" { // executors may not ask
		ctx, cancel := context.WithTimeout(ctx, connectLimit)
		defer cancel()
		_, err = c.js.AccountInfo(ctx)
	}
	if err != nil {
		c.nc.Close()
		return nil, c.refused(err)
	}
	return c, nil
}

// refused says in one line why a broker cannot be used.
func (c *Conn) refused(err error) error {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired):
		return fmt.Errorf("queue %s refuses the credentials: %w", c.shown, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("queue %s has no JetStream: start nats-server with -js", c.shown)
	}
	return fmt.Errorf("queue %s cannot be used: %w", c.shown, err)
}

// Shown returns the URL of the broker without secrets.
func (c *Conn) Shown() string { return c.shown }

// Close ends the connection, and every subscription with it.
func (c *Conn) Close() { c.nc.Close() }

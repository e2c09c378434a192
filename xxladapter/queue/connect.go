package queue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/jetstream"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/streams"
)

// Options configures a connection.
type Options struct {
	// URL names the broker.
	//
	// NATS is nats://host:port, or tls://host:port, which refuses a broker without TLS. User and
	// password, or a token, may stand before the host. A path is the namespace; empty means
	// "default". Several URLs of one cluster are separated by commas; the first one has the
	// namespace.
	//
	// Redis is redis://user:password@host:port/DB/namespace, or rediss:// for TLS. Without a path,
	// DB is 0 and the namespace "default". The URL names one server: clusters and sentinels are
	// refused.
	URL string
	// Credentials is a file with a user's JWT and seed for NATS, as nsc writes it; empty uses what
	// URL has.
	Credentials string
	// TLS configures connections to a broker with TLS; nil trusts the authorities of the system.
	TLS *tls.Config
	// App is the app of an executor; empty means a scheduler.
	App string
	// Name is shown in the broker's list of connections; empty shows none.
	Name   string
	Logger *slog.Logger // nil means slog.Default()
}

// A Conn is a connection to a broker. It reconnects by itself until Close. Its methods may be
// called from any goroutine.
type Conn struct {
	broker broker.Broker
	app    string // empty means a scheduler
	shown  string // the URL without secrets
}

// A place is a broker that a URL names.
type place struct {
	shown   string // the URL without secrets, with its namespace
	connect func(context.Context, broker.Options) (broker.Broker, error)
}

// parse reads a URL. The error does not show secrets.
func parse(text string) (place, error) {
	scheme, _, _ := strings.Cut(text, "://")
	switch kind, _, _ := strings.Cut(scheme, "+"); kind {
	case "nats", "tls":
		p, err := jetstream.Parse(text)
		return place{p.Shown, p.Connect}, err
	case "redis", "rediss":
		p, err := streams.Parse(text)
		return place{p.Shown, p.Connect}, err
	}
	return place{}, errors.New(
		"queue URL must be nats://host:port or redis://host:port/DB, or with TLS tls:// or rediss://",
	)
}

// Shown returns a URL without secrets, with its namespace. It refuses a URL that names no broker;
// the error does not show secrets.
func Shown(text string) (string, error) {
	p, err := parse(text)
	return p.shown, err
}

// Connect connects to a broker. The error is one line that says whether the broker is missing or
// refuses the credentials. A scheduler's error also says what the broker lacks.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	p, err := parse(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	b, err := p.connect(
		ctx, broker.Options{Credentials: o.Credentials, TLS: o.TLS, App: o.App, Name: o.Name, Logger: o.Logger},
	)
	if err != nil {
		return nil, fmt.Errorf("queue %s %w", p.shown, err)
	}
	return &Conn{broker: b, app: o.App, shown: p.shown}, nil
}

// Shown returns the URL of the broker without secrets.
func (c *Conn) Shown() string { return c.shown }

// Close ends the connection, and everything that is served over it.
func (c *Conn) Close() { c.broker.Close() }

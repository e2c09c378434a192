package queue

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
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
	// Credentials is a file with a user's JWT and seed for NATS, as nsc writes it. Redis has none:
	// Connect refuses a file for it. Empty uses what URL has.
	Credentials string
	// TLS configures connections to a broker with TLS; nil trusts the authorities of the system.
	TLS *tls.Config
	// App is the app of an executor; empty means a scheduler.
	App string
	// Name is shown in the broker's list of connections; empty shows none. On Redis it also names
	// the consumer that takes an executor's runs; empty means "unnamed".
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

// Shown returns a URL without secrets, with its namespace. It refuses a URL that names no broker;
// the error does not show secrets.
func Shown(url string) (string, error) {
	e := At(url, "")
	return e.shown, e.err
}

// Connect connects to the broker. The error is one line that says whether the broker is missing or
// refuses the credentials. A scheduler's error also says what the broker lacks.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	return At(o.URL, o.Credentials).connect(
		ctx, broker.Options{TLS: o.TLS, App: o.App, Name: o.Name, Logger: o.Logger},
	)
}

// Shown returns the URL of the broker without secrets.
func (c *Conn) Shown() string { return c.shown }

// Connected returns since when the connection has existed without an interruption. It is zero while
// there is no connection; a broker that does not answer is noticed within 30 s.
func (c *Conn) Connected() time.Time { return c.broker.Connected() }

// Close ends the connection, and everything that is served over it.
func (c *Conn) Close() { c.broker.Close() }

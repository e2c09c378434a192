package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// pingEvery is the period of pings to the broker. If two pings are unanswered when the next one is
// due, the connection counts as lost.
const pingEvery = 10 * time.Second

// A conn is a connection to a broker.
type conn struct {
	nc *nats.Conn
	js jetstream.JetStream
	// imported is the JetStream of the schedulers' account, for an executor whose account is
	// another.
	imported jetstream.JetStream
	names    names
	calls    calls
	streams  sync.Map // app -> jetstream.Stream
	shown    string   // the URL without secrets
	logger   *slog.Logger
	health   health
}

var _ broker.Broker = (*conn)(nil)

// An Endpoint is the broker that a URL names.
type Endpoint struct {
	Shown     string // the URL without secrets, with its namespace
	servers   []string
	namespace string
}

// Parse reads a URL of the form that queue.Options describes. The error does not show secrets.
func Parse(text string) (e Endpoint, err error) {
	var all []string
	for i, one := range strings.Split(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" || u.RawQuery != "" ||
			u.Fragment != "" {
			return Endpoint{}, errors.New(
				"queue URL must be nats://host:port or tls://host:port, with the namespace as its path",
			)
		}
		path := strings.Trim(u.Path, "/")
		if i == 0 {
			e.namespace = path
		} else if path != "" {
			return Endpoint{}, errors.New("queue URL must have its namespace in the first server alone")
		}
		u.Path, u.RawPath = "", ""
		e.servers = append(e.servers, u.String())
		u.User = nil
		all = append(all, u.String())
	}
	if e.namespace, err = broker.Namespace(e.namespace); err != nil {
		return Endpoint{}, err
	}
	e.Shown = strings.Join(all, ",") + "/" + e.namespace
	return e, nil
}

// Connect connects to the broker. The error is the end of a sentence that begins with the broker's
// name.
func (e Endpoint) Connect(ctx context.Context, o broker.Options) (_ broker.Broker, err error) {
	c := &conn{
		names: names{e.namespace}, shown: e.Shown, logger: o.Logger,
		health: health{shown: e.Shown, logger: o.Logger},
	}
	c.health.since.Begin()
	opts := []nats.Option{
		nats.Name(o.Name), nats.CustomInboxPrefix(c.names.replies(o.App)), nats.Timeout(broker.CallLimit),
		nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.health.since.End()
			c.calls.lose()
			if err != nil {
				c.logger.Warn("connection to the queue lost", "queue", e.Shown, "err", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			c.health.since.Begin()
			c.logger.Info("connected to the queue again", "queue", e.Shown)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			c.logger.Warn("queue reports an error", "queue", e.Shown, "err", err)
		}),
	}
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	if o.TLS != nil {
		// Unlike nats.Secure this leaves it to the URL and the broker whether there is TLS.
		opts = append(opts, func(n *nats.Options) error { n.TLSConfig = o.TLS.Clone(); return nil })
	}
	if c.nc, err = nats.Connect(strings.Join(e.servers, ","), opts...); err != nil {
		return nil, refused(err)
	}
	c.health.nc = c.nc
	c.health.ctx, c.health.cancel = context.WithCancel(context.Background())
	if c.js, err = jetstream.New(c.nc); err == nil && o.App == "" { // an executor may not ask
		ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
		defer cancel()
		_, err = c.js.AccountInfo(ctx)
	}
	if err == nil {
		c.imported, err = jetstream.NewWithAPIPrefix(c.nc, c.names.prefix()+"js")
	}
	if err != nil {
		c.Close()
		return nil, refused(err)
	}
	return c, nil
}

// refused says in one line why a broker cannot be used.
func refused(err error) error {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired):
		return fmt.Errorf("refuses the credentials: %w", err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders):
		return errors.New("has no JetStream: start nats-server with -js")
	}
	return fmt.Errorf("cannot be used: %w", err)
}

// Close implements [broker.Broker].
func (c *conn) Close() {
	c.health.close()
	c.nc.Close()
}

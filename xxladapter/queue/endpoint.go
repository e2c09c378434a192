package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/jetstream"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/streams"
)

// An Endpoint is the broker that a URL names. It is what executor.Options.Queue takes. Check and
// Connect refuse the zero Endpoint; create one with [At].
type Endpoint struct {
	shown       string // the URL without secrets, with its namespace
	credentials string
	dial        func(context.Context, broker.Options) (broker.Broker, error)
	err         error // why the URL names no broker; it does not show secrets
}

// At returns the broker that a URL names. credentials is a file of a user's credentials, or empty;
// both are those of [Options]. At opens nothing. [Endpoint.Check] says whether the URL names a
// broker.
func At(url, credentials string) Endpoint {
	scheme, _, _ := strings.Cut(url, "://")
	switch kind, _, _ := strings.Cut(scheme, "+"); kind {
	case "nats", "tls":
		e, err := jetstream.Parse(url)
		return Endpoint{e.Shown, credentials, e.Connect, err}
	case "redis", "rediss":
		e, err := streams.Parse(url)
		return Endpoint{e.Shown, credentials, e.Connect, err}
	}
	return Endpoint{err: errors.New(
		"queue URL must be nats://host:port or redis://host:port/DB, or with TLS tls:// or rediss://",
	)}
}

// Check returns an error if the URL names no broker. The error does not show secrets.
func (e Endpoint) Check() error {
	if e.err == nil && e.dial == nil {
		return errors.New("queue: the Endpoint is zero, must be made by At")
	}
	return e.err
}

// Connect connects an executor. The error is one line that says whether the broker is missing or
// refuses the credentials.
func (e Endpoint) Connect(ctx context.Context, o delivery.Options) (delivery.Conn, error) {
	c, err := e.connect(ctx, broker.Options{
		TLS: o.TLS, App: o.Executor.App, Name: o.Executor.String(), Logger: o.Logger,
	})
	if err != nil {
		return nil, err // not a nil *Conn, which would be a connection
	}
	return c, nil
}

func (e Endpoint) connect(ctx context.Context, o broker.Options) (*Conn, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	o.Credentials = e.credentials
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	b, err := e.dial(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("queue %s %w", e.shown, err)
	}
	return &Conn{broker: b, app: o.App, shown: e.shown}, nil
}

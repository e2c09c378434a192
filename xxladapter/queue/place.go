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

// A Place is the broker that a URL names. It is what executor.Options.Queue takes. Check and
// Connect refuse the zero Place; create one with [At].
type Place struct {
	shown       string // the URL without secrets, with its namespace
	credentials string
	dial        func(context.Context, broker.Options) (broker.Broker, error)
	err         error // why the URL names no broker; it does not show secrets
}

// At returns the broker that a URL names. credentials is a file of a user's credentials, or empty;
// both are those of [Options]. At opens nothing. [Place.Check] says whether the URL names a broker.
func At(url, credentials string) Place {
	scheme, _, _ := strings.Cut(url, "://")
	switch kind, _, _ := strings.Cut(scheme, "+"); kind {
	case "nats", "tls":
		p, err := jetstream.Parse(url)
		return Place{p.Shown, credentials, p.Connect, err}
	case "redis", "rediss":
		p, err := streams.Parse(url)
		return Place{p.Shown, credentials, p.Connect, err}
	}
	return Place{err: errors.New(
		"queue URL must be nats://host:port or redis://host:port/DB, or with TLS tls:// or rediss://",
	)}
}

// Check returns an error if the URL names no broker. The error does not show secrets.
func (p Place) Check() error {
	if p.err == nil && p.dial == nil {
		return errors.New("queue: the Place is zero, must be made by At")
	}
	return p.err
}

// Connect connects an executor. The error is one line that says whether the broker is missing or
// refuses the credentials.
func (p Place) Connect(ctx context.Context, o delivery.Options) (delivery.Conn, error) {
	c, err := p.connect(ctx, broker.Options{
		TLS: o.TLS, App: o.Executor.App, Name: o.Executor.String(), Logger: o.Logger,
	})
	if err != nil {
		return nil, err // not a nil *Conn, which would be a connection
	}
	return c, nil
}

func (p Place) connect(ctx context.Context, o broker.Options) (*Conn, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	o.Credentials = p.credentials
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	b, err := p.dial(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("queue %s %w", p.shown, err)
	}
	return &Conn{broker: b, app: o.App, shown: p.shown}, nil
}

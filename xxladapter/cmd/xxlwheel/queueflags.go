package main

import (
	"context"
	"log/slog"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// queueFlags name a broker.
type queueFlags struct {
	Queue            secret `placeholder:"URL" help:"Broker that carries runs to executors without an open port: NATS with JetStream, nats://[USER:PASSWORD@]HOST:PORT[/NAMESPACE], or Redis, redis://[USER:PASSWORD@]HOST:PORT[/DB[/NAMESPACE]], with TLS tls:// or rediss://, or @FILE that contains it (default: none)."`
	QueueCredentials string `placeholder:"FILE" help:"Credentials file of the user of --queue for NATS, as nsc writes it (default: what the URL has)."`
}

// check refuses flags that cannot be used, before anything is opened.
func (f *queueFlags) check() error {
	if f.Queue == "" {
		if f.QueueCredentials != "" {
			return usagef("--queue-credentials needs --queue")
		}
		return nil
	}
	if _, err := queue.Shown(string(f.Queue)); err != nil {
		return usagef("--queue: %v", err)
	}
	return nil
}

// shown returns the URL without secrets. REQUIRES: check has returned nil.
func (f *queueFlags) shown() string {
	text, _ := queue.Shown(string(f.Queue))
	return text
}

// connect connects a scheduler to the broker, or returns nil without --queue.
func (f *queueFlags) connect(ctx context.Context, name, ca string, logger *slog.Logger) (*queue.Conn, error) {
	if f.Queue == "" {
		return nil, nil
	}
	tls, err := access.ClientTLS(ca)
	if err != nil {
		return nil, usagef("--tls-ca: %v", err)
	}
	return queue.Connect(ctx, queue.Options{URL: string(f.Queue), Credentials: f.QueueCredentials, TLS: tls, Name: name, Logger: logger})
}

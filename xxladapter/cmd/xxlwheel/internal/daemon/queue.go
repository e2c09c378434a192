package daemon

import (
	"context"
	"log/slog"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// QueueFlags name a broker.
type QueueFlags struct {
	Queue            flags.Secret `placeholder:"URL" help:"Broker that carries runs to executors without an open port: NATS with JetStream, nats://[USER:PASSWORD@]HOST:PORT[/NAMESPACE], or Redis, redis://[USER:PASSWORD@]HOST:PORT[/DB[/NAMESPACE]], with TLS tls:// or rediss://, or @FILE that contains it (default: none)."`
	QueueCredentials string       `predictor:"file" placeholder:"FILE" help:"Credentials file of the user of --queue for NATS, as nsc writes it (default: what the URL has)."`
}

// Check refuses flags that cannot be used, before anything is opened.
func (f *QueueFlags) Check() error {
	if f.Queue == "" {
		if f.QueueCredentials != "" {
			return command.Usagef("--queue-credentials needs --queue")
		}
		return nil
	}
	if err := f.Endpoint().Check(); err != nil {
		return command.Usagef("--queue: %v", err)
	}
	return nil
}

// Endpoint returns the broker, for an executor.
//
// REQUIRES: there is a --queue.
func (f *QueueFlags) Endpoint() queue.Endpoint { return queue.At(string(f.Queue), f.QueueCredentials) }

// Shown returns the URL without secrets.
//
// REQUIRES: Check has returned nil.
func (f *QueueFlags) Shown() string {
	text, _ := queue.Shown(string(f.Queue))
	return text
}

// Connect connects a scheduler to the broker, or returns nil without --queue.
func (f *QueueFlags) Connect(ctx context.Context, name, ca string, logger *slog.Logger) (*queue.Conn, error) {
	if f.Queue == "" {
		return nil, nil
	}
	tls, err := access.ClientTLS(ca)
	if err != nil {
		return nil, command.Usagef("--tls-ca: %v", err)
	}
	return queue.Connect(
		ctx, queue.Options{URL: string(f.Queue), Credentials: f.QueueCredentials, TLS: tls, Name: name, Logger: logger},
	)
}

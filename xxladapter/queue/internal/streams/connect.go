package streams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// A conn is a connection to Redis.
type conn struct {
	*redis.Client
	names    names
	consumer string // in each group
	ackWait  time.Duration
	shown    string // the URL without secrets
	logger   *slog.Logger

	health       *health
	acks         *acks
	publications publications
	replies      *replies

	mu       sync.Mutex // guards the fields below
	closed   bool
	channels []func() // each ends one subscription
}

var _ broker.Broker = (*conn)(nil)

// Connect connects to the broker. The error is the end of a sentence that begins with the broker's
// name.
func (e Endpoint) Connect(ctx context.Context, o broker.Options) (broker.Broker, error) {
	return e.connect(ctx, o, delivery.AckWait)
}

func (e Endpoint) connect(ctx context.Context, o broker.Options, ackWait time.Duration) (*conn, error) {
	if o.Credentials != "" {
		return nil, errors.New(
			"takes no credentials file: only NATS has them, and Redis has user and password in its URL",
		)
	}
	c := &conn{
		Client: e.client(o), names: names{e.namespace}, consumer: o.Name, ackWait: ackWait, shown: e.Shown,
		logger: o.Logger,
	}
	c.publications.c = c
	if c.consumer == "" {
		c.consumer = "unnamed"
	}
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	err := c.Ping(ctx).Err()
	if err == nil && o.App == "" { // an executor may not ask
		err = c.check(ctx)
	}
	if err == nil {
		c.replies, err = newReplies(ctx, c, o.App)
	}
	if errors.Is(err, context.DeadlineExceeded) && e.secure { // a port without TLS waits for more
		err = fmt.Errorf("no answer within %v, must be a port with TLS", broker.CallLimit)
	}
	if err != nil {
		_ = c.Client.Close() // nothing was sent
		return nil, refused(err)
	}
	c.health, c.acks = newHealth(c), newAcks(c)
	return c, nil
}

// An unfitError says why a server cannot be a broker. Its text is a part of a sentence for people.
type unfitError string

func (e unfitError) Error() string { return string(e) }

// check refuses a server that is too old, is a replica, or is not one server.
func (c *conn) check(ctx context.Context) error {
	found := map[string]string{}
	for _, section := range []string{"server", "replication"} {
		text, err := c.Info(ctx, section).Result()
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			found[name] = value
		}
	}
	switch {
	case found["redis_mode"] != "standalone":
		return unfitError(fmt.Sprintf("it is a %s of Redis, must be one server", found["redis_mode"]))
	case found["role"] != "master":
		return unfitError("it is a replica, must be the primary")
	case isBefore62(found["redis_version"]):
		return unfitError(fmt.Sprintf("it is Redis %s, must be 6.2 or later", found["redis_version"]))
	}
	return nil
}

// isBefore62 reports whether a version is older than 6.2, the oldest one with all commands that
// this package uses, or cannot be read.
func isBefore62(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err != nil || major < 6 || major == 6 && minor < 2
}

// refused says in one line why a server cannot be used.
func refused(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	for _, code := range []string{"WRONGPASS", "NOAUTH"} {
		if strings.Contains(text, code) {
			return fmt.Errorf("refuses the credentials: %s", text)
		}
	}
	if strings.Contains(text, "NOPERM") {
		return fmt.Errorf("does not grant the user enough rights: %s", text)
	}
	return fmt.Errorf("cannot be used: %s", text)
}

// Close implements [broker.Broker].
func (c *conn) Close() {
	c.mu.Lock()
	stops := c.channels
	c.channels, c.closed = nil, true
	c.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
	c.acks.close()
	c.publications.close()
	c.health.close()
	_ = c.Client.Close() // whatever was not sent is delivered again
}

// silent discards what the client logs in addition to the errors that it returns.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// silence sets the client's logger, which all clients of the process share.
var silence = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

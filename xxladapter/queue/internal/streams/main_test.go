//go:build unix

package streams

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

var (
	anyOf = xxladapter.QueueAddress{App: "orders"}
	oneOf = xxladapter.QueueAddress{App: "orders", Instance: "a"}
)

// ownURL returns the URL of a namespace that a test has for itself.
func ownURL(t testing.TB) string {
	t.Helper()
	return testserver.Redis(t) + "/test-" + strings.ToLower(rand.Text())
}

// limited returns a context with a deadline, for waits that the client does not limit: a lost
// message then fails one test, not the whole run.
func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// connected returns a connection of a scheduler, or of an executor of app, that waits ackWait for
// an acknowledgement.
func connected(t testing.TB, url, app, name string, ackWait time.Duration) *conn {
	t.Helper()
	p, err := Parse(url)
	require.NoError(t, err)
	c, err := p.connect(t.Context(), broker.Options{App: app, Name: name, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}, ackWait)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// feeding returns the runs of an address, as a connection takes them.
func feeding(t *testing.T, c *conn, of xxladapter.QueueAddress) *source {
	t.Helper()
	s, err := c.Find(t.Context(), of)
	require.NoError(t, err)
	return s.(*source)
}

// next takes the next run, and fails after a while.
func (s *source) next(t *testing.T) delivery.Delivery {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if d := s.perhaps(t); d != nil {
			return *d
		}
	}
	t.Fatal("no run came")
	return delivery.Delivery{}
}

// perhaps takes a run if one comes within a second.
func (s *source) perhaps(t *testing.T) (taken *delivery.Delivery) {
	t.Helper()
	s.looked = time.Time{}
	require.NoError(t, s.Take(t.Context(), 1, func(d delivery.Delivery) { taken = &d }))
	return taken
}

func publish(t *testing.T, c *conn, to xxladapter.QueueAddress, key, body string) uint64 {
	t.Helper()
	position, err := c.Publish(t.Context(), to, key, nil, []byte(body))
	require.NoError(t, err)
	require.NotZero(t, position)
	return position
}

// lies reports how many runs lie in a stream, and how many of them await an acknowledgement.
func (c *conn) lies(t *testing.T, of xxladapter.QueueAddress) [2]int64 {
	t.Helper()
	n, err := c.XLen(t.Context(), c.names.run(of)).Result()
	require.NoError(t, err)
	pending, err := c.XPending(t.Context(), c.names.run(of), group).Result()
	require.NoError(t, err)
	return [2]int64{n, pending.Count}
}

// becomes waits until lies reports want.
func (c *conn) becomes(t *testing.T, of xxladapter.QueueAddress, want [2]int64) {
	t.Helper()
	require.Eventually(t, func() bool { return c.lies(t, of) == want }, 10*time.Second, 10*time.Millisecond, "%v", want)
}

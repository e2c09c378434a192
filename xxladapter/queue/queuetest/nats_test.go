package queuetest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A natsBroker is a nats-server with JetStream in a process of its own.
type natsBroker struct {
	t         *testing.T
	dir, port string
	process   *child
	// credentials returns the file of a user; nil means that users have passwords.
	credentials func(user string) string
}

// newNATS returns a broker with the configuration of docs/queue.md.
func newNATS(t *testing.T, dir string) broker {
	n := &natsBroker{t: t, dir: dir, port: testserver.FreePort(t)}
	require.NoError(t, os.WriteFile(n.config(), []byte(shownIn(t, "conf")), 0o600))
	return n
}

// shownIn returns a block of docs/queue.md, which is the only one in its language.
func shownIn(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "queue.md"))
	require.NoError(t, err)
	_, block, ok := strings.Cut(string(page), "```"+language+"\n")
	require.True(t, ok, "queue.md has no %s", language)
	block, _, _ = strings.Cut(block, "```")
	return block
}

func (n *natsBroker) config() string { return filepath.Join(n.dir, "nats.conf") }
func (n *natsBroker) files() string  { return filepath.Join(n.dir, "broker") }
func (n *natsBroker) shown() string  { return "//127.0.0.1:" + n.port + "/default" }

func (n *natsBroker) url(user string) string {
	if n.credentials != nil {
		return "tls://127.0.0.1:" + n.port
	}
	return "nats://" + user + ":" + passwordOf(user) + "@127.0.0.1:" + n.port
}

func (n *natsBroker) start() {
	n.process = start(n.t, "broker", os.Args[0], n.config(), n.port, n.files())
	n.process.line("broker ready")
}

func (n *natsBroker) kill()   { n.process.kill() }
func (n *natsBroker) freeze() { n.process.freeze() }
func (n *natsBroker) thaw()   { n.process.thaw() }

func (n *natsBroker) lose() {
	n.kill()
	require.NoError(n.t, os.RemoveAll(n.files()))
	n.start()
}

// playBroker runs a nats-server with JetStream until the process is killed or stdin is closed.
func playBroker(config, port, dir string) {
	for user, name := range map[string]string{"schedulers": "SCHEDULERS", app: "ORDERS", otherApp: "PAYMENTS"} {
		if err := os.Setenv("XXLWHEEL_NATS_"+name, passwordOf(user)); err != nil {
			panic(err)
		}
	}
	opts, err := server.ProcessConfigFile(config)
	if err != nil {
		panic(err)
	}
	opts.Host, opts.StoreDir, opts.NoSigs = "127.0.0.1", dir, true
	opts.Port, _ = strconv.Atoi(port)
	s, err := server.NewServer(opts)
	if err != nil {
		panic(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		panic("nats-server does not start")
	}
	fmt.Println("broker ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // the test holds it open
}

// A client is a connection of a user of the broker, without the executor's code.
type client struct {
	*nats.Conn
	t      *testing.T
	denied chan error // errors that the broker reports
}

func (n *natsBroker) client(user string) *client {
	n.t.Helper()
	c := &client{t: n.t, denied: make(chan error, 10)}
	inbox := "xw.default.reply.app." + user
	if user == "schedulers" {
		inbox = "xw.default.reply.schedulers"
	}
	var err error
	c.Conn, err = nats.Connect(n.url(user), nats.CustomInboxPrefix(inbox),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.denied <- err }))
	require.NoError(n.t, err)
	n.t.Cleanup(c.Close)
	return c
}

// stream returns the stream of an app, as soon as the scheduler has made it for an executor that
// asked or for a run.
func (n *natsBroker) stream(app string) (js jetstream.JetStream, stream jetstream.Stream) {
	n.t.Helper()
	js, err := jetstream.New(n.client("schedulers").Conn)
	require.NoError(n.t, err)
	testserver.Eventually(n.t, 20*time.Second, "the app has a stream", func() bool {
		stream, err = js.Stream(n.t.Context(), "xw_default_"+app)
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			require.NoError(n.t, err)
		}
		return err == nil
	})
	return js, stream
}

// consumers returns the names of the consumers of an app's stream.
func (n *natsBroker) consumers(app string) (names []string) {
	n.t.Helper()
	_, stream := n.stream(app)
	list := stream.ConsumerNames(n.t.Context())
	for name := range list.Name() {
		names = append(names, name)
	}
	require.NoError(n.t, list.Err())
	return names
}

func (n *natsBroker) delivered(app string) (runs uint64) {
	n.t.Helper()
	_, stream := n.stream(app)
	for _, name := range n.consumers(app) {
		consumer, err := stream.Consumer(n.t.Context(), name)
		require.NoError(n.t, err)
		runs += consumer.CachedInfo().Delivered.Consumer
	}
	return runs
}

func (n *natsBroker) limit(app string, runs int) {
	n.t.Helper()
	js, stream := n.stream(app)
	config := stream.CachedInfo().Config
	config.MaxMsgsPerSubject = int64(runs)
	_, err := js.UpdateStream(n.t.Context(), config)
	require.NoError(n.t, err)
}

func (n *natsBroker) redeliverSoon(app string) {
	n.t.Helper()
	testserver.Eventually(n.t, 20*time.Second, "the executors have made their consumers", func() bool {
		return len(n.consumers(app)) >= 2
	})
	js, _ := n.stream(app)
	for _, name := range n.consumers(app) {
		consumer, err := js.Consumer(n.t.Context(), "xw_default_"+app, name)
		require.NoError(n.t, err)
		config := consumer.CachedInfo().Config
		config.AckWait = 5 * time.Second
		_, err = js.UpdateConsumer(n.t.Context(), "xw_default_"+app, config)
		require.NoError(n.t, err)
	}
}

func TestAReportThatIsTooLargeForTheBroker(t *testing.T) {
	t.Parallel()
	n := newNATS(t, t.TempDir())
	n.start()
	c, err := queue.Connect(t.Context(), queue.Options{URL: n.url(app), App: app})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	_, err = c.Report(t.Context(), "callback", withToken(), make([]byte, 1<<20))
	require.ErrorIs(t, err, delivery.ErrTooLarge)
	require.ErrorContains(t, err, "raise max_payload of nats-server")
}

// TestABrokerWithoutTLSIsUsedWithAnAuthority has an authority that is for others, such as the
// executors of a scheduler.
func TestABrokerWithoutTLSIsUsedWithAnAuthority(t *testing.T) {
	t.Parallel()
	n := newNATS(t, t.TempDir())
	n.start()
	c, err := queue.Connect(t.Context(), queue.Options{URL: n.url("schedulers"), TLS: &tls.Config{MinVersion: tls.VersionTLS12}})
	require.NoError(t, err)
	c.Close()
}

package queuetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAnAppReachesNothingOfAnotherInRedis uses the users that docs/queue.md shows. The user of one
// app tries everything that would read, take, remove or answer a run of the other app, or forge a
// run of its own app.
func TestAnAppReachesNothingOfAnotherInRedis(t *testing.T) {
	t.Parallel()
	s := newSite(t, newRedis, "sqlite:DIR/x.db")
	orders := s.group
	payments := s.addGroup(otherApp)
	job, run := s.waiting(otherApp, payments)
	ownJob, ownRun := s.waiting(app, orders)
	r := s.broker.(*redisBroker)
	r.hasRefusedNothing()
	c := r.client(app)

	const own, theirs = "xw:default:run:orders:any", "xw:default:run:payments:any"
	for _, command := range []string{
		"xreadgroup group executors x streams " + theirs + " >", "xpending " + theirs + " executors", "xclaim " + theirs + " executors x 0 1-0",
		"xautoclaim " + theirs + " executors x 0 0", "xack " + theirs + " executors 1-0", "xdel " + theirs + " 1-0",
		"xadd " + theirs + " * k 1", "xrange " + theirs + " - +", "xread streams " + theirs + " 0", "xlen " + theirs, "del " + theirs, "xtrim " + theirs + " maxlen 0",
		"xadd " + own + " * k 1", "xrange " + own + " - +", "del " + own, "xgroup create " + own + " other 0", "xgroup destroy " + own + " executors",
		"xgroup delconsumer " + own + " executors x", "set " + own + " x", "expire " + own + " 1", "rename " + own + " x", "xtrim " + own + " maxlen 0",
		"publish xw:default:call:payments:x 1", "publish xw:default:call:orders:x 1", "publish xw:default:up:payments 1", "publish xw:default:reply:app:payments:x 1",
		"publish xw:default:reply:app:orders:x 1", "publish xw:default:up:orders:x 1",
		"set xw:default:up:payments:1 x", "get xw:default:up:orders:1", "getdel xw:default:up:payments:1", "set xw:default:seen:orders:1 1", "get xw:default:seen:orders:1",
		"smembers xw:default:queues", "srem xw:default:queues " + own, "hset xw:default:limits orders 0", "hget xw:default:limits orders",
		"keys *", "scan 0", "info", "config get *", "acl list", "client list", "monitor", "flushall", "pubsub channels", "eval return 1 0", "script load x", "shutdown", "save",
	} {
		args := []any{}
		for _, word := range strings.Fields(command) {
			args = append(args, word)
		}
		if args[0] == "eval" {
			args = []any{"eval", "return 1", 0}
		}
		err := c.Do(t.Context(), args...).Err()
		require.Error(t, err, command)
		require.True(t, redis.HasErrorPrefix(err, "NOPERM"), "%s: %v", command, err)
	}
	for _, channel := range []string{"xw:default:call:payments:x", "xw:default:up:orders", "xw:default:up:payments", "xw:default:reply:schedulers:x", "xw:default:reply:app:payments:x"} {
		for _, subscribe := range []func() *redis.PubSub{
			func() *redis.PubSub { return c.Subscribe(t.Context(), channel) },
			func() *redis.PubSub { return c.PSubscribe(t.Context(), channel) },
			func() *redis.PubSub { return c.PSubscribe(t.Context(), "*") },
		} {
			sub := subscribe()
			_, err := sub.Receive(t.Context())
			require.True(t, redis.HasErrorPrefix(err, "NOPERM"), "%s: %v", channel, err)
			require.NoError(t, sub.Close())
		}
	}

	require.NoError(t, r.admin.Do(t.Context(), "acl", "log", "reset").Err())

	// Redis permits calls for the user's own app, about any run. The scheduler refuses those about
	// the runs of other apps.
	conn := s.connect(app)
	call := func(op, body string) json.RawMessage {
		header := http.Header{"Xxl-Job-Access-Token": {accessToken}, "Xxl-Job-Appname": {otherApp}} // a false claim
		reply, err := conn.Report(t.Context(), op, header, []byte(body))
		require.NoError(t, err)
		var got struct {
			Code int
			Data json.RawMessage
		}
		require.NoError(t, json.Unmarshal(reply, &got), "%s", reply)
		require.Equal(t, 200, got.Code, "%s: %s", op, reply)
		return got.Data
	}
	for _, address := range []string{"nats://payments/x", "nats://orders/x"} {
		require.Equal(t, "[false]", string(call("accept", fmt.Sprintf(`[{"logId":%d,"address":%q}]`, run, address))))
	}
	call("callback", fmt.Sprintf(`[{"logId":%d,"logDateTim":1,"handleCode":200,"handleMsg":"forged"}]`, run))
	require.Zero(t, s.rows(job)[0].HandleCode)
	require.Empty(t, s.counts())

	s.startExecutorOf(app, app)
	s.startExecutorOf(otherApp, otherApp)
	for _, id := range []int64{job, ownJob} {
		require.Equal(t, 200, s.ended(id, 1, 60*time.Second)[0].HandleCode)
	}
	require.Equal(t, map[int64]int{run: 1, ownRun: 1}, s.counts())
	s.scheduler.stop()
	r.hasRefusedNothing()
}

// hasRefusedNothing checks that no user lacked a right since the log of refusals was emptied.
func (r *redisBroker) hasRefusedNothing() {
	r.t.Helper()
	refused, err := r.admin.Do(r.t.Context(), "acl", "log").Slice()
	require.NoError(r.t, err)
	require.Empty(r.t, refused)
}

// A secureRedis is a Redis with TLS at a second port.
type secureRedis struct {
	*redisBroker
	port string
}

func (r *secureRedis) url(user string) string {
	return "rediss://" + user + ":" + passwordOf(user) + "@127.0.0.1:" + r.port
}

func (r *secureRedis) shown() string { return "//127.0.0.1:" + r.port + "/0/default" }

// TestTLSInRedis runs schedulers and executors over TLS, with an authority of their own.
func TestTLSInRedis(t *testing.T) {
	t.Parallel()
	s := emptySite(t)
	cert, key := testserver.Certificate(t)
	s.ca = cert
	for _, path := range []string{filepath.Dir(filepath.Dir(cert)), filepath.Dir(cert), cert, key} {
		require.NoError(t, os.Chmod(path, 0o755)) // Redis may run as another account
	}
	r := &secureRedis{&redisBroker{t: t}, testserver.FreePort(t)}
	r.server = testserver.StartRedis(t, append(redisUsers(t), "tls-port "+r.port, "tls-cert-file "+cert, "tls-key-file "+key, "tls-auth-clients no")...)
	s.broker = running{r}
	s.begin("sqlite:DIR/x.db")
	s.startExecutor("e1")
	s.executors(1)
	job := s.job("job", nil)
	s.trigger(job)
	require.Equal(t, 200, s.ended(job, 1, 30*time.Second)[0].HandleCode)

	plain := strings.Replace(r.server.URL("0"), "redis://", "rediss://"+app+":"+passwordOf(app)+"@", 1)
	for want, args := range map[string][]string{
		"certificate signed by unknown authority":      {"--queue", r.url(app)},
		"no answer within 5s, must be a port with TLS": {"--queue", plain, "--tls-ca", s.ca},
	} {
		out, err := exec.Command(xxlwheel, append([]string{"executor", "--app", app, "--data-dir", s.dir + "/other", "--access-token", accessToken}, args...)...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), want)
		require.Equal(t, 1, strings.Count(string(out), "\n"), "%s", out)
	}
}

// A running broker was started before its site.
type running struct{ broker }

func (running) start() {}

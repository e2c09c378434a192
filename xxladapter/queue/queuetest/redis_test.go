package queuetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A redisBroker is a Redis that syncs its writes once a second, which is enough for a queue.
type redisBroker struct {
	t      *testing.T
	server *testserver.Server // nil until the first start
	admin  *redis.Client
}

func newRedis(t *testing.T, _ string) broker { return &redisBroker{t: t} }

// redisUsers returns the settings of a server with the users of docs/queue.md, and one who may do
// everything.
func redisUsers(t *testing.T) (settings []string) {
	t.Helper()
	text := strings.NewReplacer("SCHEDULERS_PASSWORD", passwordOf("schedulers"), "ORDERS_PASSWORD", passwordOf(app), "PAYMENTS_PASSWORD", passwordOf(otherApp)).Replace(shownIn(t, "acl"))
	for line := range strings.Lines(text) {
		settings = append(settings, strings.TrimSpace(line))
	}
	return append(settings, "user admin on >"+passwordOf("admin")+" ~* &* +@all", "appendfsync everysec")
}

func (r *redisBroker) start() {
	if r.server != nil {
		r.server.Start(r.t)
		return
	}
	r.server = testserver.StartRedis(r.t, redisUsers(r.t)...)
	r.admin = r.client("admin")
}

// client returns a connection of a user, without the code of executors and schedulers.
func (r *redisBroker) client(user string) *redis.Client {
	r.t.Helper()
	opts, err := redis.ParseURL(r.url(user))
	require.NoError(r.t, err)
	c := redis.NewClient(opts)
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (r *redisBroker) url(user string) string {
	return strings.Replace(r.server.URL("0"), "//", "//"+user+":"+passwordOf(user)+"@", 1)
}

func (r *redisBroker) shown() string {
	_, rest, _ := strings.Cut(r.server.URL("0"), ":")
	return rest + "/default"
}

func (r *redisBroker) kill()   { r.server.Kill(r.t) }
func (r *redisBroker) freeze() { r.server.Freeze(r.t) }
func (r *redisBroker) thaw()   { r.server.Thaw(r.t) }

func (r *redisBroker) lose() {
	if r.admin.Ping(r.t.Context()).Err() != nil { // it was killed
		r.start()
	}
	require.NoError(r.t, r.admin.FlushAll(r.t.Context()).Err())
}

func (r *redisBroker) delivered(app string) (runs uint64) {
	r.t.Helper()
	streams, err := r.admin.Keys(r.t.Context(), "xw:default:run:"+app+":*").Result()
	require.NoError(r.t, err)
	for _, stream := range streams {
		groups, err := r.admin.XInfoGroups(r.t.Context(), stream).Result()
		require.NoError(r.t, err)
		for _, group := range groups {
			runs += uint64(group.EntriesRead)
		}
		pending, err := r.admin.XPendingExt(r.t.Context(), &redis.XPendingExtArgs{Stream: stream, Group: "executors", Start: "-", End: "+", Count: 1000}).Result()
		require.NoError(r.t, err)
		for _, run := range pending {
			runs += uint64(run.RetryCount - 1)
		}
	}
	return runs
}

func (r *redisBroker) limit(app string, runs int) {
	r.t.Helper()
	require.NoError(r.t, r.admin.HSet(r.t.Context(), "xw:default:limits", app, fmt.Sprint(runs)).Err())
}

// redeliverSoon does nothing: executors say how long they have for a run.
func (r *redisBroker) redeliverSoon(string) {}

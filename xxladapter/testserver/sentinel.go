//go:build unix

package testserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// sentinelName is the name under which the sentinels know the primary.
const sentinelName = "main"

// A RedisGroup is a Redis with a replica, and three sentinels that promote the replica once the
// primary has been silent for a second.
type RedisGroup struct {
	// Servers are the first primary and its replica.
	Servers   []*Server
	Sentinels []*Server
}

// StartRedisGroup starts servers and sentinels that end with the test. Both servers get settings,
// as in [StartRedis].
func StartRedisGroup(t testing.TB, settings ...string) *RedisGroup {
	t.Helper()
	g := &RedisGroup{Servers: []*Server{StartRedis(t, settings...), StartRedis(t, settings...)}}
	replica := redisClient(t, g.Servers[1].port)
	must(t, replica.ReplicaOf(context.Background(), "127.0.0.1", strconv.Itoa(g.Servers[0].port)).Err())
	waitFor(t, "the replica follows", func(ctx context.Context) bool {
		said, err := replica.Info(ctx, "replication").Result()
		return err == nil && strings.Contains(said, "master_link_status:up")
	})
	for range 3 {
		s, err := startSentinel(g.Servers[0].port)
		must(t, err)
		s.closeWith(t)
		g.Sentinels = append(g.Sentinels, s)
	}
	g.WaitReady(t)
	return g
}

// URL returns a URL by which clients find a database of the current primary: it names the
// sentinels.
func (g *RedisGroup) URL(database string) string {
	var hosts []string
	for _, s := range g.Sentinels {
		hosts = append(hosts, "127.0.0.1:"+strconv.Itoa(s.port))
	}
	return "redis+sentinel://" + strings.Join(hosts, ",") + "/" + sentinelName + "/" + database
}

// WaitReady waits until a promotion can happen: all sentinels know each other and the same primary,
// and the other server follows that primary.
func (g *RedisGroup) WaitReady(t testing.TB) {
	t.Helper()
	var missing string
	defer func() {
		if t.Failed() {
			t.Log(missing)
		}
	}()
	waitFor(t, "the sentinels are ready", func(ctx context.Context) bool {
		for _, s := range g.Sentinels {
			if missing = unready(ctx, s.port); missing != "" {
				missing = fmt.Sprintf("sentinel %d %s", s.port, missing)
				return false
			}
		}
		return true
	})
}

// unready says what a sentinel lacks for a promotion, or nothing.
func unready(ctx context.Context, port int) string {
	sentinel := redisAt(port)
	defer sentinel.Close()
	known, err := sentinel.Do(ctx, "sentinel", "master", sentinelName).Result()
	fields, _ := known.(map[any]any)
	if err != nil || fields["num-other-sentinels"] != "2" || fields["num-slaves"] != "1" ||
		fields["flags"] != "master" {
		return fmt.Sprintf("says of the primary %v, %v", fields, err)
	}
	replicas, err := sentinel.Do(ctx, "sentinel", "replicas", sentinelName).Result()
	list, _ := replicas.([]any)
	if err != nil || len(list) != 1 {
		return fmt.Sprintf("says of the replicas %v, %v", list, err)
	}
	replica, _ := list[0].(map[any]any)
	if replica["flags"] != "slave" || replica["master-link-status"] != "ok" {
		return fmt.Sprintf("says of the replica %v", replica)
	}
	return ""
}

// Primary returns the server that the sentinels name, and the other one.
func (g *RedisGroup) Primary(t testing.TB) (primary, other *Server) {
	t.Helper()
	var err error
	for _, s := range g.Sentinels {
		var at []string
		if at, err = primaryBy(context.Background(), s); err != nil {
			continue
		}
		for i, one := range g.Servers {
			if at[1] == strconv.Itoa(one.port) {
				return one, g.Servers[1-i]
			}
		}
		err = fmt.Errorf("the sentinels name %v, which is no server of the test", at)
	}
	t.Fatal(err)
	return nil, nil
}

// Detach closes the connection by which the other server follows the primary. If the other server
// is frozen then, it lacks every write that the primary confirms from then on, until it follows
// again.
func (g *RedisGroup) Detach(t testing.TB, primary *Server) {
	t.Helper()
	must(t, redisClient(t, primary.port).Do(context.Background(), "client", "kill", "type", "replica").Err())
}

// WaitPromoted waits until most sentinels name a primary other than former.
func (g *RedisGroup) WaitPromoted(t testing.TB, former *Server) {
	t.Helper()
	waitFor(t, "the replica is promoted", func(ctx context.Context) bool {
		others := 0
		for _, s := range g.Sentinels {
			if at, err := primaryBy(ctx, s); err == nil && at[1] != strconv.Itoa(former.port) {
				others++
			}
		}
		return others > len(g.Sentinels)/2
	})
}

// primaryBy returns the host and the port of the primary that a sentinel names.
func primaryBy(ctx context.Context, sentinel *Server) ([]string, error) {
	client := redisAt(sentinel.port)
	defer client.Close()
	answer := redis.NewStringSliceCmd(ctx, "sentinel", "get-master-addr-by-name", sentinelName)
	if err := client.Process(ctx, answer); err != nil {
		return nil, err
	}
	if at := answer.Val(); len(at) == 2 {
		return at, nil
	}
	return nil, fmt.Errorf("the sentinel names %v, must name a host and a port", answer.Val())
}

// waitFor waits as Eventually does, for a server that starts or changes, and limits each poll.
func waitFor(t testing.TB, what string, ready func(context.Context) bool) {
	t.Helper()
	Eventually(t, startWithin, what, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return ready(ctx)
	})
}

// redisClient returns a client that closes with the test.
func redisClient(t testing.TB, port int) *redis.Client {
	t.Helper()
	client := redisAt(port)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// redisAt returns a client that has one connection and retries nothing. The caller closes it, since
// a server takes at most 10,000 connections.
func redisAt(port int) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:" + strconv.Itoa(port), Protocol: 3, MaxRetries: -1, PoolSize: 1, ContextTimeoutEnabled: true,
	})
}

// startSentinel starts a sentinel of the server at a port.
func startSentinel(port int) (*Server, error) {
	program, err := redisProgram()
	if err != nil {
		return nil, err
	}
	e := redisEngine(program)
	e.initialize = func(s *Server) error {
		// The sentinel writes what it learns into this file.
		text := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]d 2\nsentinel down-after-milliseconds %[1]s 1000\nsentinel failover-timeout %[1]s 3000\n", sentinelName, port)
		file := filepath.Join(s.dir, "sentinel.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil || s.account == nil {
			return err
		}
		return os.Chown(file, int(s.account.uid), int(s.account.gid))
	}
	e.arguments = func(s *Server) []string {
		return []string{
			filepath.Join(s.dir, "sentinel.conf"), "--sentinel", "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1",
			"--dir", s.dir,
		}
	}
	account, err := serverAccount("redis")
	if err != nil {
		return nil, err
	}
	return begin(e, account, "", nil)
}

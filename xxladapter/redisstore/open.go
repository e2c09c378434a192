// Package redisstore is an [xxladapter.Store] that writes changes of fires to Redis first and to
// PostgreSQL or MySQL in bulk, a quarter of a second later. With MySQL, due times are claimed in
// the tables at once. The rules are in sqlstore/internal/journaled; this package has keys, scripts
// and checks of settings. See DESIGN.md.
package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// Options are the settings of a store in Redis. The zero value is ready to use.
type Options struct {
	// SQL are the options of the SQL store behind Redis.
	SQL sqlstore.Options
	// MayLose allows a Redis that may lose what it has confirmed, because it does not sync each
	// write to its disk (appendfsync always) or may evict keys. Each restart of Redis then counts
	// as a loss. The default, false, refuses such a Redis with [ErrMayLose].
	MayLose bool
	// Backlog is how many changes the tables may lack before nothing more is planned. The default
	// is 100,000; it must not be negative.
	Backlog int64
}

// ErrMayLose is wrapped by the errors of [Open] about a Redis that only Options.MayLose permits.
var ErrMayLose = errors.New("redisstore: the server may lose what it has confirmed")

// Open opens a store whose log is in the Redis at url and whose tables are at behind, which is a
// place as [sqlstore.OpenShared] takes it. Each process of the store must have both. The url is
// redis://USER:PASSWORD@HOST:PORT/DB, or rediss:// for TLS. Such a server must have no replicas,
// since one that is promoted may lack what was confirmed.
//
// redis+sentinel://USER:PASSWORD@HOST1:PORT,HOST2:PORT/NAME/DB, or rediss+sentinel:// for TLS, has
// sentinels and the name that they have for the primary. More than half of those that the url names
// must agree on the primary, and all processes of a store must have the same url. Its options
// sentinel_user and sentinel_password log in to the sentinels. Each promotion counts as a loss.
//
// redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, or rediss+cluster:// for TLS, has nodes of a
// Redis Cluster, which name the others. More than half of all nodes, replicas too, must agree on
// the one that has the slot of the store's keys. A slot may be migrated at any time; each promotion
// of a replica counts as a loss.
//
// The errors that are about url or behind are [xxladapter.Error] values. None contains a password.
func Open(ctx context.Context, url, behind string, opts Options) (*Store, error) {
	at, err := connect(ctx, url, opts.MayLose)
	if err != nil {
		return nil, err
	}
	if err := checkTarget(ctx, at, opts.MayLose); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", redacted(url), oneLine{err}), at.Close())
	}
	single, alone := at.(*client)
	if alone {
		single.verifySettings("redis at "+single.Options().Addr, opts.MayLose)
	}
	taken := false
	s, err := sqlstore.OpenShared(ctx, behind, opts.SQL, sqlstore.SharedOptions{Lossy: opts.MayLose || !alone,
		Backlog: opts.Backlog, Log: func(id string) sqlstore.LogServer {
			taken = true
			return newServer(at, id, opts.MayLose)
		}})
	if err != nil {
		if !taken {
			err = errors.Join(err, at.Close())
		}
		return nil, err
	}
	return &Store{s}, nil
}

// A Store is an [xxladapter.Store] in Redis and SQL.
type Store struct{ *sqlstore.Shared }

var _ xxladapter.Store = (*Store)(nil)

// silent drops what the client writes beside the errors that it returns.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// silence sets the client's logger, which all clients of the process share.
var silence = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

// A target finds the Redis that has the log.
type target interface {
	// primary returns a client of the server that has the log now.
	primary() (*client, error)
	// confirm returns an error unless the client's server has had the log until now. After an
	// error, what that server has answered must not be believed.
	confirm(*client) error
	Close() error
}

// connect returns the target at a URL. A server is not connected to yet; of sentinels, or of a
// cluster's nodes, more than half have answered.
func connect(ctx context.Context, url string, mayLose bool) (target, error) {
	silence()
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	if a.cluster {
		c, err := newCluster(a, mayLose)
		if err != nil {
			return nil, err
		}
		if err := c.first(ctx, c.allAnswer); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", redacted(url), oneLine{err}), c.Close())
		}
		return c, nil
	}
	if a.name != "" {
		s, err := newSentinels(a, mayLose)
		if err != nil {
			return nil, err
		}
		if err := s.first(ctx, func() error { _, err := s.primary(); return err }); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", redacted(url), err), s.Close())
		}
		return s, nil
	}
	opts, err := a.server(a.hosts[0])
	if err != nil {
		return nil, err
	}
	return newClient(opts), nil
}

// newClient returns a client that does not connect yet.
func newClient(opts *redis.Options) *client {
	// The client repeats nothing: the log repeats what may be repeated, within its own limits.
	opts.MaxRetries, opts.ContextTimeoutEnabled = -1, true
	c := new(client)
	opts.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
		run, err := runOf(conn.Info(ctx, "server"))
		c.run.Store(&run)
		if err == nil && c.verify != nil {
			err = c.verify(ctx, conn)
		}
		return err
	}
	c.Client = redis.NewClient(opts)
	return c
}

// A client notes the server's process whenever it connects.
type client struct {
	*redis.Client
	run atomic.Pointer[string]

	// verify refuses a connection to a server whose settings are wrong. It is set before the first
	// call of a store.
	verify func(context.Context, asker) error

	// The fields below are set before the first call, if a majority has named the server.

	named promotion
	owner *client   // the node that redirects to this one, which imports its slot; nil means none
	since time.Time // when this process first knew the server as the primary
}

// verifySettings has each further connection check the settings: the server may be started again
// with others.
func (c *client) verifySettings(name string, mayLose bool) {
	c.verify = func(ctx context.Context, conn asker) error {
		if err := check(ctx, conn, mayLose); err != nil {
			return errors.New(name + ": " + err.Error()) // the client drops the text of an error that wraps
		}
		return nil
	}
}

// started names the server's process. It is empty before the first connection.
func (c *client) started() string {
	if run := c.run.Load(); run != nil {
		return *run
	}
	return ""
}

// primary implements [target]: there is one server.
func (c *client) primary() (*client, error) { return c, nil }

// confirm implements [target].
func (c *client) confirm(*client) error { return nil }

// runOf returns the name of the server's process.
func runOf(info *redis.StringCmd) (run string, err error) {
	text, err := info.Result()
	for line := range strings.Lines(text) {
		if id, is := strings.CutPrefix(line, "run_id:"); is {
			run = strings.TrimSpace(id)
		}
	}
	return run, err
}

// An asker is a client, or one of its connections.
type asker interface {
	Ping(ctx context.Context) *redis.StatusCmd
	Info(ctx context.Context, sections ...string) *redis.StringCmd
	ConfigGet(ctx context.Context, parameter string) *redis.MapStringStringCmd
}

// checkTarget refuses a Redis that may lose what it has confirmed without anybody's knowing.
func checkTarget(ctx context.Context, at target, mayLose bool) error {
	if c, is := at.(*cluster); is {
		return c.check(ctx)
	}
	c, err := at.primary()
	if err != nil {
		return err
	}
	if err := check(ctx, c, mayLose); err != nil || c.named.address != "" {
		return err
	}
	return checkAlone(ctx, c)
}

// checkAlone refuses a server that has replicas or belongs to a cluster.
func checkAlone(ctx context.Context, client asker) error {
	cluster, err := client.Info(ctx, "cluster").Result()
	if err != nil {
		return fmt.Errorf("its cluster cannot be read: %w", err)
	}
	if strings.Contains(cluster, "cluster_enabled:1") {
		return xxladapter.Invalidf(errorrule.RedisCluster, "%s has cluster-enabled yes, must have no, or redis+cluster://",
			"redis")
	}
	replication, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return fmt.Errorf("its replicas cannot be read: %w", err)
	}
	for line := range strings.Lines(replication) {
		if n, is := strings.CutPrefix(strings.TrimSpace(line), "connected_slaves:"); is && n != "0" {
			return xxladapter.Invalidf(errorrule.RedisReplicas,
				"%s has replicas (%s), must have none, or redis+sentinel://: one that is promoted may lack what "+
					"was confirmed",
				"redis", n)
		}
	}
	return nil
}

// check refuses a server that may lose what it has confirmed.
func check(ctx context.Context, client asker, mayLose bool) error {
	if err := client.Ping(ctx).Err(); err != nil || mayLose {
		return err
	}
	found := map[string]string{}
	for _, name := range []string{"appendonly", "appendfsync", "maxmemory", "maxmemory-policy"} {
		values, err := client.ConfigGet(ctx, name).Result()
		if refused := redis.Error(nil); err != nil && !errors.As(err, &refused) {
			return err // of the connection: it may pass
		} else if err != nil {
			return lossy(errorrule.RedisSyncUnknown,
				"%s does not say what appendonly and appendfsync are (%v), must have yes and always, or "+
					"Options.MayLose",
				"redis", err)
		}
		found[name] = values[name]
	}
	switch {
	case found["appendonly"] != "yes", found["appendfsync"] != "always":
		return lossy(errorrule.RedisSync,
			"%s has appendonly %s and appendfsync %s, must have yes and always, or Options.MayLose",
			"redis", found["appendonly"], found["appendfsync"])
	case found["maxmemory"] != "0" && found["maxmemory-policy"] != "noeviction" &&
		!strings.HasPrefix(found["maxmemory-policy"], "volatile-"):
		return lossy(errorrule.RedisEvicts,
			"%s has maxmemory-policy %s, must have noeviction or volatile-*, or Options.MayLose",
			"redis", found["maxmemory-policy"])
	}
	return nil
}

// lossy returns an [xxladapter.Error] that wraps [ErrMayLose].
func lossy(r errorrule.Rule, format string, args ...any) error {
	err := xxladapter.Refusef(xxladapter.CodeInvalid, r, format, args...)
	err.Err = ErrMayLose
	return err
}

// oneLine is an error of the client whose text is one line.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.ReplaceAll(e.error.Error(), "\n", "; ") }

func (e oneLine) Unwrap() error { return e.error }

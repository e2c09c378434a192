// Package redisstore is an [xxladapter.Store] that writes every change of a fire to Redis first and
// to PostgreSQL in bulk, a quarter of a second later. The rules are in sqlstore/internal/journaled;
// this package has keys, scripts and checks of settings. See DESIGN.md.
package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
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
	// Backlog is how many changes PostgreSQL may lack before nothing more is planned. The default
	// is 100,000; it must not be negative.
	Backlog int64
}

// ErrMayLose is wrapped by the errors of [Open] about a Redis that only Options.MayLose permits.
var ErrMayLose = errors.New("redisstore: the server may lose what it has confirmed")

// Open opens a store whose log is in the Redis at url and whose tables are at behind, which is a
// place as [sqlstore.OpenShared] takes it. Each process of the store must have both. The url is
// redis://USER:PASSWORD@HOST:PORT/DB, or rediss:// for TLS. A Redis with replicas is refused, since
// one that is promoted may lack what was confirmed.
//
// The errors that are about url or behind are [xxladapter.Error] values. None contains a password.
func Open(ctx context.Context, url, behind string, opts Options) (*Store, error) {
	client, err := connect(url)
	if err != nil {
		return nil, err
	}
	if err := check(ctx, client, opts.MayLose); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", sqlstore.Redacted(url), oneLine{err}), client.Close())
	}
	taken := false
	s, err := sqlstore.OpenShared(ctx, behind, opts.SQL, sqlstore.SharedOptions{Lossy: opts.MayLose, Backlog: opts.Backlog, Log: func(id string) sqlstore.LogServer {
		taken = true
		return newServer(client, id, opts.MayLose)
	}})
	if err != nil {
		if !taken {
			err = errors.Join(err, client.Close())
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

// connect returns a client for the url. It does not connect yet.
func connect(url string) (*client, error) {
	silence()
	wrong := func() error {
		return xxladapter.Invalidf("redis is %q, must be redis://USER:PASSWORD@HOST:PORT/DB, or rediss:// with TLS", sqlstore.Redacted(url))
	}
	opts, err := redis.ParseURL(url)
	if err != nil || opts.Network == "unix" && !strings.HasPrefix(url, "unix://") {
		return nil, wrong()
	}
	// An append that is repeated unseen would be refused as stored by somebody else. The log
	// repeats what may be repeated, within its own limits.
	opts.MaxRetries, opts.ContextTimeoutEnabled = -1, true
	c := new(client)
	opts.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
		run, err := runOf(conn.Info(ctx, "server"))
		c.run.Store(&run)
		return err
	}
	c.Client = redis.NewClient(opts)
	return c, nil
}

// A client notes the server's process whenever it connects.
type client struct {
	*redis.Client
	run atomic.Pointer[string]
}

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

// check refuses a server that may lose what it has confirmed.
func check(ctx context.Context, client *client, mayLose bool) error {
	if err := client.Ping(ctx).Err(); err != nil {
		return err
	}
	replication, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return fmt.Errorf("its replicas cannot be read: %w", err)
	}
	for line := range strings.Lines(replication) {
		if n, is := strings.CutPrefix(strings.TrimSpace(line), "connected_slaves:"); is && n != "0" {
			return xxladapter.Invalidf("redis has replicas (%s), must have none: one that is promoted may lack what was confirmed", n)
		}
	}
	if mayLose {
		return nil
	}
	found := map[string]string{}
	for _, name := range []string{"appendonly", "appendfsync", "maxmemory", "maxmemory-policy"} {
		values, err := client.ConfigGet(ctx, name).Result()
		if refused := redis.Error(nil); err != nil && !errors.As(err, &refused) {
			return err // of the connection: it may pass
		} else if err != nil {
			return lossy("redis does not say what appendonly and appendfsync are (%v), must have yes and always, or Options.MayLose", err)
		}
		found[name] = values[name]
	}
	switch {
	case found["appendonly"] != "yes", found["appendfsync"] != "always":
		return lossy("redis has appendonly %s and appendfsync %s, must have yes and always, or Options.MayLose", found["appendonly"], found["appendfsync"])
	case found["maxmemory"] != "0" && found["maxmemory-policy"] != "noeviction" && !strings.HasPrefix(found["maxmemory-policy"], "volatile-"):
		return lossy("redis has maxmemory-policy %s, must have noeviction or volatile-*, or Options.MayLose", found["maxmemory-policy"])
	}
	return nil
}

// lossy returns an [xxladapter.Error] that wraps [ErrMayLose].
func lossy(format string, args ...any) error {
	err := xxladapter.Refusef(xxladapter.CodeInvalid, format, args...)
	err.Err = ErrMayLose
	return err
}

// oneLine is an error of the client whose text is one line.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.ReplaceAll(e.error.Error(), "\n", "; ") }

func (e oneLine) Unwrap() error { return e.error }

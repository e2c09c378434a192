// Package redisstore is an [xxladapter.Store] whose calls of each fire end in Redis. A SQL store
// follows behind it. See DESIGN.md.
package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// Options are the settings of a store in Redis. The zero value is ready to use.
type Options struct {
	// SQL are the options of the SQL store behind Redis.
	SQL sqlstore.Options
	// MayLose allows a Redis that may lose what it has confirmed, because it does not sync each write
	// to its disk (appendfsync always) or may evict keys. Each restart of Redis then counts as a loss.
	MayLose bool
}

// Open opens the store that url, of Redis, and behind, a place of [sqlstore.OpenShared], name. Each
// process of the store must have both. The url is redis://USER:PASSWORD@HOST:PORT/DB, or rediss:// for
// TLS, or redis+sentinel://USER:PASSWORD@HOST:PORT/DB?master_name=NAME&addr=HOST:PORT for the primary
// that sentinels name.
//
// The errors that are about url or behind are [xxladapter.Error] values. None contains a password.
func Open(ctx context.Context, url, behind string, opts Options) (*Store, error) {
	client, err := connect(url)
	if err != nil {
		return nil, err
	}
	if err := check(ctx, client, opts.MayLose); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", sqlstore.Redacted(url), reason(err)), client.Close())
	}
	taken := false
	s, err := sqlstore.OpenShared(ctx, behind, opts.SQL, sqlstore.SharedOptions{Lossy: opts.MayLose, Log: func(id string) sqlstore.LogServer {
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
func connect(url string) (redis.UniversalClient, error) {
	silence()
	wrong := func() error {
		return xxladapter.Invalidf("redis is %q, must be redis://USER:PASSWORD@HOST:PORT/DB, rediss:// with TLS, or redis+sentinel://HOST:PORT/DB?master_name=NAME", sqlstore.Redacted(url))
	}
	if rest, is := strings.CutPrefix(url, "redis+sentinel://"); is {
		opts, err := redis.ParseFailoverURL("redis://" + rest)
		if err != nil || opts.MasterName == "" {
			return nil, wrong()
		}
		return redis.NewFailoverClient(opts), nil
	}
	opts, err := redis.ParseURL(url)
	if err != nil || opts.Network == "unix" && !strings.HasPrefix(url, "unix://") {
		return nil, wrong()
	}
	return redis.NewClient(opts), nil
}

// check refuses a server that may lose what it has confirmed.
func check(ctx context.Context, client redis.UniversalClient, mayLose bool) error {
	if err := client.Ping(ctx).Err(); err != nil {
		return err
	}
	if mayLose {
		return nil
	}
	found := map[string]string{}
	for _, name := range []string{"appendonly", "appendfsync", "maxmemory", "maxmemory-policy"} {
		values, err := client.ConfigGet(ctx, name).Result()
		if err != nil {
			return fmt.Errorf("its settings cannot be read, which must be appendonly yes and appendfsync always, or --redis-may-lose: %w", err)
		}
		found[name] = values[name]
	}
	switch {
	case found["appendonly"] != "yes", found["appendfsync"] != "always":
		return xxladapter.Invalidf("redis has appendonly %s and appendfsync %s, must have yes and always, or --redis-may-lose", found["appendonly"], found["appendfsync"])
	case found["maxmemory"] != "0" && found["maxmemory-policy"] != "noeviction" && !strings.HasPrefix(found["maxmemory-policy"], "volatile-"):
		return xxladapter.Invalidf("redis has maxmemory-policy %s, must have noeviction, or --redis-may-lose", found["maxmemory-policy"])
	}
	return nil
}

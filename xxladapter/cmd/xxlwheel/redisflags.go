package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/redisstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// redisFlags name a Redis in front of the store.
type redisFlags struct {
	Redis        secret `placeholder:"URL" help:"Redis in front of a store on PostgreSQL or MySQL, the same for all schedulers of the store: redis://USER:PASSWORD@HOST:PORT/DB, redis+sentinel://USER:PASSWORD@HOST1:PORT,HOST2:PORT/NAME/DB, redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, with TLS rediss://, rediss+sentinel:// or rediss+cluster://, or @FILE that contains it (default: none)."`
	RedisMayLose bool   `help:"Allow a Redis that does not sync each write to its disk: what it loses is reported, and due times that may have been sent become misfires of the kind lost."`
}

// check refuses flags that cannot be used, before anything is opened.
func (f *redisFlags) check(store string) error {
	switch {
	case f.Redis == "" && f.RedisMayLose:
		return usagef("--redis-may-lose needs --redis")
	case f.Redis != "" && !strings.HasPrefix(store, "postgres:") && !strings.HasPrefix(store, "postgresql:") && !strings.HasPrefix(store, "mysql:"):
		return usagef("--redis needs a --store on PostgreSQL or MySQL: a file is faster with ?journal=on")
	}
	return nil
}

// open opens the store, with Redis in front of it if there is one.
func (f *redisFlags) open(ctx context.Context, place string, opts sqlstore.Options) (xxladapter.Store, error) {
	if f.Redis == "" {
		return openStore(ctx, place, opts)
	}
	store, err := redisstore.Open(ctx, string(f.Redis), place, redisstore.Options{SQL: opts, MayLose: f.RedisMayLose})
	if err != nil {
		return nil, refusedFlag(err)
	}
	return store, nil
}

type storeCompareCmd struct {
	Store secret `required:"" placeholder:"PLACE" help:"Store on PostgreSQL or MySQL, as for serve, or @FILE that contains it."`
	redisFlags
}

// Run brings everything into the tables and compares them. Schedulers may be running.
func (c *storeCompareCmd) Run(inv *invocation) error {
	if c.Redis == "" {
		return usagef("--redis is missing, must be that of the schedulers")
	}
	if err := c.check(string(c.Store)); err != nil {
		return err
	}
	s, err := redisstore.Open(inv.ctx, string(c.Redis), string(c.Store), redisstore.Options{MayLose: c.RedisMayLose})
	if err != nil {
		return refusedFlag(err)
	}
	defer s.Close() // nothing is left to write
	found, err := s.Compare(inv.ctx)
	if err != nil {
		return err
	}
	for _, line := range found.Differences {
		fmt.Fprintln(inv.stdout, line)
	}
	if n := len(found.Differences); n > 0 {
		return fmt.Errorf("%d rows of the tables differ from Redis", n)
	}
	fmt.Fprintf(inv.stdout, "%d fires, %d jobs and %d runs are equal in Redis and in the tables\n", found.Fires, found.Jobs, found.Runs)
	return nil
}

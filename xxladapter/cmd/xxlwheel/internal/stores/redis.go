package stores

import (
	"context"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/redisstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// RedisFlags name a Redis in front of the store.
type RedisFlags struct {
	Redis        flags.Secret `placeholder:"URL" help:"Redis in front of a store on PostgreSQL or MySQL, the same for all schedulers of the store: redis://USER:PASSWORD@HOST:PORT/DB, redis+sentinel://USER:PASSWORD@HOST1:PORT,HOST2:PORT/NAME/DB, redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, with TLS rediss://, rediss+sentinel:// or rediss+cluster://, or @FILE that contains it (default: none)."`
	RedisMayLose bool         `help:"Allow a Redis that does not sync each write to its disk: what it loses is reported, and due times that may have been sent become misfires of the kind lost."`
}

// Check refuses flags that cannot be used, before anything is opened.
func (f *RedisFlags) Check(store string) error {
	switch {
	case f.Redis == "" && f.RedisMayLose:
		return command.Usagef("--redis-may-lose needs --redis")
	case f.Redis != "" && !strings.HasPrefix(store, "postgres:") && !strings.HasPrefix(store, "postgresql:") &&
		!strings.HasPrefix(store, "mysql:"):
		return command.Usagef("--redis needs a --store on PostgreSQL or MySQL: a file is faster with ?journal=on")
	}
	return nil
}

// Open opens the store, with Redis in front of it if there is one.
func (f *RedisFlags) Open(ctx context.Context, place string, opts sqlstore.Options) (xxladapter.Store, error) {
	if f.Redis == "" {
		return Open(ctx, place, opts)
	}
	store, err := redisstore.Open(ctx, string(f.Redis), place, redisstore.Options{SQL: opts, MayLose: f.RedisMayLose})
	if err != nil {
		return nil, refusedFlag(err)
	}
	return store, nil
}

type storeCompareCmd struct {
	Store flags.Secret `required:"" placeholder:"PLACE" help:"Store on PostgreSQL or MySQL, as for serve, or @FILE that contains it."`
	RedisFlags
}

// Run brings everything that Redis has into the tables, and compares both. Schedulers may be
// running.
func (c *storeCompareCmd) Run(inv *command.Invocation) error {
	if c.Redis == "" {
		return command.Usagef("--redis is missing, must be that of the schedulers")
	}
	if err := c.Check(string(c.Store)); err != nil {
		return err
	}
	var differences []string
	var equal string
	err := command.Waiting(inv.Stderr, inv.Asks, command.Doing("comparing"), func() error {
		s, err := redisstore.Open(
			inv.Context, string(c.Redis), string(c.Store), redisstore.Options{MayLose: c.RedisMayLose},
		)
		if err != nil {
			return refusedFlag(err)
		}
		defer s.Close() // nothing is left to write
		found, err := s.Compare(inv.Context)
		differences = found.Differences
		equal = fmt.Sprintf("%d fires, %d jobs and %d runs", found.Fires, found.Jobs, found.Runs)
		return err
	})
	if err != nil {
		return err
	}
	for _, line := range differences {
		fmt.Fprintln(inv.Stdout, line)
	}
	if n := len(differences); n > 0 {
		return fmt.Errorf("%d rows of the tables differ from Redis", n)
	}
	fmt.Fprintf(inv.Stdout, "%s are equal in Redis and in the tables\n", equal)
	return nil
}

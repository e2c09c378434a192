package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/user"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/redisstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// openStore opens the store that a --store flag names.
func openStore(ctx context.Context, place string, opts sqlstore.Options) (xxladapter.Store, error) {
	store, err := sqlstore.Open(ctx, place, opts)
	if err != nil {
		return nil, refusedFlag(err) // keeps a nil *Store out of the interface
	}
	return store, nil
}

// refusedFlag names the flag in an error about the value of a flag, and the flag that would permit
// the value.
func refusedFlag(err error) error {
	var refused *xxladapter.Error
	switch {
	case errors.Is(err, redisstore.ErrMayLose):
		return usagef("%v (--redis-may-lose)", err)
	case errors.Is(err, sqlstore.ErrShared):
		return fmt.Errorf("%w (--redis)", err)
	}
	if errors.As(err, &refused) {
		return usagef("--%s", refused.Message)
	}
	return err
}

// byCommand returns the context of a command that changes a store itself.
func byCommand(ctx context.Context, command string) context.Context {
	by := xxladapter.Actor{Kind: xxladapter.ActorCommand}
	if u, err := user.Current(); err == nil {
		by.Name = u.Username
	}
	return xxladapter.WithActor(xxladapter.WithCall(ctx, "xxlwheel "+command), by)
}

// sameDatabase reports whether two addresses name the same database of a server.
func sameDatabase(a, b string) bool {
	x, err := url.Parse(a)
	y, yErr := url.Parse(b)
	return err == nil && yErr == nil && x.Scheme == y.Scheme && x.Host != "" && strings.EqualFold(x.Host, y.Host) && x.Path == y.Path &&
		x.Query().Get("socket") == y.Query().Get("socket")
}

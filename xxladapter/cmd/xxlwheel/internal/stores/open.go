// Package stores has the commands that work on a store themselves, without a scheduler: copy,
// compare, back up, migrate, and take jobs over from a database of XXL-JOB. Package serve opens its
// store with it.
package stores

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/redisstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// Open opens the store that a --store flag names.
func Open(ctx context.Context, place string, opts sqlstore.Options) (xxladapter.Store, error) {
	return openFor(ctx, "--store", place, opts)
}

// openFor opens the store that a flag names.
func openFor(ctx context.Context, flag, place string, opts sqlstore.Options) (xxladapter.Store, error) {
	if err := Check(flag, place); err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, place, opts)
	if err != nil {
		return nil, refusedFlag(err) // keeps a nil *Store out of the interface
	}
	return store, nil
}

// openTables opens the store that a flag names, without the journal that the place asks for. What
// is left of a journal is first brought into the tables; with ?journal=lost also if files of it are
// missing.
func openTables(ctx context.Context, flag, place string, opts sqlstore.Options) (xxladapter.Store, error) {
	file, isFile := sqlstore.FileOf(place)
	if !isFile {
		return openFor(ctx, flag, place, opts)
	}
	if err := Check(flag, place); err != nil {
		return nil, err
	}
	if strings.HasSuffix(place, "?journal=lost") {
		s, err := openFor(ctx, flag, place, opts)
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	return openFor(ctx, flag, "sqlite:"+file, opts)
}

// Check refuses the value of a flag that cannot be the place of a store, before anything is opened.
func Check(flag, place string) error {
	err := sqlstore.Check(place)
	var refused *xxladapter.Error
	if errors.As(err, &refused) {
		return command.Usagef("%s", refused.MessageFor(flag))
	}
	return err
}

// mustExist refuses a file that is not there: opening it would create an empty store.
func mustExist(flag, place string) error {
	file, isFile := sqlstore.FileOf(place)
	if !isFile {
		return nil
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return command.Usagef("%s is %q, must be a store that exists", flag, sqlstore.Redacted(place))
	}
	return nil
}

// refusedFlag names the flag in an error about the value of a flag, and the flag that would permit
// the value.
func refusedFlag(err error) error {
	var refused *xxladapter.Error
	switch {
	case errors.Is(err, redisstore.ErrMayLose):
		return command.Usagef("%v (--redis-may-lose)", err)
	case errors.Is(err, sqlstore.ErrShared):
		return fmt.Errorf("%w (--redis)", err)
	}
	if errors.As(err, &refused) && refused.Field() != "" {
		return command.Usagef("%s", refused.MessageFor("--"+refused.Field()))
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

// SameDatabase reports whether two addresses name the same database of a server.
func SameDatabase(a, b string) bool {
	x, err := url.Parse(a)
	y, yErr := url.Parse(b)
	return err == nil && yErr == nil && x.Scheme == y.Scheme && x.Host != "" && strings.EqualFold(x.Host, y.Host) &&
		x.Path == y.Path &&
		x.Query().Get("socket") == y.Query().Get("socket")
}

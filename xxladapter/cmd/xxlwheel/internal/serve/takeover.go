package serve

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/stores"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// offerTakeOver lets administrators take jobs from the database that --takeover-from names. It
// refuses a store that cannot take them.
func (c *Cmd) offerTakeOver(
	ctx context.Context, store xxladapter.Store, opts *node.Options, using sqlstore.Options,
) error {
	if c.TakeoverFrom == "" {
		return nil
	}
	if stores.SameDatabase(string(c.TakeoverFrom), string(c.Store)) {
		return command.Usagef(
			"--takeover-from is the database of --store, which is served as it is: nothing has to be taken",
		)
	}
	d, err := store.Describe(ctx)
	if err != nil {
		return err
	}
	if d.Journal {
		return command.Usagef("--takeover-from cannot be used with a store that has a journal: stop the scheduler and run xxlwheel takeover")
	}
	opts.TakeOver = func(ctx context.Context, dryRun bool) (*fromxxljob.Report, error) {
		return sqlstore.TakeOver(
			ctx, string(c.TakeoverFrom), store,
			sqlstore.TakeOverOptions{Options: using, DryRun: dryRun, Profile: c.CronProfile},
		)
	}
	return nil
}

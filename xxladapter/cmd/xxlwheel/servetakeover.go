package main

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/takeover"
)

// offerTakeOver lets administrators take jobs from the database that --takeover-from names. It
// refuses a store that cannot take them.
func (c *serveCmd) offerTakeOver(ctx context.Context, store xxladapter.Store, opts *node.Options, using sqlstore.Options) error {
	if c.TakeoverFrom == "" {
		return nil
	}
	if sameDatabase(string(c.TakeoverFrom), string(c.Store)) {
		return usagef("--takeover-from is the database of --store, which is served as it is: nothing has to be taken")
	}
	d, err := store.Describe(ctx)
	if err != nil {
		return err
	}
	if d.Journal {
		return usagef("--takeover-from cannot be used with a store that has a journal: give xxlwheel takeover while the scheduler is stopped")
	}
	opts.TakeOver = func(ctx context.Context, dryRun bool) (*takeover.Report, error) {
		return sqlstore.TakeOver(ctx, string(c.TakeoverFrom), store, sqlstore.TakeOverOptions{Options: using, DryRun: dryRun, Profile: c.CronProfile})
	}
	return nil
}

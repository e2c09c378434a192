package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// migrateCmd is for databases that belong to somebody else. Our own stores migrate themselves when
// they are opened.
type migrateCmd struct {
	Store          secret `required:"" placeholder:"PLACE" help:"Database, as mysql://USER:PASSWORD@HOST:PORT/DATABASE or @FILE that contains it; with --zone any store."`
	Plan           bool   `xor:"act" help:"Only print the statements, so that an administrator can run them."`
	DueIndex       bool   `help:"Also add an index on (trigger_status, trigger_next_time) to XXL-JOB's table of jobs, so that scans need not read all rows. Worthwhile from 50,000 jobs on; Java admins are not affected."`
	Zone           string `xor:"act" placeholder:"ZONE" help:"Change the time zone in which the schedulers of the store evaluate cron expressions. None of them may be running. Works for any store."`
	CreateUpstream bool   `xor:"act" help:"First create XXL-JOB's own tables, those of release 3.4.2, in a database that has none."`
}

func (c *migrateCmd) Run(inv *invocation) error {
	if c.Zone != "" {
		return c.changeZone(inv)
	}
	store := string(c.Store)
	if !strings.HasPrefix(store, "mysql:") {
		return usagef("--store is %q, must be mysql://USER:PASSWORD@HOST:PORT/DATABASE", sqlstore.Redacted(store))
	}
	opts := sqlstore.Options{Logger: slog.New(slog.NewTextHandler(inv.stderr, nil))}
	if !c.Plan {
		if err := sqlstore.MigrateMySQL(inv.ctx, store, c.CreateUpstream, opts); err != nil || !c.DueIndex {
			return err
		}
		return waiting(inv.stderr, inv.asks, doing("adding the index"), func() error {
			_, err := sqlstore.DueIndexMySQL(inv.ctx, store, true, opts)
			return err
		})
	}
	plan, err := sqlstore.PlanMySQL(inv.ctx, store, opts)
	if err == nil && c.DueIndex {
		var statement string
		if statement, err = sqlstore.DueIndexMySQL(inv.ctx, store, false, opts); statement != "" {
			plan += statement + ";\n"
		}
	}
	if err == nil && plan == "" {
		plan = "-- Nothing to do.\n"
	}
	fmt.Fprint(inv.stdout, plan)
	return err
}

func (c *migrateCmd) changeZone(inv *invocation) error {
	zone, err := loadZone(c.Zone)
	if err != nil {
		return err
	}
	store, err := openStore(inv.ctx, string(c.Store), sqlstore.Options{Logger: slog.New(slog.NewTextHandler(inv.stderr, nil))})
	if err != nil {
		return err
	}
	name := node.ZoneName(zone)
	if err := errors.Join(store.ChangeZone(byCommand(inv.ctx, "migrate --zone"), name), store.Close()); err != nil {
		return err
	}
	fmt.Fprintf(inv.stdout, "schedules are evaluated in %s\n", name)
	return nil
}

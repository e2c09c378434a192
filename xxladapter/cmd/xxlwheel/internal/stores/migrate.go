package stores

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// MigrateCmd brings our side tables in a database of XXL-JOB up to date, or changes the zone of any
// store. Our own stores migrate themselves when they are opened.
type MigrateCmd struct {
	Store          flags.Secret `required:"" placeholder:"PLACE" help:"Database, as mysql://USER:PASSWORD@HOST:PORT/DATABASE or @FILE that contains it; with --zone any store."`
	Plan           bool         `xor:"act" help:"Only print the statements, so that an administrator can run them."`
	DueIndex       bool         `help:"Also add an index on (trigger_status, trigger_next_time) to XXL-JOB's table of jobs, so that scans need not read all rows. Worthwhile from 50,000 jobs on; Java admins are not affected."`
	Zone           string       `xor:"act" placeholder:"ZONE" help:"Change the time zone in which the schedulers of the store evaluate cron expressions. None of them may be running. Works for any store."`
	CreateUpstream bool         `xor:"act" help:"First create XXL-JOB's own tables, those of release 3.4.2, in a database that has none."`
}

func (c *MigrateCmd) Run(inv *command.Invocation) error {
	if c.Zone != "" {
		if c.DueIndex {
			return command.Usagef("--due-index must not be together with --zone")
		}
		return c.changeZone(inv)
	}
	store := string(c.Store)
	if !strings.HasPrefix(store, "mysql:") {
		return command.Usagef(
			"--store is %q, must be mysql://USER:PASSWORD@HOST:PORT/DATABASE", sqlstore.Redacted(store),
		)
	}
	opts := sqlstore.Options{Logger: slog.New(slog.NewTextHandler(inv.Stderr, nil))}
	if !c.Plan {
		if err := sqlstore.MigrateMySQL(inv.Context, store, c.CreateUpstream, opts); err != nil || !c.DueIndex {
			return err
		}
		return command.Waiting(inv.Stderr, inv.Asks, command.Doing("adding the index"), func() error {
			_, err := sqlstore.DueIndexMySQL(inv.Context, store, true, opts)
			return err
		})
	}
	plan, err := sqlstore.PlanMySQL(inv.Context, store, opts)
	if err == nil && c.DueIndex {
		var statement string
		if statement, err = sqlstore.DueIndexMySQL(inv.Context, store, false, opts); statement != "" {
			plan += statement + ";\n"
		}
	}
	if err == nil && plan == "" {
		plan = "-- Nothing to do.\n"
	}
	fmt.Fprint(inv.Stdout, plan)
	return err
}

func (c *MigrateCmd) changeZone(inv *command.Invocation) error {
	zone, err := flags.Zone(c.Zone)
	if err != nil {
		return err
	}
	if err := mustExist("--store", string(c.Store)); err != nil {
		return err
	}
	store, err := Open(
		inv.Context, string(c.Store), sqlstore.Options{Logger: slog.New(slog.NewTextHandler(inv.Stderr, nil))},
	)
	if err != nil {
		return err
	}
	name := node.ZoneName(zone)
	if err := errors.Join(store.ChangeZone(byCommand(inv.Context, "migrate --zone"), name), store.Close()); err != nil {
		return err
	}
	fmt.Fprintf(inv.Stdout, "schedules are evaluated in %s\n", name)
	return nil
}

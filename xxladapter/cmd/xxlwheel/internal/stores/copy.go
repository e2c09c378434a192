package stores

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// Cmd has the subcommands of xxlwheel store.
type Cmd struct {
	Copy    storeCopyCmd    `cmd:"" help:"Copy a store into an empty one, which may be of another kind."`
	Compare storeCompareCmd `cmd:"" help:"Bring what is in Redis into the tables, and compare both."`
}

type storeCopyCmd struct {
	From    flags.Secret `required:"" placeholder:"PLACE" help:"Store to copy, as for serve, or @FILE that contains it. No scheduler may be using it."`
	To      flags.Secret `required:"" placeholder:"PLACE" help:"Store to copy into, as for serve, or @FILE that contains it. It must be empty, or a file that does not exist."`
	History bool         `default:"true" help:"Copy what has happened too: runs, orders, misfires, figures, states of alarms, audit, versions of jobs, and backfills, also those that have not ended (default ${default}); --history=false leaves it out."`
	Output  string       `short:"o" default:"table" enum:"table,json,yaml" placeholder:"FORMAT" help:"Output format: table (default), json or yaml."`
}

// Run copies the tables that the flags ask for, and compares them.
func (c *storeCopyCmd) Run(inv *command.Invocation) error {
	if c.From == c.To || SameDatabase(string(c.From), string(c.To)) {
		return command.Usagef("--to is the same store as --from, must be another one")
	}
	if err := mustExist("--from", string(c.From)); err != nil {
		return err
	}
	opts := sqlstore.Options{
		Logger: slog.New(slog.NewTextHandler(inv.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	from, err := openTables(inv.Context, "--from", string(c.From), opts)
	if err != nil {
		return err
	}
	if err := sqlstore.CheckSource(inv.Context, from, sqlstore.CopyOptions{WithoutHistory: !c.History}); err != nil {
		return errors.Join(err, from.Close())
	}
	to, err := openTables(inv.Context, "--to", string(c.To), opts)
	if err != nil {
		return errors.Join(err, from.Close())
	}
	return errors.Join(c.copy(inv, from, to), to.Close(), from.Close())
}

func (c *storeCopyCmd) copy(inv *command.Invocation, from, to xxladapter.Store) error {
	opts := sqlstore.CopyOptions{WithoutHistory: !c.History}
	var step atomic.Value // what waiting shows
	step.Store("copying")
	opts.Progress = func(table string, rows int64) { step.Store(fmt.Sprintf("copying %s, %d rows", table, rows)) }
	var counts []sqlstore.TableCount
	err := command.Waiting(inv.Stderr, inv.Asks, func() string { return step.Load().(string) }, func() (err error) {
		counts, err = sqlstore.Copy(inv.Context, from, to, opts)
		return err
	})
	if err != nil {
		return err
	}
	if c.Output != "table" {
		return printing.Value(inv.Stdout, c.Output, map[string]any{"tables": counts})
	}
	rows, total := [][]string{{"TABLE", "ROWS"}}, int64(0)
	for _, count := range counts {
		if total += count.Rows; count.Rows > 0 {
			rows = append(rows, []string{count.Table, strconv.FormatInt(count.Rows, 10)})
		}
	}
	(&printing.Table{Out: inv.Stdout}).Print(rows)
	fmt.Fprintf(inv.Stdout, "%d rows were copied, and compared\n", total)
	return nil
}

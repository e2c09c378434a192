package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

type storeCmd struct {
	Copy    storeCopyCmd    `cmd:"" help:"Copy a store into an empty one, which may be of another kind."`
	Compare storeCompareCmd `cmd:"" help:"Bring what is in Redis into the tables, and compare both."`
}

type storeCopyCmd struct {
	From    secret `required:"" placeholder:"PLACE" help:"Store to copy, as for serve, or @FILE that contains it. No scheduler may be using it."`
	To      secret `required:"" placeholder:"PLACE" help:"Store to copy into, as for serve, or @FILE that contains it. It must be empty, or a file that does not exist."`
	History bool   `default:"true" help:"Copy what has happened too: runs, figures, audit and versions of jobs (default ${default}); --history=false leaves it out."`
	Output  string `short:"o" default:"table" enum:"table,json,yaml" placeholder:"FORMAT" help:"Output format: table (default), json or yaml."`
}

// Run copies all tables, and compares them.
func (c *storeCopyCmd) Run(inv *invocation) error {
	if c.From == c.To || sameDatabase(string(c.From), string(c.To)) {
		return usagef("--to is the same store as --from, must be another one")
	}
	opts := sqlstore.Options{Logger: slog.New(slog.NewTextHandler(inv.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	from, err := openStore(inv.ctx, withoutJournal(c.From), opts)
	if err != nil {
		return err
	}
	to, err := openStore(inv.ctx, withoutJournal(c.To), opts)
	if err != nil {
		return errors.Join(err, from.Close())
	}
	return errors.Join(c.copy(inv, from, to), to.Close(), from.Close())
}

// withoutJournal returns a place whose store brings a journal that is there into its tables first.
func withoutJournal(place secret) string {
	if file, isFile := sqlstore.FileOf(string(place)); isFile {
		return "sqlite:" + file
	}
	return string(place)
}

func (c *storeCopyCmd) copy(inv *invocation, from, to xxladapter.Store) error {
	opts := sqlstore.CopyOptions{WithoutHistory: !c.History}
	var step atomic.Value // what waiting shows
	step.Store("copying")
	opts.Progress = func(table string, rows int64) { step.Store(fmt.Sprintf("copying %s, %d rows", table, rows)) }
	var counts []sqlstore.TableCount
	err := waiting(inv.stderr, inv.asks, func() string { return step.Load().(string) }, func() (err error) {
		counts, err = sqlstore.Copy(inv.ctx, from, to, opts)
		return err
	})
	if err != nil {
		return err
	}
	if c.Output != "table" {
		text, err := json.Marshal(map[string]any{"tables": counts})
		if err != nil {
			return err
		}
		if c.Output == "yaml" {
			return printYAML(inv.stdout, text)
		}
		return printJSON(inv.stdout, text)
	}
	rows, total := [][]string{{"TABLE", "ROWS"}}, int64(0)
	for _, count := range counts {
		if total += count.Rows; count.Rows > 0 {
			rows = append(rows, []string{count.Table, strconv.FormatInt(count.Rows, 10)})
		}
	}
	(&table{out: inv.stdout}).print(rows)
	fmt.Fprintf(inv.stdout, "%d rows were copied, and compared\n", total)
	return nil
}

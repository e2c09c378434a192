// Command report runs the benchmarks of all timers in turn, writes tables and charts to
// bench/results, and the figures of the READMEs if there are at least ten rounds. It is run in its
// own folder:
//
//	go -C bench/report run . [-short] [-rounds N]
//	go -C bench/report run . -from ../results/raw.txt     # tables and figures again, without measuring
//
// It refuses to measure if the tree has uncommitted changes, because nobody could repeat the
// measurement. The flag -changed permits it, and the results then say so. They name the commit in
// any case. With -short, whose results are not for comparisons, changes do not matter.
//
// It needs a plotting library and the statistics of benchstat. They must not become dependencies of
// those who import the timers, so it is a module of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	short := flag.Bool(
		"short", false, "use small sizes and two rounds, to see that everything works; not for comparisons",
	)
	rounds := flag.Int("rounds", enoughRounds, "how `often` each benchmark runs")
	out := flag.String("out", published, "`folder` for the results; with -short a temporary one")
	changed := flag.Bool(
		"changed", false, "measure although the tree has changes that are not committed; the results say so",
	)
	limit := flag.Duration("limit", defaultLimit, "start no round that would end after this `time`")
	from := flag.String("from", "", "measure nothing, and write tables and charts from this raw output `file`")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(
		ctx, plan{short: *short, changed: *changed, rounds: *rounds, limit: *limit}, *out, *from,
	); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// published is the folder of the results that the READMEs cite.
const published = "../results"

// defaultLimit is the default of the flag -limit. On two processors a round takes less than three
// minutes; ten rounds, the cases that are measured once, and the building take 28 minutes.
const defaultLimit = 40 * time.Minute

// A plan says what is measured.
type plan struct {
	short   bool
	changed bool // the tree may have changes
	rounds  int
	limit   time.Duration
}

func run(ctx context.Context, p plan, out, from string) error {
	if p.rounds < 1 {
		return fmt.Errorf("-rounds is %d, must be positive", p.rounds)
	}
	if p.short {
		p.rounds = min(p.rounds, 2)
		dir, err := os.MkdirTemp("", "bench-short-")
		if err != nil {
			return err
		}
		out = dir
	}
	raw := from
	if raw == "" {
		t := readTree(".")
		if err := p.permits(t); err != nil {
			return err
		}
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
		raw = filepath.Join(out, "raw.txt")
		if err := measure(ctx, p, t, raw); err != nil {
			return err
		}
	}
	results, err := readResults(raw)
	if err != nil {
		return err
	}
	if err := writeFile(
		filepath.Join(out, "report.md"), func(w io.Writer) error { return writeTables(w, results) },
	); err != nil {
		return err
	}
	if err := drawAll(out, results); err != nil {
		return err
	}
	fmt.Println("written to", out)
	if out != published {
		return nil
	}
	return writeREADMEs(readmes, results)
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

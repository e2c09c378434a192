// Command report runs the benchmarks of all timers in turn and writes tables and charts to
// bench/results. It is run in its own folder:
//
//	go -C bench/report run . [-short] [-rounds N]
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
	short := flag.Bool("short", false, "use small sizes and two rounds, to see that everything works; not for comparisons")
	rounds := flag.Int("rounds", 10, "how `often` each benchmark runs")
	out := flag.String("out", "../results", "`folder` for the results; with -short a temporary one")
	limit := flag.Duration("limit", 20*time.Minute, "start no round that would end after this `time`")
	from := flag.String("from", "", "measure nothing, and write tables and charts from this raw output `file`")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *short, *rounds, *limit, *out, *from); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, short bool, rounds int, limit time.Duration, out, from string) error {
	if rounds < 1 {
		return fmt.Errorf("-rounds is %d, must be positive", rounds)
	}
	if short {
		rounds = min(rounds, 2)
		dir, err := os.MkdirTemp("", "bench-short-")
		if err != nil {
			return err
		}
		out = dir
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	raw := from
	if raw == "" {
		raw = filepath.Join(out, "raw.txt")
		if err := measure(ctx, short, rounds, limit, raw); err != nil {
			return err
		}
	}
	results, err := readResults(raw)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(out, "report.md"), func(w io.Writer) error { return writeTables(w, results) }); err != nil {
		return err
	}
	if err := drawAll(out, results); err != nil {
		return err
	}
	fmt.Println("written to", out)
	return nil
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

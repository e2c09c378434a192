// Command load measures the scheduler on this machine, with everything that
// takes part on it: scheduler, store and, where runs are handed over, executor.
//
//	go run ./bench/load trip -jobs 500 -for 30s     whole trips: fire record, HTTP, run, result, log row
//	go run ./bench/load scan -jobs 100000           the schedule loop alone, with all jobs due in one second
//	go run ./bench/load crowd -jobs 1000000         2,000 jobs due every second among many that are not
//	go run ./bench/load idle -jobs 100000           what a scheduler costs while nothing is due
//
// The flag -store names an empty store in the form of "xxlwheel serve --store", which is not
// emptied afterwards. The default, sqlite, is a temporary file.
//
// The result is a line in the format that benchstat reads. make bench-scheduler runs all four on
// servers of its own and writes bench/results/scheduler.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// A measurement is one kind of load.
type measurement struct {
	name string
	run  func(ctx context.Context, out io.Writer, p plan) error
	jobs int // unless -jobs says otherwise
}

var measurements = []measurement{
	{"trip", trip, 500},
	{"scan", scan, 100_000},
	{"crowd", crowd, 1_000_000},
	{"idle", idle, 100_000},
}

// A plan holds the settings of the command line.
type plan struct {
	store    string
	jobs     int
	duration time.Duration
	burst    bool
	texts    xxladapter.TextPolicy
	every    time.Duration // between lines of gauges; 0 prints none
	profile  string        // a file for the processor profile; empty means none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	node.Tune() // as xxlwheel does
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	m, args, err := choose(args)
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("load "+m.name, flag.ExitOnError)
	var p plan
	flags.StringVar(&p.store, "store", "sqlite", "`where` jobs and fires are kept: sqlite, or an empty store at sqlite:FILE, or at mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE")
	flags.IntVar(&p.jobs, "jobs", m.jobs, "`number` of jobs")
	flags.DurationVar(&p.duration, "for", 30*time.Second, "how `long` to measure; scan ends when all jobs are planned")
	flags.BoolVar(&p.burst, "burst", false, "trip: make all jobs due at the start of the second")
	flags.StringVar((*string)(&p.texts), "texts", string(xxladapter.TextsFailures), "trip: which runs' `texts` are stored: off, failures or all")
	flags.DurationVar(&p.every, "every", 0, "trip: print the state of pool, store and processors at this `interval`; 0 prints nothing")
	flags.StringVar(&p.profile, "cpuprofile", "", "write a processor profile of this process to `file`, for go tool pprof")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if p.jobs < 1 || p.duration < time.Second || p.every < 0 || flags.NArg() > 0 {
		return fmt.Errorf("-jobs must be at least 1, -for at least 1s, -every not negative, and nothing else may be given")
	}
	fmt.Fprintf(out, "# %s on %s, %s %s/%s, %s, %s\n", m.name, sqlstore.Redacted(p.store),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, machine(), time.Now().UTC().Format(time.DateOnly))
	if p.profile == "" {
		return m.run(ctx, out, p)
	}
	file, err := os.Create(p.profile)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	err = m.run(ctx, out, p)
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}

// choose splits the measurement's name off the arguments. The default is trip.
func choose(args []string) (measurement, []string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return measurements[0], args, nil
	}
	var names []string
	for _, m := range measurements {
		if m.name == args[0] {
			return m, args[1:], nil
		}
		names = append(names, m.name)
	}
	return measurement{}, nil, fmt.Errorf("measurement is %q, must be one of %s", args[0], strings.Join(names, ", "))
}

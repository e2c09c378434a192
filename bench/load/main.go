// Command load measures the scheduler on this machine, together with its store and, where runs are
// handed over, an executor.
//
//	go run ./bench/load trip -jobs 500 -for 30s     whole trips: fire record, HTTP, run, result, log row
//	go run ./bench/load trip -queue FILE            the same through a broker, a program of nats-server or redis-server
//	go run ./bench/load scan -jobs 100000           the schedule loop alone, all jobs due at one instant
//	go run ./bench/load crowd -jobs 1000000         2,000 jobs due every second among many that are not
//	go run ./bench/load crowd -nodes 3              the same with three schedulers
//	go run ./bench/load trip -nodes 3 -scheduling leader -spread hash    whole trips with a leader
//	go run ./bench/load trip -nodes 3 -scheduling leader -spread hash -burst -answer 100ms    the same where one node has too few places
//	go run ./bench/load idle -jobs 100000           what a scheduler costs while nothing is due
//	go run ./bench/load overload -jobs 4000 -for 2m twice and four times what can be carried
//	go run ./bench/load overload -same              the same with as many jobs in each phase, due more often
//	go run ./bench/load bulk -jobs 100000           seconds to create, start, change, stop and delete all jobs
//	go run ./bench/load rival -rival ratchjob -program FILE -jobs 1000     whole trips of any scheduler, from outside
//
// The flag -store names an empty store in the form of "xxlwheel serve --store", which is not
// emptied afterwards. The default, sqlite, is a temporary file, and so is journal, with a journal
// in front. With memory, trip measures what remains of a trip without a database. The flag -redis
// puts a Redis in front of a store on PostgreSQL or MySQL. The executor of trip has a process of
// its own.
//
// The result is a line in the format that benchstat reads. make bench-scheduler runs trip, scan,
// idle and crowd on servers of its own and writes bench/results/scheduler.md.
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
	// jobs and duration are the defaults of -jobs and -for.
	jobs     int
	duration time.Duration
}

var measurements = []measurement{
	{"trip", trip, 500, 30 * time.Second},
	{"scan", scan, 100_000, 30 * time.Second},
	{"crowd", crowd, 1_000_000, 30 * time.Second},
	{"idle", idle, 100_000, 30 * time.Second},
	{"overload", overload, 1000, time.Minute},
	{"bulk", bulk, 100_000, 30 * time.Second},
	{"rival", rival, 500, 30 * time.Second},
}

// A plan holds the settings of the command line.
type plan struct {
	store          string
	redis          string // in front of the store; empty means none
	jobs           int
	duration       time.Duration
	burst          bool
	same           bool
	batch          bool
	answer         time.Duration // of the executor; 0 means at once
	texts          xxladapter.TextPolicy
	every          time.Duration // between lines of gauges; 0 prints none
	nodes          int           // schedulers on one store
	scheduling     xxladapter.SchedulingMode
	spread         xxladapter.Spread
	rival, program string
	// queue is the program of the broker through which runs go; empty means HTTP.
	queue string
	kills int
	// profile and executorProfile are files for processor profiles; empty means none.
	profile, executorProfile string
	// heapProfile is the file for a profile of the memory in use; empty means none.
	heapProfile string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == executorArg {
		if err := serveJobs(os.Stdin, os.Stdout, os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "load: executor:", err)
			os.Exit(1)
		}
		return
	}
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
	flags.StringVar(&p.store, "store", "sqlite", "`where` jobs and fires are kept: sqlite, journal (SQLite with a journal), memory (trip only), or an empty store at sqlite:FILE, or at mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE")
	flags.StringVar(
		&p.redis, "redis", "", "a Redis in front of a store on PostgreSQL or MySQL, a `URL` as in redis://HOST:PORT/DB",
	)
	flags.IntVar(&p.jobs, "jobs", m.jobs, "`number` of jobs")
	flags.DurationVar(&p.duration, "for", m.duration, "how `long` to measure; scan ends when all jobs are planned")
	flags.BoolVar(&p.burst, "burst", false, "trip: make all jobs due at the start of the second")
	flags.BoolVar(&p.same, "same", false, "overload: raise the load by due times of the same number of jobs; otherwise more jobs are due")
	flags.BoolVar(&p.batch, "batch", false, "trip: let the executor take batches of runs; otherwise each run has a request of its own, as with executors of XXL-JOB")
	flags.DurationVar(
		&p.answer, "answer", 0, "trip: how much `later` the executor answers a run request, as behind a slow network",
	)
	flags.StringVar(&p.queue, "queue", "", "trip: hand runs over through a broker, a program `file`: redis-server, or the nats-server that \"go build\" of github.com/nats-io/nats-server/v2 makes in xxladapter/queue/queuetest; otherwise over HTTP")
	flags.StringVar(
		(*string)(&p.texts), "texts", string(xxladapter.TextsFailures),
		"trip: which runs' `texts` are stored: off, failures or all",
	)
	flags.DurationVar(
		&p.every, "every", 0,
		"trip: print the state of pool, store and processors at this `interval`; 0 prints nothing",
	)
	flags.IntVar(
		&p.nodes, "nodes", 1, "crowd, trip: `number` of schedulers on the store, each with connections of its own",
	)
	flags.StringVar(
		(*string)(&p.scheduling), "scheduling", string(xxladapter.SchedulingAll),
		"trip: which schedulers plan jobs, a `mode`: all or leader",
	)
	flags.StringVar(
		(*string)(&p.spread), "spread", string(xxladapter.SpreadNone),
		"trip: who hands over what a leader plans, a `way`: none, hash, random or round",
	)
	flags.StringVar(
		&p.rival, "rival", "xxlwheel",
		"rival: which `kind` of scheduler is measured: "+strings.Join(rivalNames(), ", "),
	)
	flags.StringVar(&p.program, "program", "", "rival: its binary or jar, a `file`")
	flags.IntVar(&p.kills, "kills", 0, "rival: `how` often it is killed and restarted")
	flags.StringVar(
		&p.profile, "cpuprofile", "", "write a processor profile of this process to `file`, for go tool pprof",
	)
	flags.StringVar(
		&p.executorProfile, "executor-cpuprofile", "",
		"trip: write a processor profile of the executor's process to `file`",
	)
	flags.StringVar(
		&p.heapProfile, "heapprofile", "",
		"trip: write a profile of the memory in use to `file`, of the collection that found most",
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if p.store == "memory" && m.name != "trip" {
		return fmt.Errorf("-store is memory, must be a database for %s", m.name)
	}
	if p.redis != "" && (!strings.HasPrefix(p.store, "postgres://") && !strings.HasPrefix(p.store, "mysql://") ||
		m.name == "rival") {
		return fmt.Errorf("-redis needs -store postgres://... or mysql://..., and has no meaning for rival")
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag, only flags may follow %s", flags.Arg(0), m.name)
	case p.jobs < 1:
		return fmt.Errorf("-jobs is %d, must be at least 1", p.jobs)
	case p.nodes < 1:
		return fmt.Errorf("-nodes is %d, must be at least 1", p.nodes)
	case p.duration < time.Second:
		return fmt.Errorf("-for is %v, must be at least 1s", p.duration)
	case p.every < 0:
		return fmt.Errorf("-every is %v, must not be negative", p.every)
	case p.answer < 0:
		return fmt.Errorf("-answer is %v, must not be negative", p.answer)
	case p.kills < 0:
		return fmt.Errorf("-kills is %d, must not be negative", p.kills)
	}
	if p.nodes > 1 && (m.name != "crowd" && m.name != "trip" || kind(p.store) == "journal") {
		return fmt.Errorf("-nodes is %d, must be 1 except for crowd and trip on a store without a journal", p.nodes)
	}
	if p.queue != "" && (m.name != "trip" || p.batch) {
		return errors.New("-queue is set, must be empty except for trip without -batch")
	}
	place := sqlstore.Redacted(p.store)
	if p.redis != "" {
		place += " behind " + sqlstore.Redacted(p.redis)
	}
	fmt.Fprintf(out, "# %s on %s, %s %s/%s, %s, %s\n", m.name, place,
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

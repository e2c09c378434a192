// Command xxlwheel is the scheduler, a sample executor, and the command line
// that manages jobs, in one binary. Run "xxlwheel --help".
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // zones of jobs, also where the system has none

	"github.com/alecthomas/kong"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// commands is the whole command line.
type commands struct {
	Demo     demoCmd     `cmd:"" help:"Run a scheduler, two executors and three sample jobs, and show every fire."`
	Serve    serveCmd    `cmd:"" help:"Run the scheduler."`
	Executor executorCmd `cmd:"" help:"Run the sample executor."`
	Job      jobCmd      `cmd:"" help:"Manage the jobs of a running scheduler."`
	Group    groupCmd    `cmd:"" help:"Manage the groups of executors of a running scheduler."`
	Node     nodeCmd     `cmd:"" help:"Look at the schedulers that work on a store together."`
	Log      logCmd      `cmd:"" help:"Look at the runs of a running scheduler, and end them."`
	Alarm    alarmCmd    `cmd:"" help:"Try out how failed runs are told of."`
	Report   reportCmd   `cmd:"" help:"Show what became of the runs of each day."`
	Check    checkCmd    `cmd:"" help:"Judge a history of jobs and runs: what was missed, doubled, early or late."`
	Migrate  migrateCmd  `cmd:"" help:"Create or update our side tables in a MySQL or MariaDB database with XXL-JOB's tables."`
	Cron     cronCmd     `cmd:"" help:"Work with cron expressions."`
}

// Exit codes.
const (
	exitOK    = 0
	exitFail  = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a clean end. From then on a second one ends the
	// process at once, as if nobody listened for signals.
	context.AfterFunc(ctx, stop)
	node.Tune()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// An invocation is what a command gets to work with.
type invocation struct {
	ctx    context.Context
	stdout io.Writer
	stderr io.Writer
}

// newParser reads the command line into cli.
func newParser(cli *commands, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(cli, append(more,
		kong.Name("xxlwheel"),
		kong.Description("An XXL-JOB compatible scheduler on a hashed wheel timer.\n\n"+
			"serve, executor and demo read each of their flags from an environment variable XXLWHEEL_<FLAG> too, "+
			"for example --access-token from XXLWHEEL_ACCESS_TOKEN. The commands that call a running scheduler read only "+
			"XXLWHEEL_SERVER and XXLWHEEL_ACCESS_TOKEN."),
		kong.UsageOnError(),
		kong.PostBuild(variables))...)
}

// run executes one command line and returns the exit code. Whatever goes wrong
// is one line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var cli commands
	exited := -1
	parser, err := newParser(&cli, kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }))
	if err != nil {
		panic(err) // the command structure itself is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "xxlwheel: %v (try --help)\n", err)
		return exitUsage
	}
	err = parsed.Run(&invocation{ctx, stdout, stderr})
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "xxlwheel: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "xxlwheel: %v\n", err)
	return exitFail
}

// A usageError is a command line that can be parsed and makes no sense.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

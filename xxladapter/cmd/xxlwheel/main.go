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
	"golang.org/x/term"

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
	Alarm    alarmCmd    `cmd:"" help:"Try out how failed runs are reported."`
	Report   reportCmd   `cmd:"" help:"Show what became of the runs of each day."`
	Check    checkCmd    `cmd:"" help:"Judge a history of jobs and runs: what was missed, doubled, early or late."`
	Backup   backupCmd   `cmd:"" help:"Copy a SQLite store into a new file, also while schedulers use it."`
	Migrate  migrateCmd  `cmd:"" help:"Create or update our side tables in a MySQL or MariaDB database with XXL-JOB's tables."`
	Cron     cronCmd     `cmd:"" help:"Work with cron expressions."`

	VersionCommand versionCmd  `cmd:"" name:"version" help:"Print the version, the revision and the Go release of this binary."`
	Version        versionFlag `help:"Print the version, the revision and the Go release of this binary."`
}

// Exit codes.
const (
	exitOK        = 0
	exitFail      = 1
	exitUsage     = 2
	exitRunFailed = 3
	exitWaited    = 4
)

// exitHelp is what --help says of them.
const exitHelp = "Exit codes: 0 done; 1 failed; 2 the command line is wrong; from job trigger --wait also 3 the run failed " +
	"and 4 it had not ended when the wait was over."

// An exitError ends the command with a code of its own.
type exitError struct {
	code int
	msg  string
}

func (e *exitError) Error() string { return e.msg }

var errDeclined = errors.New("not confirmed, nothing was done")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a clean end. From then on a second one ends the
	// process at once, as if nobody listened for signals.
	context.AfterFunc(ctx, stop)
	node.Tune()
	os.Exit(run(ctx, os.Args[1:], console{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		asks: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	}))
}

// A console is where a command line came from.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// asks says that somebody sits there who can answer.
	asks bool
}

// An invocation is what a command gets to work with.
type invocation struct {
	ctx context.Context
	console
}

// newParser reads the command line into cli.
func newParser(cli *commands, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(cli, append(more,
		kong.Name("xxlwheel"),
		kong.Description("An XXL-JOB compatible scheduler on a hashed wheel timer.\n\n"+
			"serve, executor and demo read each of their flags from an environment variable XXLWHEEL_<FLAG> too, "+
			"for example --access-token from XXLWHEEL_ACCESS_TOKEN. The commands that call a running scheduler read only "+
			"XXLWHEEL_SERVER, XXLWHEEL_ACCESS_TOKEN, XXLWHEEL_TLS_CA and XXLWHEEL_OUTPUT, and the others none. Flags for tokens, passwords and stores also take @FILE, "+
			"for a file whose only line is the value.\n\n"+exitHelp),
		kong.UsageOnError(),
		kong.PostBuild(variables))...)
}

// run executes one command line and returns the exit code. Whatever goes wrong
// is one line on stderr.
func run(ctx context.Context, args []string, at console) int {
	stderr := at.stderr
	var cli commands
	exited := -1
	parser, err := newParser(&cli, kong.Writers(at.stdout, stderr), kong.Exit(func(code int) { exited = code }))
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
		fmt.Fprintf(stderr, "xxlwheel: %s (try --help)\n", oneLine(err.Error()))
		return exitUsage
	}
	if err = parsed.Run(&invocation{ctx, at}); err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "xxlwheel: %s\n", oneLine(err.Error()))
	var usage *usageError
	var exit *exitError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &exit):
		return exit.code
	}
	return exitFail
}

// A usageError is a command line that can be parsed and makes no sense.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

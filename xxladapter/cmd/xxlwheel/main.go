// Command xxlwheel is the scheduler, a sample executor, and the command line that manages jobs, in
// one binary. Run "xxlwheel --help".
//
// A command is in the file of its name: "job why" in jobwhy.go. Where to look for other things:
//
//	the command line itself      main.go, parser.go, settingsfile.go, environment.go, man.go,
//	                             invocation.go, exit.go, build.go
//	serve and its options        serve.go, serve*.go, *flags.go, logging.go, listen.go,
//	                             servicemanager.go
//	executor and demo            executor.go, samples.go, demo.go
//	calls of the API             apiclient.go, clientflags.go, clientgroups.go, trust.go, order.go,
//	                             ifunchanged.go, groupasread.go
//	what is printed              output.go, listing.go, table.go, ledger.go, yaml.go, printjson.go,
//	                             plaintext.go, changes.go, handover.go, instants.go
//	what people are asked        confirm.go, password.go, waiting.go, progress.go
//	times and secrets in flags   days.go, instant.go, clock.go, zone.go, secret.go
//	declarations                 apply.go, export.go, takeover.go
//	a store without a scheduler  openstore.go, migrate.go, backup.go, storecopy.go, redisflags.go
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // zones of jobs, for systems that have no zone data

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// commands is the whole command line.
type commands struct {
	Demo     demoCmd     `cmd:"" help:"Run a scheduler, two executors and three sample jobs, and show every fire."`
	Serve    serveCmd    `cmd:"" help:"Run the scheduler."`
	Executor executorCmd `cmd:"" help:"Run the sample executor."`
	Job      jobCmd      `cmd:"" help:"Manage the jobs of a running scheduler."`
	Group    groupCmd    `cmd:"" help:"Manage the groups of executors of a running scheduler."`
	Pause    pauseCmd    `cmd:"" help:"Pause the schedules of a group, or all schedules, for a time."`
	Calendar calendarCmd `cmd:"" help:"Manage calendars of days without work."`
	User     userCmd     `cmd:"" help:"Manage the users of a running scheduler."`
	Token    tokenCmd    `cmd:"" help:"Manage the personal tokens of users."`
	Session  sessionCmd  `cmd:"" help:"List and end the sessions in which a user is signed in."`
	Node     nodeCmd     `cmd:"" help:"Show the schedulers that share a store."`
	Backfill backfillCmd `cmd:"" help:"Show and cancel backfills, which job backfill begins."`
	Log      logCmd      `cmd:"" help:"Show, kill and clear the runs of a running scheduler."`
	Schedule scheduleCmd `cmd:"" help:"Show what a schedule will do."`
	Audit    auditCmd    `cmd:"" help:"Show, export and verify who changed what."`
	Overview overviewCmd `cmd:"" help:"Show at a glance what is wrong, and what comes next."`
	Forecast forecastCmd `cmd:"" help:"Show how many fires and how much run time to expect."`
	Graph    graphCmd    `cmd:"" help:"Show jobs and their child jobs in layers, with their last results."`
	Export   exportCmd   `cmd:"" help:"Declare the calendars, groups and jobs of a running scheduler in a file, by app names and keys."`
	Apply    applyCmd    `cmd:"" help:"Change the calendars, groups and jobs of a running scheduler to what files declare."`
	Takeover takeoverCmd `cmd:"" help:"Take groups, jobs, scripts, users and figures from a database of XXL-JOB into a store."`
	Events   eventsCmd   `cmd:"" help:"Print what changes in a running scheduler, as it happens."`
	Info     infoCmd     `cmd:"" help:"Show what a running scheduler is: version, store, zone, retention and limits."`
	Alarm    alarmCmd    `cmd:"" help:"Test the channels through which failed runs are reported."`
	Stats    statsCmd    `cmd:"" help:"Show how runs ended, how long they took and how late they were."`
	Report   reportCmd   `cmd:"" help:"Show how many runs of each day succeeded and failed."`
	Check    checkCmd    `cmd:"" help:"Check a history of jobs and runs for missed, duplicate, early and late runs."`
	Backup   backupCmd   `cmd:"" help:"Copy a SQLite store to a new file, even while schedulers use it."`
	Store    storeCmd    `cmd:"" help:"Copy stores."`
	Migrate  migrateCmd  `cmd:"" help:"Create or update xxlwheel's own tables in a MySQL or MariaDB database that has XXL-JOB's."`
	Cron     cronCmd     `cmd:"" help:"Evaluate and describe cron expressions."`
	Config   configCmd   `cmd:"" help:"Print and check files of settings for serve, executor and demo."`

	MCP        mcpCmd                    `cmd:"" name:"mcp" help:"Serve an assistant over standard input and output, by the Model Context Protocol; read-only unless allowed otherwise."`
	Completion kongcompletion.Completion `cmd:"" help:"Print how to switch on the completion of commands and flags in bash, zsh or fish."`
	Man        manCmd                    `cmd:"" help:"Print a manual page with all commands, for man."`

	VersionCommand versionCmd  `cmd:"" name:"version" help:"Print the version, the revision and the Go release of this binary."`
	Version        versionFlag `help:"Print the version, the revision and the Go release of this binary."`
}

// exitHelp describes the exit codes in --help.
const exitHelp = "Exit codes: 0 success; 1 failure; 2 invalid command line; job trigger --wait also returns 3 if the run failed, " +
	"and 4 if it had not ended when --wait-limit was reached; apply --dry-run returns 5 if anything would change."

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a clean end. After it a second one ends the process at once, as if
	// no handler were installed.
	context.AfterFunc(ctx, stop)
	node.Tune()
	os.Exit(run(ctx, os.Args[1:], console{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		asks: isTerminal(os.Stdin) && isTerminal(os.Stderr),
	}))
}

// run executes one command line and returns the exit code. Any error is one line on stderr.
func run(ctx context.Context, args []string, at console) int {
	stderr := at.stderr
	var cli commands
	exited := -1
	parser, err := parserOf(&cli, args, kong.Writers(at.stdout, stderr), kong.Exit(func(code int) { exited = code }))
	if err != nil {
		panic(err) // the command structure itself is wrong
	}
	if kongcompletion.Register(parser); exited >= 0 { // the shell asked for completions
		return exited
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
	if err = parsed.Run(&invocation{ctx: ctx, console: at}); err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "xxlwheel: %s\n", oneLine(err.Error()))
	return exitCode(err)
}

// Command xxlwheel is the scheduler, a sample executor, and the command line that manages jobs, in
// one binary. Run "xxlwheel --help".
//
// This package is the command line itself: main.go names all commands and runs one, and parser.go
// builds the parser for it. version.go, man.go and config.go are about this binary, check.go judges
// a recorded history, and mcp.go lets an assistant call a scheduler.
//
// The other commands are in packages of internal, by subject:
//
//	serve      serve: its flags, and how the parts of a scheduler are opened and closed
//	sample     executor: the sample executor, whose handlers the demo has too
//	demo       demo: a scheduler and two executors, with a line for every fire
//	jobs       job, backfill
//	groups     group, with the drains of executors
//	runs       run: what ran, and the logs that runs wrote
//	schedules  schedule, cron, calendar, pause, forecast
//	observe    overview, stats, report, graph, events, info, node
//	audit      audit
//	alarms     alarm, and the flags that name channels
//	users      user, token, session
//	declared   export, apply
//	stores     store, backup, migrate, takeover: what is done to a store without a scheduler
//
// They are made of:
//
//	command     the invocation, exit codes, questions to a person, progress
//	client      calls of the API, the flags for them, and lists that are printed page by page
//	printing    tables, JSON, YAML, and text that is safe for a terminal
//	flags       secrets, spans, instants and zones, as values of flags
//	settings    values of flags from the environment and from a file
//	completion  the values by which shells complete flags
//	daemon      what serve, executor and demo share: ports, TLS, the log, telemetry, a broker
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // zones of jobs, for systems that have no zone data

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/alarms"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/completion"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/declared"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/demo"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/groups"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/jobs"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/observe"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/sample"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/schedules"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/serve"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/stores"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/users"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// commands is the whole command line.
type commands struct {
	Demo     demo.Cmd              `cmd:"" help:"Run a scheduler, two executors and three sample jobs, and show every fire."`
	Serve    serve.Cmd             `cmd:"" help:"Run the scheduler."`
	Executor sample.Cmd            `cmd:"" help:"Run the sample executor."`
	Job      jobs.Cmd              `cmd:"" help:"Manage the jobs of a running scheduler."`
	Group    groups.Cmd            `cmd:"" help:"Manage the groups of executors of a running scheduler."`
	Pause    schedules.PauseCmd    `cmd:"" help:"Pause the schedules of a group, or all schedules, for a time."`
	Calendar schedules.CalendarCmd `cmd:"" help:"Manage calendars of days without work."`
	User     users.UserCmd         `cmd:"" help:"Manage the users of a running scheduler."`
	Token    users.TokenCmd        `cmd:"" help:"Manage the personal tokens of users."`
	Session  users.SessionCmd      `cmd:"" help:"List and end your own sessions, and change your own password."`
	Node     observe.NodeCmd       `cmd:"" help:"Show and drain the nodes that share a store: each is one process of serve."`
	Backfill jobs.BackfillCmd      `cmd:"" help:"Show and cancel backfills, which job backfill begins."`
	Run      runs.Cmd              `cmd:"" help:"Show, kill and clear the runs of a running scheduler."`
	Schedule schedules.ScheduleCmd `cmd:"" help:"Show what a schedule will do."`
	Audit    audit.Cmd             `cmd:"" help:"Show, export and verify who changed what."`
	Overview observe.OverviewCmd   `cmd:"" help:"Show at a glance what is wrong, and what comes next."`
	Forecast schedules.ForecastCmd `cmd:"" help:"Show how many fires and how much run time to expect."`
	Graph    observe.GraphCmd      `cmd:"" help:"Show jobs and their child jobs in layers, with their last results."`
	Export   declared.ExportCmd    `cmd:"" help:"Declare the calendars, groups and jobs of a running scheduler in a file, by app names and keys."`
	Apply    declared.ApplyCmd     `cmd:"" help:"Change the calendars, groups and jobs of a running scheduler to what files declare."`
	Takeover stores.TakeoverCmd    `cmd:"" help:"Take groups, jobs, scripts, users and figures from a database of XXL-JOB into a store."`
	Events   observe.EventsCmd     `cmd:"" help:"Print what changes in a running scheduler, as it happens."`
	Info     observe.InfoCmd       `cmd:"" help:"Show what a running scheduler is: version, store, zone, retention and limits."`
	Alarm    alarms.Cmd            `cmd:"" help:"Test the channels through which failed runs are reported."`
	Stats    observe.StatsCmd      `cmd:"" help:"Show how runs ended, how long they took and how late they were."`
	Report   observe.ReportCmd     `cmd:"" help:"Show how many runs of each day succeeded and failed."`
	Check    checkCmd              `cmd:"" help:"Check a history of jobs and runs for missed, duplicate, early and late runs."`
	Backup   stores.BackupCmd      `cmd:"" help:"Copy a SQLite store to a new file, even while schedulers use it."`
	Store    stores.Cmd            `cmd:"" help:"Copy a store, and compare Redis with the tables."`
	Migrate  stores.MigrateCmd     `cmd:"" help:"Create or update xxlwheel's own tables in a MySQL or MariaDB database that has XXL-JOB's."`
	Cron     schedules.CronCmd     `cmd:"" help:"Evaluate and describe cron expressions."`
	Config   configCmd             `cmd:"" help:"Print and check files of settings for serve, executor and demo."`

	MCP        mcpCmd                    `cmd:"" name:"mcp" help:"Serve an assistant over standard input and output, by the Model Context Protocol; read-only unless allowed otherwise."`
	Completion kongcompletion.Completion `cmd:"" help:"Print how to switch on the completion of commands and flags in bash, zsh or fish."`
	Man        manCmd                    `cmd:"" help:"Print a manual page with all commands, for man."`

	VersionCommand versionCmd  `cmd:"" name:"version" help:"Print the version, the revision and the Go release of this binary."`
	Version        versionFlag `help:"Print the version, the revision and the Go release of this binary."`
}

// exitHelp describes the exit codes in --help.
const exitHelp = "Exit codes: 0 success; 1 failure; 2 invalid command line; job trigger --wait and job backfill --wait also return 3 if a run failed; " +
	"job trigger --wait returns 4 if it had not ended when --wait-limit was reached; apply --dry-run returns 5 if anything would change."

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for a clean end. After it a second one ends the process at once, as if
	// no handler were installed.
	context.AfterFunc(ctx, stop)
	node.Tune()
	os.Exit(run(ctx, os.Args[1:], command.Console{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Asks: command.IsTerminal(os.Stdin) && command.IsTerminal(os.Stderr),
	}))
}

// run executes one command line and returns the exit code. Any error is one line on stderr.
func run(ctx context.Context, args []string, at command.Console) int {
	stderr, out := at.Stderr, command.NewOutput(at.Stdout)
	help := io.Writer(out)
	if command.IsTerminal(at.Stdout) {
		help = at.Stdout // kong asks the file for the width of the terminal
	}
	at.Stdout = out
	var cli commands
	exited := -1
	parser, err := parserOf(&cli, args, kong.Writers(help, stderr), kong.Exit(func(code int) { exited = code }))
	if err != nil {
		panic(err) // the command structure itself is wrong
	}
	if kongcompletion.Register(parser, kongcompletion.WithPredictors(completion.Predictors())); exited >= 0 { // the shell asked for completions
		return exited
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case out.Err() != nil: // of --help or --version, after which nothing runs
		return ended(out, nil, stderr)
	case exited >= 0:
		return exited
	case err != nil:
		fmt.Fprintf(stderr, "xxlwheel: %s (try --help)\n", printing.OneLine(err.Error()))
		return command.ExitUsage
	}
	return ended(out, parsed.Run(&command.Invocation{Context: ctx, Console: at}), stderr)
}

// ended reports how a command has ended, and returns its exit code.
func ended(out *command.Output, err error, stderr io.Writer) int {
	if err == nil {
		// A reader that is gone is no failure: only daemons outlive it.
		if err = out.Err(); errors.Is(err, syscall.EPIPE) {
			err = nil
		}
	}
	if err == nil {
		return command.ExitOK
	}
	joined := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }) // each on its line
	fmt.Fprintf(stderr, "xxlwheel: %s\n", printing.OneLine(strings.Join(joined, "; ")))
	return command.ExitCode(err)
}

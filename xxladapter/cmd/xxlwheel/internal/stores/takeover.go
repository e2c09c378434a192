package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// TakeoverCmd takes groups, jobs and users over from a database of XXL-JOB.
type TakeoverCmd struct {
	From        flags.Secret `required:"" placeholder:"PLACE" help:"Database of XXL-JOB 2.3.0 or later, as mysql://USER:PASSWORD@HOST:PORT/DATABASE?zone=ZONE, or @FILE that contains it. It is only read."`
	Store       flags.Secret `default:"sqlite:xxlwheel.db" placeholder:"PLACE" help:"Store to copy into, as for serve; schedulers may be using it, unless it has a journal (default ${default})."`
	DryRun      bool         `help:"Only print what would be taken. Missing tables of xxlwheel are created all the same, except in a new SQLite file."`
	Logs        bool         `help:"Also take the log rows of runs that have ended, up to the newest one at the first takeover with --logs."`
	Start       bool         `help:"Also start the jobs that are on in the database. It must have been without executors and triggers for a minute, so that nothing fires twice."`
	Source      string       `placeholder:"NAME" help:"Name under which the store remembers what it took (default: host, port and database)."`
	Zone        string       `default:"Local" placeholder:"ZONE" help:"Time zone of the store's schedulers, as for serve (default: this machine's)."`
	CronProfile cron.Profile `predictor:"cron-profile" default:"quartz" placeholder:"NAME" help:"How the store's schedulers evaluate cron expressions, as for serve: quartz (default), xxl34, sane or unix."`
	Output      string       `short:"o" default:"table" enum:"table,json,yaml" placeholder:"FORMAT" help:"Output format: table (default), json or yaml."`
}

// TakeoverReport is the report of a takeover.
type TakeoverReport struct {
	*fromxxljob.Report
	Started []int64 `json:"started"` // ids in the store
}

// Run takes groups, jobs and what belongs to them from a database of XXL-JOB.
func (c *TakeoverCmd) Run(inv *command.Invocation) error {
	if c.DryRun && c.Start {
		return command.Usagef("--start cannot be used with --dry-run")
	}
	if SameDatabase(string(c.From), string(c.Store)) {
		return command.Usagef(
			"--store is the database of --from: serve works on it as it is, and nothing has to be taken",
		)
	}
	zone, err := flags.Zone(c.Zone)
	if err != nil {
		return err
	}
	place, done, err := c.place()
	if err != nil {
		return err
	}
	defer done()
	opts := sqlstore.Options{
		Logger: slog.New(slog.NewTextHandler(inv.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Zone: zone,
	}
	if err := sqlstore.CheckTakeOver(inv.Context, string(c.From), opts); err != nil {
		return refusedFrom(err)
	}
	store, err := openTables(inv.Context, "--store", place, opts)
	if err != nil {
		return err
	}
	return errors.Join(c.take(inv, store, opts), store.Close())
}

// place returns where the store is. A dry run does not create the file.
func (c *TakeoverCmd) place() (place string, done func(), err error) {
	if err := Check("--store", string(c.Store)); err != nil {
		return "", nil, err
	}
	file, isFile := sqlstore.FileOf(string(c.Store))
	if !isFile {
		return string(c.Store), func() {}, nil
	}
	if _, err := os.Stat(file); !c.DryRun || !errors.Is(err, fs.ErrNotExist) {
		return string(c.Store), func() {}, nil
	}
	dir, err := os.MkdirTemp("", "xxlwheel")
	if err != nil {
		return "", nil, err
	}
	return "sqlite:" + filepath.Join(dir, "empty.db"), func() { _ = os.RemoveAll(dir) }, nil
}

func (c *TakeoverCmd) take(inv *command.Invocation, store xxladapter.Store, opts sqlstore.Options) error {
	ctx := byCommand(inv.Context, "takeover")
	from := string(c.From)
	var report *fromxxljob.Report
	var step atomic.Value // what waiting shows
	step.Store("taking over")
	err := command.Waiting(inv.Stderr, inv.Asks, func() string { return step.Load().(string) }, func() (err error) {
		report, err = sqlstore.TakeOver(ctx, from, store, sqlstore.TakeOverOptions{
			Options: opts, Source: c.Source, DryRun: c.DryRun, Logs: c.Logs, Profile: c.CronProfile,
			Progress: func(done, last int64) {
				step.Store(fmt.Sprintf("taking over runs, up to id %d of %d", done, last))
			},
		})
		return err
	})
	if err != nil {
		return refusedFrom(err)
	}
	result := TakeoverReport{Report: report, Started: []int64{}}
	var startErr error
	if c.Start {
		startErr = c.start(inv, store, opts.Zone, &result)
	}
	return errors.Join(c.print(inv, &result), startErr)
}

// refusedFrom names the flag in an error about the database.
func refusedFrom(err error) error {
	var refused *xxladapter.Error
	if errors.As(err, &refused) && refused.Code == xxladapter.CodeInvalid {
		return command.Usagef("--from: %s", refused.Message)
	}
	return err
}

// start starts the jobs that are on in the database and off in the store.
func (c *TakeoverCmd) start(
	inv *command.Invocation, store xxladapter.Store, zone *time.Location, result *TakeoverReport,
) error {
	if result.Served {
		return fmt.Errorf("no job was started: executors or triggers wrote to the database less than %v ago; stop XXL-JOB's admins, wait, and give the command again", fromxxljob.Quiet)
	}
	ctx := byCommand(inv.Context, "takeover --start")
	agreed, err := store.AgreeZone(ctx, node.ZoneName(zone))
	if err != nil {
		return err
	}
	if zone, err = time.LoadLocation(agreed); err != nil {
		return fmt.Errorf("the schedulers' zone %q is unknown here: %w", agreed, err)
	}
	for _, taken := range result.Taken {
		if !taken.On || !taken.Starts {
			continue
		}
		job, err := store.Job(ctx, taken.ID)
		if err != nil {
			return err
		}
		own, err := xxladapter.ZoneOf(job.Settings.Zone, zone)
		if err != nil {
			return fmt.Errorf("start job %d: %w", job.ID, err)
		}
		plan, err := cron.ParsePlan(string(job.ScheduleType), job.ScheduleConf, own, c.CronProfile)
		if err != nil || job.Running {
			continue // somebody has changed or started it since
		}
		next, err := xxladapter.StartJob(ctx, store, job.ID, job.Updated, plan.Next)
		if err != nil {
			return err
		}
		if !next.IsZero() {
			result.Started = append(result.Started, job.ID)
		}
	}
	return nil
}

func (c *TakeoverCmd) print(inv *command.Invocation, result *TakeoverReport) error {
	if c.Output != "table" {
		return printing.Value(inv.Stdout, c.Output, result)
	}
	rows := [][]string{{"", "TAKEN", "HAD", "LEFT"}}
	for _, kind := range []struct {
		name string
		fromxxljob.Count
	}{
		{"groups", result.Groups}, {"jobs", result.Jobs}, {"versions", result.Versions}, {"users", result.Users},
		{"days", result.Days}, {"logs", result.Logs},
	} {
		rows = append(
			rows, []string{kind.name, strconv.Itoa(kind.Taken), strconv.Itoa(kind.Before), strconv.Itoa(kind.Left)},
		)
	}
	(&printing.Table{Out: inv.Stdout}).Print(rows)
	for _, n := range result.Notes {
		of := n.Kind
		if n.ID != 0 {
			of += " " + strconv.FormatInt(n.ID, 10)
		}
		if n.Name != "" {
			of += " (" + n.Name + ")"
		}
		fmt.Fprintln(inv.Stdout, printing.OneLine(n.What+": "+of+" "+n.Text))
	}
	ids := "new ids"
	if result.KeptIDs {
		ids = "the same ids"
	}
	on := 0
	for _, j := range result.Taken {
		if j.On {
			on++
		}
	}
	switch {
	case result.DryRun:
		fmt.Fprintf(inv.Stdout, "nothing was taken; new jobs would get %s, %d jobs are on in the database\n", ids, on)
	case c.Start:
		fmt.Fprintf(inv.Stdout, "%d of %d jobs that are on in the database were started\n", len(result.Started), on)
	default:
		fmt.Fprintf(inv.Stdout, "new jobs are stopped and have %s, %d jobs are on in the database\n", ids, on)
	}
	return nil
}

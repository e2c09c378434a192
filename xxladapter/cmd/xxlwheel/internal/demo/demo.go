// Package demo has the command demo: a scheduler, two executors and three jobs in one process, and
// a ledger that prints every run and computes the totals.
package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/daemon"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/sample"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/settings"
	webconsole "github.com/xxlwheel/xxlwheel/xxladapter/console"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// Cmd runs the demo.
type Cmd struct {
	For     *time.Duration `placeholder:"DURATION" help:"Stop after this time, for example 15s (default: run until Ctrl-C)."`
	DB      string         `predictor:"file" name:"db" placeholder:"FILE" help:"SQLite file to use and keep, so that the next run continues from it (default: a temporary file)."`
	Verbose bool           `help:"Show the log of the scheduler and the executors, like --log-level info."`

	settings.Flags
	daemon.LogFlags `set:"log_level=error"`
}

const demoApp = "xxlwheel-demo"

// demoJobs are created in the first run on a database.
var demoJobs = []map[string]any{
	{
		"appName": demoApp, "author": "demo", "name": "every second", "scheduleType": "CRON",
		"scheduleConf":    "* * * * * ?",
		"executorHandler": "demoJobHandler", "executorParam": "tick", "executorRouteStrategy": "ROUND",
	},
	{
		"appName": demoApp, "author": "demo", "name": "every five seconds", "scheduleType": "FIX_RATE",
		"scheduleConf":    "5",
		"executorHandler": "demoJobHandler", "executorParam": "tock", "executorRouteStrategy": "FIRST",
	},
	{
		"appName": demoApp, "author": "demo", "name": "sharded over two", "scheduleType": "CRON",
		"scheduleConf":    "0/3 * * * * ?",
		"executorHandler": "shardingJobHandler", "executorRouteStrategy": "SHARDING_BROADCAST",
	},
}

const (
	// demoGrace limits the wait at the end for the results of runs that were sent.
	demoGrace = 5 * time.Second
	// demoTail is the time before the end within which no due time counts as missed, because the
	// end may come before its hand-over.
	demoTail = 1 * time.Second
)

// Check refuses settings that cannot be used, before anything is opened.
func (c *Cmd) Check() error {
	if c.For != nil && *c.For <= 0 {
		return command.Usagef("--for is %v, must be more than 0", *c.For)
	}
	return nil
}

func (c *Cmd) Run(inv *command.Invocation) error {
	if err := c.Check(); err != nil {
		return err
	}
	limit := time.Duration(0) // none
	if c.For != nil {
		limit = *c.For
	}
	dir, err := os.MkdirTemp("", "xxlwheel-demo-")
	if err != nil {
		return fmt.Errorf("make temporary folder: %w", err)
	}
	file := c.DB
	if file == "" {
		// Kept after the end, so that its tables can be inspected.
		file = filepath.Join(dir, "demo.db")
	}
	if c.Verbose {
		c.LogLevel = "info"
	}
	daemon.OutliveReader()
	logger := c.Logger(inv.Stderr)
	store, err := sqlstore.OpenJournaled(inv.Context, file, sqlstore.Options{Logger: logger})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	d := &demo{
		inv: inv, logger: logger, store: store, file: file, dataDir: filepath.Join(dir, "executors"),
		ledger: newLedger(inv.Stdout), token: rand.Text(),
	}
	err = errors.Join(d.run(inv.Context, limit), store.Close())
	if c.DB != "" {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return errors.Join(err, os.RemoveAll(d.dataDir))
}

// A demo is one run of the command.
type demo struct {
	inv     *command.Invocation
	logger  *slog.Logger
	store   xxladapter.Store
	file    string
	dataDir string
	ledger  *ledger
	token   string

	api  client.API
	jobs []*xxladapter.Job // as they were before anything was scheduled
	open []xxladapter.Fire // planned by an earlier run and not settled
}

func (d *demo) run(ctx context.Context, limit time.Duration) error {
	pages, err := webconsole.New(webconsole.Options{})
	if err != nil {
		return err
	}
	n, err := node.New(node.Options{
		Console: pages, Store: d.store, AccessToken: d.token, Logger: d.logger,
		OnEvent: d.ledger.event, OnMisfire: d.ledger.misfire,
	})
	if err != nil {
		return err
	}
	ln, err := daemon.Listen("--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d.api = client.API{Server: "http://" + ln.Addr().String(), Token: d.token}
	// The token behind # signs the browser in; browsers send no fragment to a server.
	fmt.Fprintf(d.inv.Stdout, "console %s#token=%s\n", daemon.ConsoleURL("http://", ln.Addr()), d.token)
	fmt.Fprintf(d.inv.Stdout, "database %s\nscheduler %s\n", d.file, d.api.Server)

	// Three lifetimes, nested: the server accepts results as long as an executor may send one, and
	// the executors run as long as anything may be sent to them.
	outer := context.WithoutCancel(ctx)
	httpCtx, stopHTTP := context.WithCancel(outer)
	defer stopHTTP()
	execCtx, stopExecutors := context.WithCancel(outer)
	defer stopExecutors()
	schedCtx, stopSchedule := context.WithCancel(ctx)
	defer stopSchedule()

	var server, executors errgroup.Group
	server.Go(func() error {
		defer stopSchedule()
		return n.Serve(httpCtx, ln)
	})
	addrs, err := d.startExecutors(execCtx, &executors, 2)
	if err == nil {
		err = d.prepare(schedCtx, addrs)
	}
	if err == nil {
		if limit > 0 {
			time.AfterFunc(limit, stopSchedule)
		}
		err = n.Schedule(schedCtx)
	}
	ended := time.Now()
	d.ledger.waitForResults(demoGrace)
	stopExecutors()
	err = errors.Join(err, executors.Wait())
	stopHTTP()
	err = errors.Join(err, server.Wait())
	if err != nil {
		return err
	}
	missed, err := d.missed(outer, ended)
	if err == nil {
		fmt.Fprintln(d.inv.Stdout, d.ledger.totals(missed))
	}
	return err
}

// startExecutors starts n executors, which run until ctx ends, and returns their addresses.
func (d *demo) startExecutors(ctx context.Context, group *errgroup.Group, n int) ([]string, error) {
	var addrs []string
	for i := range n {
		e, err := executor.New(executor.Options{
			Admins: []string{d.api.Server}, AppName: demoApp, AccessToken: d.token, Listen: "127.0.0.1:0",
			DataDir: filepath.Join(d.dataDir, fmt.Sprint(i)), Logger: d.logger,
		})
		if err != nil {
			return nil, err
		}
		if err := sample.Handle(e); err != nil {
			return nil, err
		}
		ended := make(chan error, 1)
		group.Go(func() error {
			err := e.Run(ctx)
			ended <- err
			return err
		})
		select {
		case <-e.Ready():
		case err := <-ended:
			return nil, fmt.Errorf("start executor: %w", err)
		}
		addrs = append(addrs, e.Address())
		fmt.Fprintf(d.inv.Stdout, "executor %s\n", e.Address())
	}
	return addrs, nil
}

// prepare creates the sample jobs in a new database, and returns once exactly the executors of this
// run are registered.
func (d *demo) prepare(ctx context.Context, addrs []string) error {
	if err := d.prepareJobs(ctx); err != nil {
		return err
	}
	group, err := d.waitForExecutors(ctx, addrs)
	if err != nil {
		return err
	}
	if d.jobs, err = d.store.Jobs(ctx, xxladapter.JobFilter{GroupID: group.ID}); err != nil {
		return err
	}
	if d.open, err = d.store.OpenFires(ctx, xxladapter.FireFilter{}); err != nil {
		return err
	}
	for _, j := range d.jobs {
		d.ledger.name(j)
	}
	fmt.Fprintln(d.inv.Stdout, "\n"+header)
	return nil
}

// prepareJobs creates the group and the jobs in a new database, through the API as a user would.
func (d *demo) prepareJobs(ctx context.Context) error {
	groups, err := d.store.Groups(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(groups, func(g *xxladapter.Group) bool { return g.AppName == demoApp }) {
		return nil
	}
	if err := d.api.Call(
		ctx, http.MethodPost, "/groups", map[string]any{"appName": demoApp, "title": "demo"}, nil,
	); err != nil {
		return err
	}
	for _, form := range demoJobs {
		var created struct{ ID int64 }
		if err := d.api.Call(ctx, http.MethodPost, "/jobs", form, &created); err != nil {
			return err
		}
		if err := d.api.Call(ctx, http.MethodPost, fmt.Sprintf("/jobs/%d/start", created.ID), nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// waitForExecutors returns once addrs are registered in the group. It removes addresses that an
// earlier run left behind.
func (d *demo) waitForExecutors(ctx context.Context, addrs []string) (*xxladapter.Group, error) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	limit := time.After(10 * time.Second)
	for {
		groups, err := d.store.Groups(ctx)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			if g.AppName != demoApp {
				continue
			}
			registered := 0
			for _, a := range g.Addresses {
				if slices.Contains(addrs, a) {
					registered++
				} else if err := d.store.Unregister(ctx, demoApp, a); err != nil {
					return nil, err
				}
			}
			if registered == len(addrs) && registered == len(g.Addresses) {
				return g, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("interrupted before the executors had registered")
		case <-limit:
			return nil, fmt.Errorf("executors %s did not register within 10s", strings.Join(addrs, ", "))
		case <-ticker.C:
		}
	}
}

// missed counts the due times up to demoTail before the end that did not fire: those of fires that
// an earlier run planned, and those that the schedules give, except the ones in a misfire record.
// Jobs that somebody has changed meanwhile are left out, since their due times are not known.
func (d *demo) missed(ctx context.Context, ended time.Time) (int, error) {
	changed := map[int64]bool{}
	for _, j := range d.jobs {
		is, err := d.store.Job(ctx, j.ID)
		if err != nil && !errors.Is(err, xxladapter.ErrNotFound) {
			return 0, err
		}
		changed[j.ID] = err != nil || !is.Updated.Equal(j.Updated)
	}
	missed := 0
	for _, f := range d.open {
		if f.State == xxladapter.FirePlanned && f.Due.Before(ended.Add(-demoTail)) && !changed[f.JobID] &&
			!d.ledger.hasFired(f.JobID, f.Due) {
			missed++
		}
	}
	for _, j := range d.jobs {
		if changed[j.ID] || !j.Running || j.TriggerNext.IsZero() {
			continue
		}
		zone, err := xxladapter.ZoneOf(j.Settings.Zone, time.Local)
		if err != nil {
			continue
		}
		plan, err := cron.ParsePlan(string(j.ScheduleType), j.ScheduleConf, zone)
		if err != nil {
			continue
		}
		due := j.TriggerNext
		for !due.IsZero() && due.Before(ended.Add(-demoTail)) {
			at, ok := d.ledger.misfiredAt(j.ID, due)
			if !ok {
				at = due
				if !d.ledger.hasFired(j.ID, due) {
					missed++
				}
			}
			if j.ScheduleType == xxladapter.ScheduleFixDelay {
				break // later due times depend on the ends of runs
			}
			due = plan.Next(at)
		}
	}
	return missed, nil
}

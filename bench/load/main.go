// Command load measures the whole trip of a job on this machine: fire record,
// run request over HTTP, run, result, log row. It starts a scheduler and an
// executor in one process, gives them jobs that fire every second, and prints
// what was handed over, how late, and what it cost.
//
//	go run ./bench/load -jobs 500 -for 30s
//
// Everything shares the machine, so the figures are those of a scheduler that
// has to leave room for its own executor and database. Lateness is from the due
// time to the moment when the run request leaves. The jobs are spread over the
// second unless -burst is given, in which case all of them are due at its start.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"golang.org/x/sync/errgroup"
)

func main() {
	jobs := flag.Int("jobs", 500, "`number` of jobs that fire every second")
	duration := flag.Duration("for", 30*time.Second, "how `long` to measure")
	burst := flag.Bool("burst", false, "let all jobs be due at the start of the second")
	flag.Parse()
	if *jobs < 1 || *duration < time.Second || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "load: -jobs must be at least 1, -for at least 1s, and nothing else may be given")
		os.Exit(2)
	}
	if err := run(os.Stdout, *jobs, *duration, *burst); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

const appName = "load"

// settle is how long before the first due time the jobs are started.
const settle = 5 * time.Second

func run(out io.Writer, jobs int, duration time.Duration, burst bool) (err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "xxlwheel-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := sqlstore.OpenSQLite(ctx, filepath.Join(dir, "load.db"), sqlstore.Options{Logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	seen := new(seen)
	n, err := node.New(node.Options{Store: store, Logger: logger, OnEvent: seen.event, OnMisfire: seen.misfire})
	if err != nil {
		return err
	}
	e, err := executor.New(executor.Options{
		Admins: []string{"http://" + ln.Addr().String()}, AppName: appName,
		Listen: "127.0.0.1:0", DataDir: filepath.Join(dir, "executor"), Logger: logger,
	})
	if err != nil {
		return err
	}
	if err := e.Handle("noop", func(context.Context, *executor.Run) error { return nil }); err != nil {
		return err
	}

	executing, stopExecutor := context.WithCancel(ctx)
	defer stopExecutor()
	serving, stopServing := context.WithCancel(ctx)
	defer stopServing()
	scheduling, stopScheduling := context.WithCancel(ctx)
	defer stopScheduling()
	var server, runner errgroup.Group
	server.Go(func() error { return n.Serve(serving, ln) })
	runner.Go(func() error { return e.Run(executing) })
	<-e.Ready()

	fmt.Fprintf(out, "%s %s/%s, %d cores, %s; %d jobs every second for %v, burst %t, SQLite with a sync for each commit\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), time.Now().UTC().Format(time.DateOnly), jobs, duration, burst)
	first, err := addJobs(ctx, store, e.Addr(), jobs, burst)
	if err != nil {
		return err
	}
	time.AfterFunc(time.Until(first.Add(duration)), stopScheduling)
	if err := n.Schedule(scheduling); err != nil {
		return err
	}
	seen.wait(10 * time.Second)
	stopExecutor()
	err = runner.Wait()
	stopServing()
	if err := errors.Join(err, server.Wait()); err != nil {
		return err
	}
	fmt.Fprintln(out, seen.report(duration))
	return nil
}

// addJobs stores and starts the jobs, and returns the first due time.
func addJobs(ctx context.Context, store xxladapter.Store, addr string, jobs int, burst bool) (time.Time, error) {
	group, err := store.SaveGroup(ctx, &xxladapter.Group{
		AppName: appName, Title: appName, AddressType: xxladapter.AddressManual, Addresses: []string{addr},
	})
	if err != nil {
		return time.Time{}, err
	}
	ids := make([]int64, jobs)
	var writers errgroup.Group
	writers.SetLimit(64) // the store commits them in groups
	for i := range ids {
		writers.Go(func() error {
			j := &xxladapter.Job{
				GroupID: group, Name: fmt.Sprintf("job %d", i), Author: "load", Handler: "noop",
				ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?",
			}
			if !burst {
				// A period of whole seconds is due at whole seconds, all jobs at
				// once; this one keeps the milliseconds of the start.
				j.ScheduleType, j.ScheduleConf = xxladapter.ScheduleFixRate, "1.001"
			}
			j.SetDefaults()
			var err error
			ids[i], err = store.CreateJob(ctx, j)
			return err
		})
	}
	if err := writers.Wait(); err != nil {
		return time.Time{}, err
	}
	first := time.Now().Truncate(time.Second).Add(settle)
	for i, id := range ids {
		writers.Go(func() error {
			due := first
			if !burst {
				due = due.Add(time.Duration(i) * time.Second / time.Duration(jobs)).Truncate(time.Millisecond)
			}
			return store.StartJob(ctx, id, due)
		})
	}
	return first, writers.Wait()
}

// seen counts what the scheduler reports. It may be used from any goroutine.
type seen struct {
	mu                                 sync.Mutex
	late                               []time.Duration
	sent, failed, ended, early, missed int
}

func (s *seen) event(e trigger.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case trigger.EventResult:
		s.ended++
	case trigger.EventFailed:
		s.failed++
	case trigger.EventSent:
		s.sent++
		s.late = append(s.late, e.At.Sub(e.Fire.Due))
		if e.At.Before(e.Fire.Due) {
			s.early++
		}
	}
}

func (s *seen) misfire(xxladapter.Misfire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed++
}

// wait returns when every run that was sent has its result, or after limit.
func (s *seen) wait(limit time.Duration) {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		done := s.ended >= s.sent
		s.mu.Unlock()
		if done {
			return
		}
	}
}

func (s *seen) report(duration time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.late)
	at := func(q float64) float64 {
		if len(s.late) == 0 {
			return 0
		}
		return float64(s.late[int(q*float64(len(s.late)-1))]) / float64(time.Millisecond)
	}
	return fmt.Sprintf("%.0f fires/s: sent=%d results=%d failed=%d misfires=%d early=%d late_p50=%.1fms late_p99=%.1fms late_max=%.1fms cpu=%.2f cores",
		float64(s.ended)/duration.Seconds(), s.sent, s.ended, s.failed, s.missed, s.early,
		at(0.50), at(0.99), at(1), cpuTime().Seconds()/(duration+settle).Seconds())
}

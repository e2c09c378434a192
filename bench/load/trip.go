package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"golang.org/x/sync/errgroup"
)

// trip measures whole trips of jobs that fire every second: fire record, run
// request over HTTP, run, result, log row. Scheduler and executor share one
// process. Lateness is the time from the due time until the run request is
// sent. The jobs are spread over the second, or all due at its start.
func trip(ctx context.Context, out io.Writer, p plan) error {
	o, err := open(ctx, p.store)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	seen := new(seen)
	n, err := node.New(node.Options{Store: o.Store, Logger: logger, RunTexts: p.texts, OnEvent: seen.event, OnMisfire: seen.misfire})
	if err != nil {
		return err
	}
	e, err := executor.New(executor.Options{
		Admins: []string{"http://" + ln.Addr().String()}, AppName: appName,
		Listen: "127.0.0.1:0", DataDir: filepath.Join(o.dir, "executor"), Logger: logger,
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
	var server, runner errgroup.Group
	server.Go(func() error { return n.Serve(serving, ln) })
	runner.Go(func() error { return e.Run(executing) })
	<-e.Ready()

	first, err := startTrips(ctx, o, e.Addr(), p.jobs, p.burst)
	if err != nil {
		return err
	}
	began := cpuTime()
	scheduling, stopScheduling := context.WithDeadline(ctx, first.Add(p.duration))
	defer stopScheduling()
	var watching sync.WaitGroup
	if p.every > 0 {
		watching.Go(func() { watchGauges(scheduling, out, p.every, n, o, seen) })
	}
	err = n.Schedule(scheduling)
	stopScheduling()
	watching.Wait()
	if err != nil {
		return err
	}
	cpu := cpuTime() - began
	texts, err := countTexts(ctx, o.db)
	if err != nil {
		return err
	}
	seen.wait(10 * time.Second)
	stopExecutor()
	err = runner.Wait()
	stopServing()
	if err := errors.Join(err, server.Wait()); err != nil {
		return err
	}
	// cores are those of this process; the database server's come on top.
	printFigures(out, "Trip", p, append(append(seen.figures(p.duration), texts...), figure{cpu.Seconds() / p.duration.Seconds(), "cores"})...)
	return nil
}

// countTexts returns how many texts of runs are stored, and how many are still
// to be fetched.
func countTexts(ctx context.Context, db *sql.DB) ([]figure, error) {
	var stored, waiting int
	err := db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM xxlwheel_log_text), (SELECT count(*) FROM xxlwheel_log_fetch)`).Scan(&stored, &waiting)
	return []figure{{float64(stored), "texts"}, {float64(waiting), "texts-waiting"}}, err
}

// startTrips stores and starts the jobs, and returns the first due time.
func startTrips(ctx context.Context, store xxladapter.Store, addr string, jobs int, burst bool) (time.Time, error) {
	group, err := addGroup(ctx, store, addr)
	if err != nil {
		return time.Time{}, err
	}
	now, err := store.Now(ctx)
	if err != nil {
		return time.Time{}, err
	}
	// Jobs are started as they are created, so the first due time leaves time for that.
	first := now.Add(settle + time.Duration(jobs)*time.Millisecond).Truncate(time.Second)
	job := newJob(group, xxladapter.ScheduleCron, "* * * * * ?")
	due := func(int) time.Time { return first }
	if !burst {
		// A period of whole seconds is due at whole seconds, all jobs at
		// once; this one keeps the milliseconds of the start.
		job = newJob(group, xxladapter.ScheduleFixRate, "1.001")
		due = func(i int) time.Time {
			return first.Add(time.Duration(i) * time.Second / time.Duration(jobs)).Truncate(time.Millisecond)
		}
	}
	return first, addJobs(ctx, store, jobs, job, due)
}

// seen counts what the scheduler reports. It may be used from any goroutine.
type seen struct {
	mu                                 sync.Mutex // guards the fields below
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

// counts returns how many runs were sent and how many have their result so far.
func (s *seen) counts() (sent, ended int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.sent), int64(s.ended)
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

// figures returns what became of the runs, over the duration of the measurement.
func (s *seen) figures(duration time.Duration) []figure {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := func(q float64) float64 { return milliseconds(quantile(s.late, q)) }
	return []figure{
		{float64(s.ended) / duration.Seconds(), "trips/s"},
		{float64(s.sent - s.ended), "without-result"}, {float64(s.failed), "failed"},
		{float64(s.missed), "misfires"}, {float64(s.early), "early"},
		{at(0.50), "late-p50-ms"}, {at(0.99), "late-p99-ms"}, {at(1), "late-max-ms"},
	}
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// trip measures whole trips of jobs that fire every second: fire record, run request, run, result
// and log row. The executor is a process of its own, so that the processor time of each side is
// known. Lateness is the time from the due time until the run request is sent. The jobs are spread
// over the second, or all due at its start.
func trip(ctx context.Context, out io.Writer, p plan) (err error) {
	o, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	seen := new(seen)
	b, err := o.broker(ctx, p.queue)
	if err != nil {
		return err
	}
	nodes, err := o.serveAll(ctx, p, b.url, seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, endAll(nodes)) }()
	n := nodes[0]
	e, err := startExecutor(executorOptions{
		Admin: n.url, Queue: b.url, Dir: filepath.Join(o.dir, "executor"), Profile: p.executorProfile, Batch: p.batch,
		Answer: p.answer,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()

	first, err := startTrips(ctx, o, e.addr, p.jobs, p.burst)
	if err != nil {
		return err
	}
	scheduling, stopScheduling := context.WithDeadline(ctx, first.Add(p.duration))
	defer stopScheduling()
	var began tripCPU
	var beginErr, heapErr error
	var watching sync.WaitGroup
	watching.Go(func() { // what came before the first due time is not part of a trip
		pollUntil(scheduling, time.Hour, func() bool { return !time.Now().Before(first) })
		began, beginErr = takeCPU(ctx, o, b, e)
	})
	if p.every > 0 {
		watching.Go(func() { watchGauges(scheduling, out, p.every, n.Node, o, seen) })
	}
	var within int64
	watching.Go(func() {
		<-scheduling.Done()
		_, within = seen.counts()
	})
	if p.heapProfile != "" {
		watching.Go(func() { heapErr = watchHeap(scheduling, out, p.heapProfile) })
	}
	var schedulers errgroup.Group
	for _, n := range nodes {
		schedulers.Go(func() error { return n.Schedule(scheduling) })
	}
	err = schedulers.Wait()
	stopScheduling()
	watching.Wait()
	if err := errors.Join(err, beginErr, heapErr); err != nil {
		return err
	}
	seen.wait(10 * time.Second)
	ended, err := takeCPU(ctx, o, b, e)
	if err != nil {
		return err
	}
	texts, err := countTexts(ctx, o.db)
	if err != nil {
		return err
	}
	figures := append(seen.figures(within, p.duration), texts...)
	figures = append(figures, figure{float64(peakMemory()) / (1 << 20), "peak-MiB"})
	name := "Trip"
	if p.queue != "" {
		name = "TripOverQueue"
	}
	if len(nodes) > 1 {
		name = fmt.Sprintf("TripOfNodes/%s/spread=%s", p.scheduling, p.spread)
		figures = append(figures, figure{float64(len(nodes)), "nodes"})
	}
	printFigures(out, name, p, append(figures, ended.since(began, p.duration, seen)...)...)
	return nil
}

// countTexts returns how many texts of runs are stored, and how many are still to be fetched. A
// store in memory counts none.
func countTexts(ctx context.Context, db *sql.DB) ([]figure, error) {
	if db == nil {
		return nil, nil
	}
	var stored, waiting int
	err := db.QueryRowContext(
		ctx, `SELECT (SELECT count(*) FROM xxlwheel_log_text), (SELECT count(*) FROM xxlwheel_log_fetch)`,
	).Scan(&stored, &waiting)
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
	if _, queued := xxladapter.ParseQueueAddress(addr); queued {
		job.Route = xxladapter.RouteRound // any executor of the app may take it
	}
	if !burst {
		// With a period of whole seconds, all jobs would be due at the same whole seconds. With
		// 1.001 s, due times keep milliseconds, and the jobs stay spread.
		job.ScheduleType, job.ScheduleConf = xxladapter.ScheduleFixRate, "1.001"
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
	whole                              []time.Duration     // from a due time until the result was stored
	open                               map[int64]time.Time // by log id: the first known of due time and end
	sent, failed, ended, early, missed int
}

func (s *seen) event(e trigger.Event) {
	s.count(e.Kind)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case trigger.EventResult:
		s.pair(e.LogID, e.At)
	case trigger.EventSent:
		s.pair(e.LogID, e.Fire.Due)
		s.late = append(s.late, e.At.Sub(e.Fire.Due))
		if e.At.Before(e.Fire.Due) {
			s.early++
		}
	}
}

// pair notes a run's due time or its end, in either order: a hand-over that is stored with its
// result is reported after the result.
//
// REQUIRES: s.mu is held.
func (s *seen) pair(logID int64, at time.Time) {
	if other, known := s.open[logID]; known {
		s.whole = append(s.whole, other.Sub(at).Abs())
		delete(s.open, logID)
		return
	}
	if s.open == nil {
		s.open = map[int64]time.Time{}
	}
	s.open[logID] = at
}

// count counts an event without its lateness.
func (s *seen) count(kind trigger.EventKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case trigger.EventResult:
		s.ended++
	case trigger.EventFailed:
		s.failed++
	case trigger.EventSent:
		s.sent++
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

// figures returns what became of the runs. within is how many ended in the duration of the
// measurement. Later ones do not count for the rate, because they were waiting somewhere.
func (s *seen) figures(within int64, duration time.Duration) []figure {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := func(q float64) float64 { return milliseconds(quantile(s.late, q)) }
	whole := func(q float64) float64 { return milliseconds(quantile(s.whole, q)) }
	return []figure{
		{float64(within) / duration.Seconds(), "trips/s"},
		{float64(s.sent - s.ended), "without-result"}, {float64(s.failed), "failed"},
		{float64(s.missed), "misfires"}, {float64(s.early), "early"},
		{at(0.50), "late-p50-ms"}, {at(0.99), "late-p99-ms"}, {at(1), "late-max-ms"},
		{whole(0.50), "whole-p50-ms"}, {whole(0.99), "whole-p99-ms"},
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
)

// schedule runs a scheduler on each of stores, which are all connections to the same store, until
// done returns true or limit has passed. The schedulers hand nothing over.
func schedule(ctx context.Context, stores []*watched, limit time.Duration, done func() bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	schedulers := make([]*scheduler.Scheduler, len(stores))
	for i, store := range stores {
		var err error
		schedulers[i], err = scheduler.New(
			scheduler.Options{Store: store, Pool: discard{}, Node: fmt.Sprint("load-", i+1), Logger: logger},
		)
		if err != nil {
			return err
		}
	}
	var running errgroup.Group
	for _, s := range schedulers {
		running.Go(func() error { return s.HoldLease(ctx) })
		running.Go(func() error { return s.Run(ctx) })
	}
	finished := pollUntil(ctx, limit, done)
	stop()
	if err := running.Wait(); err != nil {
		return err
	}
	if !finished {
		return fmt.Errorf("not done within %v", limit)
	}
	return nil
}

// scan makes all jobs due at one instant and measures how long the schedule loop takes until each
// has a durable fire record.
func scan(ctx context.Context, out io.Writer, p plan) error {
	o, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	rows, err := populate(ctx, o, p.jobs, xxladapter.ScheduleCron, "0 0 3 * * ?")
	if err != nil {
		return err
	}
	now, err := o.Now(ctx)
	if err != nil {
		return err
	}
	// Late enough for the update to end before the first job is claimed.
	due := now.Add(10*time.Second + time.Duration(rows)*60*time.Microsecond).Truncate(time.Second)
	if err := spread(ctx, o.db, due, time.Second); err != nil {
		return err
	}
	w := &watched{Store: o.Store}
	err = schedule(ctx, []*watched{w}, time.Until(due)+2*time.Minute, func() bool { return w.planned() >= int(rows) })
	if err != nil {
		return err
	}
	took := w.ended.Sub(w.begun)
	printFigures(out, "Scan", p,
		figure{float64(w.fires), "fires"},
		figure{took.Seconds(), "durable-s"},
		figure{float64(w.jobs) / took.Seconds(), "jobs/s"},
		figure{float64(len(w.scans)), "scans"},
		figure{milliseconds(quantile(w.scans, 0.5)), "scan-p50-ms"},
		figure{milliseconds(quantile(w.scans, 1)), "scan-max-ms"})
	return nil
}

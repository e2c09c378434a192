package main

import (
	"context"
	"errors"
	"io"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// idle measures a whole node while none of its jobs is due.
func idle(ctx context.Context, out io.Writer, p plan) error {
	o, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	_, err = populate(ctx, o, p.jobs, xxladapter.ScheduleCron, "0 0 3 * * ?")
	if err != nil {
		return err
	}
	if err := spread(ctx, o.db, time.Now().Add(24*time.Hour), time.Hour); err != nil {
		return err
	}
	n, err := node.New(node.Options{Store: o.Store, Logger: logger})
	if err != nil {
		return err
	}
	runtime.GC() // making the jobs left garbage that is not the node's
	running, stop := context.WithTimeout(ctx, settle+p.duration)
	defer stop()
	type sample struct {
		work int64
		unit string
		cpu  time.Duration
		err  error
	}
	take := func() (s sample) {
		s.cpu = cpuTime()
		s.work, s.unit, s.err = o.work(ctx)
		return s
	}
	before := make(chan sample, 1)
	time.AfterFunc(settle, func() { before <- take() })
	var parts errgroup.Group
	parts.Go(func() error { return n.Schedule(running) })
	<-running.Done()
	from, to := <-before, take()
	if err := errors.Join(parts.Wait(), from.err, to.err); err != nil {
		return err
	}
	figures := []figure{
		{100 * (to.cpu - from.cpu).Seconds() / p.duration.Seconds(), "%-of-a-core"},
		{float64(peakMemory() >> 20), "peak-MiB"},
	}
	if to.unit != "" {
		figures = append(figures, figure{float64(to.work-from.work) / p.duration.Seconds(), to.unit + "/s"})
	}
	printFigures(out, "Idle", p, figures...)
	return nil
}

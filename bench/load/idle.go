package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"golang.org/x/sync/errgroup"
)

// idle measures a whole node while none of its jobs is due.
func idle(ctx context.Context, out io.Writer, p plan) error {
	o, err := open(ctx, p.store)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	rows, err := populate(ctx, o, p.jobs, xxladapter.ScheduleCron, "0 0 3 * * ?")
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
	runtime.GC() // what making the jobs left behind is not the node's
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
	fmt.Fprintf(out, "%d enabled jobs, none due: %.1f %s/s, %.2f%% of a core, %d MiB resident at most\n",
		rows, float64(to.work-from.work)/p.duration.Seconds(), to.unit,
		100*(to.cpu-from.cpu).Seconds()/p.duration.Seconds(), peakMemory()>>20)
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// crowdPeriod makes 2,000 of a million jobs due every second.
const crowdPeriod = 500 * time.Second

// crowd measures the scans of a table in which few of many jobs are due.
func crowd(ctx context.Context, out io.Writer, p plan) error {
	o, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	begun := time.Now()
	rows, err := populate(ctx, o, p.jobs, xxladapter.ScheduleFixRate, fmt.Sprint(int(crowdPeriod/time.Second)))
	if err != nil {
		return err
	}
	now, err := o.Now(ctx)
	if err != nil {
		return err
	}
	// The update itself takes time, and nothing may be due before it ends.
	first := now.Add(
		10*time.Second + max(time.Duration(rows)*20*time.Microsecond, 3*time.Since(begun)),
	).Truncate(time.Second)
	if err := spread(ctx, o.db, first, crowdPeriod); err != nil {
		return err
	}
	// Scans before first+settle do not count: how many jobs they find depends on when they run.
	nodes := []*watched{{Store: o.Store, from: first.Add(settle)}}
	for range p.nodes - 1 {
		store, err := o.connect(ctx)
		if err != nil {
			return err
		}
		o.closings = append(o.closings, store.Close)
		nodes = append(nodes, &watched{Store: store, from: first.Add(settle)})
	}
	end := time.Until(first) + settle + p.duration
	begun = time.Now()
	if err := schedule(ctx, nodes, end+time.Minute, func() bool { return time.Since(begun) > end }); err != nil {
		return err
	}
	var scans, work []time.Duration
	jobs := 0
	for _, n := range nodes {
		scans, work, jobs = append(scans, n.scans...), append(work, n.work...), jobs+n.jobs
	}
	figures := []figure{
		{float64(rows) / crowdPeriod.Seconds(), "due/s"},
		{float64(len(scans)), "scans"},
		{float64(jobs) / float64(max(len(scans), 1)), "jobs/scan"},
		{milliseconds(quantile(scans, 0.50)), "scan-p50-ms"},
		{milliseconds(quantile(scans, 0.99)), "scan-p99-ms"},
		{milliseconds(quantile(scans, 1)), "scan-max-ms"},
	}
	name := "Crowd"
	if len(nodes) == 1 { // the processor time of a scan is read from the process, which has one scan at a time
		figures = append(
			figures, figure{milliseconds(quantile(work, 0.50)), "cpu-p50-ms"},
			figure{milliseconds(quantile(work, 0.99)), "cpu-p99-ms"},
		)
	} else {
		name = "CrowdOfNodes"
		figures = append(
			figures, figure{float64(len(nodes)), "nodes"}, figure{float64(jobs) / p.duration.Seconds(), "planned/s"},
		)
	}
	printFigures(out, name, p, figures...)
	return nil
}

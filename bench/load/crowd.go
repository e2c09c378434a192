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
	o, err := open(ctx, p.store)
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
	first := now.Add(10*time.Second + max(time.Duration(rows)*20*time.Microsecond, 3*time.Since(begun))).Truncate(time.Second)
	if err := spread(ctx, o.db, first, crowdPeriod); err != nil {
		return err
	}
	// Scans before first+settle do not count: how much they find depends on when they come.
	w := &watched{Store: o.Store, from: first.Add(settle)}
	end := time.Until(first) + settle + p.duration
	begun = time.Now()
	if err := schedule(ctx, w, end+time.Minute, func() bool { return time.Since(begun) > end }); err != nil {
		return err
	}
	printFigures(out, "Crowd", p,
		figure{float64(rows) / crowdPeriod.Seconds(), "due/s"},
		figure{float64(len(w.scans)), "scans"},
		figure{float64(w.jobs) / float64(max(len(w.scans), 1)), "jobs/scan"},
		figure{milliseconds(quantile(w.scans, 0.50)), "scan-p50-ms"},
		figure{milliseconds(quantile(w.scans, 0.99)), "scan-p99-ms"},
		figure{milliseconds(quantile(w.scans, 1)), "scan-max-ms"},
		figure{milliseconds(quantile(w.work, 0.50)), "cpu-p50-ms"},
		figure{milliseconds(quantile(w.work, 0.99)), "cpu-p99-ms"})
	return nil
}

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
	// The update takes a while itself, and nothing may be due before its end.
	first := now.Add(10*time.Second + max(time.Duration(rows)*20*time.Microsecond, 3*time.Since(begun))).Truncate(time.Second)
	if err := spread(ctx, o.db, first, crowdPeriod); err != nil {
		return err
	}
	// What the first scan finds depends on when it comes.
	w := &watched{Store: o.Store, from: first.Add(settle)}
	end := time.Until(first) + settle + p.duration
	begun = time.Now()
	if err := schedule(ctx, w, end+time.Minute, func() bool { return time.Since(begun) > end }); err != nil {
		return err
	}
	fmt.Fprintf(out, "%.0f of %d jobs due every second: %d scans, of %.0f jobs each, took p50 %.0f ms, p99 %.0f ms, max %.0f ms; processor time of this process p50 %.0f ms, p99 %.0f ms\n",
		float64(rows)/crowdPeriod.Seconds(), rows, len(w.scans), float64(w.jobs)/float64(max(len(w.scans), 1)),
		milliseconds(quantile(w.scans, 0.5)), milliseconds(quantile(w.scans, 0.99)), milliseconds(quantile(w.scans, 1)),
		milliseconds(quantile(w.work, 0.5)), milliseconds(quantile(w.work, 0.99)))
	return nil
}

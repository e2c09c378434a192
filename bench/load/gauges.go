package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// watchGauges prints a line every pace until ctx ends: the runs that were sent and that ended per
// second since the previous line, the contents of the pool, the work of the database, and how busy
// this process and the whole machine were. In a slow run it shows whether this process, the
// database or another program used the processors, and whether jobs moved to the slow pool.
func watchGauges(ctx context.Context, out io.Writer, pace time.Duration, n *node.Node, o *opened, seen *seen) {
	before, began := takeGauges(ctx, n, o, seen), time.Now()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := takeGauges(ctx, n, o, seen)
		per := now.at.Sub(before.at).Seconds()
		rate := func(to, from int64) float64 { return float64(to-from) / per }
		fmt.Fprintf(out, "%5.1fs sent=%.0f/s ended=%.0f/s fast=%d+%d slow=%d+%d store=%.0f/s cpu=%.2f machine=%s\n",
			now.at.Sub(began).Seconds(), rate(now.sent, before.sent), rate(now.ended, before.ended),
			now.inFlight["fast"], now.waiting["fast"], now.inFlight["slow"], now.waiting["slow"],
			rate(now.work, before.work), (now.cpu-before.cpu).Seconds()/per, now.machine.since(before.machine))
		before = now
	}
}

// gauges is the state of everything at one moment.
type gauges struct {
	at                time.Time
	sent, ended, work int64
	inFlight, waiting map[string]int // by pool
	cpu               time.Duration  // of this process
	machine           ticks
}

func takeGauges(ctx context.Context, n *node.Node, o *opened, seen *seen) gauges {
	g := gauges{at: time.Now(), inFlight: map[string]int{}, waiting: map[string]int{}, cpu: cpuTime(), machine: machineTicks()}
	for _, l := range n.PoolLoads() {
		g.inFlight[l.Pool] += l.InFlight
		g.waiting[l.Pool] += l.Waiting
	}
	g.sent, g.ended = seen.counts()
	g.work, _, _ = o.work(ctx) // the measurement does not depend on it
	return g
}

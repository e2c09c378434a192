//go:build linux

package faults

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestManyJobsDueInTheSameSecond lets thousands of jobs be due at one instant,
// beside one that is due every second. All of them run within thirty seconds,
// nothing is missed or doubled, the scheduler's memory stays small, and the job
// of another app does not suffer.
func TestManyJobsDueInTheSameSecond(t *testing.T) {
	onEngineAfterEngine(t, func(t *testing.T, e engine) {
		burst := pick(20_000, 100_000)
		c := newCluster(t, e)
		for _, n := range c.nodes {
			n.stop() // the jobs are made without them, which is faster
		}
		due := c.storeBurst(burst)
		for _, n := range c.nodes {
			n.start()
		}
		c.addJobs(1, []schedule{{xxladapter.ScheduleCron, "* * * * * ?"}}, map[string]any{"jobGroup": c.addGroup("bystander")})
		bystander := c.jobs[len(c.jobs)-1].id
		late := make(chan time.Duration, 1000)
		for _, w := range c.seen {
			w.arrived = func(req *wire.RunRequest) {
				if int64(req.JobID) == bystander {
					late <- time.Since(time.UnixMilli(int64(req.ScheduledTime)))
				}
			}
		}
		require.Greater(t, time.Until(due), 6*time.Second, "the schedulers are up before the burst is read")
		pause(time.Until(due))
		eventually(t, 30*time.Second, "all of them have run", func() bool { return c.runs() >= burst })
		took := time.Since(due)
		t.Logf("%d runs within %v of their due time", burst, took.Round(10*time.Millisecond))
		for _, n := range c.nodes {
			memory := n.peakMemory()
			t.Logf("%s: %d MiB at most", n.name, memory>>20)
			require.Less(t, memory, int64(1<<30))
		}
		pause(2 * time.Second) // so that the windows are over before the jobs are stopped
		report := c.judge(checker.Options{Epsilon: took + time.Second})
		require.GreaterOrEqual(t, report.Matched, burst)
		close(late)
		var lateness []time.Duration
		for l := range late {
			lateness = append(lateness, l)
		}
		slices.Sort(lateness)
		worst := lateness[len(lateness)*99/100]
		t.Logf("the job beside them: %d runs, p99 %v late", len(lateness), worst.Round(time.Millisecond))
	})
}

// storeBurst stores n running jobs that are due at the instant that it
// returns, and then not for a day. REQUIRES: no scheduler runs.
func (c *cluster) storeBurst(n int) time.Time {
	c.t.Helper()
	store := openStore(c.t, c.db.url)
	defer func() { require.NoError(c.t, store.Close()) }()
	const conf = "86400"
	c.burst = make([]*managed, n)
	// The store commits what many callers want in groups.
	forAll := func(act func(i int) error) {
		var calls errgroup.Group
		calls.SetLimit(64)
		for i := range c.burst {
			calls.Go(func() error { return act(i) })
		}
		require.NoError(c.t, calls.Wait())
	}
	begun := time.Now()
	forAll(func(i int) error {
		j := &xxladapter.Job{
			GroupID: c.group, Name: fmt.Sprintf("burst %d", i), Author: "faults", Handler: "note",
			ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: conf, Route: xxladapter.RouteRound,
		}
		j.SetDefaults()
		asked := checker.At(time.Now())
		id, err := store.CreateJob(c.ctx, j)
		if err != nil {
			return err
		}
		c.burst[i] = &managed{id, j.ScheduleType, conf}
		return c.rec.Change(checker.Change{
			Job: id, Op: checker.OpCreate, Asked: asked, Acked: checker.At(time.Now()), Type: j.ScheduleType, Conf: conf,
		})
	})
	// To start a job costs less than to make one; then the schedulers start.
	due := time.Now().Add(time.Since(begun) + 12*time.Second).Truncate(time.Second)
	forAll(func(i int) error {
		asked := checker.At(time.Now())
		if err := store.StartJob(c.ctx, c.burst[i].id, due); err != nil {
			return err
		}
		return c.rec.Change(checker.Change{
			Job: c.burst[i].id, Op: checker.OpStart, Asked: asked, Acked: checker.At(time.Now()), First: checker.At(due),
		})
	})
	return due
}

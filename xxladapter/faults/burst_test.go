//go:build linux

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
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
		require.Greater(t, time.Until(due), 6*time.Second, "the schedulers are up before the burst is read")
		pause(time.Until(due))
		eventually(t, pick(90*time.Second, 30*time.Second), "all of them have run", func() bool { return c.runs() >= burst })
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
		late := c.lateness(bystander)
		t.Logf("the job beside them: %d runs, p99 %v late", len(late), late[len(late)*99/100])
	})
}

// storeBurst stores n running jobs that are due at the instant that it
// returns, and then not for a day. REQUIRES: no scheduler runs.
func (c *cluster) storeBurst(n int) time.Time {
	c.t.Helper()
	store := openStore(c.t, c.db.url)
	defer func() { require.NoError(c.t, store.Close()) }()
	const conf = "86400"
	j := &xxladapter.Job{
		GroupID: c.group, Name: "burst", Author: "faults", Handler: "note",
		ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: conf, Route: xxladapter.RouteRound,
	}
	j.SetDefaults()
	asked := checker.At(time.Now())
	_, err := store.CreateJob(c.ctx, j)
	require.NoError(c.t, err)
	// The database multiplies it by itself: thousands of calls would take minutes
	// on a busy machine.
	const columns = `job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf,
		misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout,
		executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid`
	for have := 1; have < n; have *= 2 {
		order(c.t, c.db.url, fmt.Sprintf(`INSERT INTO xxl_job_info (%s) SELECT %s FROM xxl_job_info LIMIT %d`, columns, columns, n-have))
	}
	due := time.Now().Add(15 * time.Second).Truncate(time.Second) // when the schedulers are up again
	order(c.t, c.db.url, fmt.Sprintf(`UPDATE xxl_job_info SET trigger_status = 1, trigger_next_time = %d`, due.UnixMilli()))
	acked := checker.At(time.Now())
	jobs, err := store.Jobs(c.ctx, xxladapter.JobFilter{})
	require.NoError(c.t, err)
	require.Len(c.t, jobs, n)
	for _, j := range jobs {
		c.burst = append(c.burst, &managed{j.ID, j.ScheduleType, conf})
		require.NoError(c.t, c.rec.Change(checker.Change{
			Job: j.ID, Op: checker.OpCreate, Asked: asked, Acked: asked + 1, Type: j.ScheduleType, Conf: conf,
		}))
		require.NoError(c.t, c.rec.Change(checker.Change{Job: j.ID, Op: checker.OpStart, Asked: asked + 1, Acked: acked, First: checker.At(due)}))
	}
	return due
}

// lateness lists how late the runs of a job came, in ascending order.
func (c *cluster) lateness(job int64) []time.Duration {
	c.t.Helper()
	h, err := checker.Read(strings.NewReader(c.history.String()))
	require.NoError(c.t, err)
	var late []time.Duration
	for _, r := range h.Runs {
		if r.Job == job {
			late = append(late, time.Duration(r.At-r.Due)*time.Millisecond)
		}
	}
	slices.Sort(late)
	return late
}

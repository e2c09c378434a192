//go:build linux

package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestManyJobsDueInTheSameSecond runs thousands of jobs that are due at one instant, and one of
// another app that is due every second. All of them are planned within five seconds, nothing is
// missed or doubled, the scheduler's memory stays small, and the other job is not delayed.
func TestManyJobsDueInTheSameSecond(t *testing.T) {
	testserver.Long(t)
	oneAfterAnother(t, engines, func(t *testing.T, e engine) {
		if e.exclusive {
			t.Skip("it stores its jobs behind a running scheduler")
		}
		burst := pick(20_000, 100_000)
		c := newClusterOn(t, e, pick(e.open, e.alone)(t))
		c.storeBurst(burst)
		c.addJobs(1, []schedule{{xxladapter.ScheduleCron, "* * * * * ?"}}, map[string]any{"jobGroup": c.addGroup("bystander")})
		bystander := c.jobs[0].id
		due := c.startBurst()
		pause(time.Until(due) + plannedWithin)
		c.requirePlanned(due)
		sentWithin := time.Duration(burst) * time.Second / sentPerSecond
		testserver.Eventually(t, time.Until(due)+sentWithin, "all of them have run", func() bool {
			return c.runs()-c.runsOf(bystander) >= burst
		})
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
		late := c.lateness(func(r checker.Run) bool { return r.Job == bystander && r.Due >= checker.At(due) })
		t.Logf("the job beside them: %v", late)
		require.LessOrEqual(t, late.p99(), besideWithin())
	})
}

const (
	// plannedWithin is how long after their due time the last of the jobs may be planned. What is
	// found later has misfired.
	plannedWithin = 5 * time.Second

	// sentPerSecond is how many of them must be sent per second. It leaves room for executors that
	// share two cores with the scheduler, and for the race detector.
	sentPerSecond = 333
)

// besideWithin is how late the other job may run. In a short run other tests share the two cores.
func besideWithin() time.Duration { return pick(4*time.Second, 2*time.Second) }

// storeBurst stores n jobs, stopped.
func (c *cluster) storeBurst(n int) {
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
	_, err := xxladapter.CreateJob(c.ctx, store, j)
	require.NoError(c.t, err)
	// The database copies the job: thousands of calls would take minutes on a busy machine.
	const columns = `job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf,
		misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout,
		executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, child_jobid`
	for have := 1; have < n; have *= 2 {
		order(c.t, c.db.url, fmt.Sprintf(`INSERT INTO xxl_job_info (%s) SELECT %s FROM xxl_job_info LIMIT %d`, columns, columns, n-have))
	}
	acked := checker.At(time.Now())
	db := openDatabase(c.t, c.db.url)
	defer func() { require.NoError(c.t, db.Close()) }()
	rows, err := db.QueryContext(c.ctx, `SELECT id FROM xxl_job_info`)
	require.NoError(c.t, err)
	for rows.Next() {
		var id int64
		require.NoError(c.t, rows.Scan(&id))
		c.burst = append(c.burst, &managed{id, j.ScheduleType, conf})
		require.NoError(c.t, c.rec.Change(checker.Change{Job: id, Op: checker.OpCreate, Asked: asked, Acked: acked, Type: j.ScheduleType, Conf: conf}))
	}
	require.NoError(c.t, rows.Err())
	require.Len(c.t, c.burst, n)
}

// startBurst starts the jobs of storeBurst, and returns the instant at which all of them are due;
// the next one is a day later.
func (c *cluster) startBurst() time.Time {
	c.t.Helper()
	// Schedulers look for due jobs at least every five seconds, five seconds ahead.
	due := time.Now().Add(14 * time.Second).Truncate(time.Second)
	asked := checker.At(time.Now())
	order(c.t, c.db.url, fmt.Sprintf(`UPDATE xxl_job_info SET trigger_status = 1, trigger_next_time = %d WHERE job_group = %d`, due.UnixMilli(), c.group))
	acked := checker.At(time.Now())
	require.Less(c.t, acked, checker.At(due.Add(-5*time.Second)), "the database takes too long for a burst")
	for _, j := range c.burst {
		require.NoError(c.t, c.rec.Change(checker.Change{Job: j.id, Op: checker.OpStart, Asked: asked, Acked: acked, First: checker.At(due)}))
	}
	return due
}

// requirePlanned checks that the fires of the burst are, or were, in the store: the transaction
// that moves the next due times writes them.
func (c *cluster) requirePlanned(due time.Time) {
	c.t.Helper()
	db := openDatabase(c.t, c.db.url)
	defer func() { require.NoError(c.t, db.Close()) }()
	var planned int
	row := db.QueryRowContext(c.ctx, fmt.Sprintf(`SELECT count(*) FROM xxl_job_info WHERE job_group = %d AND trigger_next_time > %d`, c.group, due.UnixMilli()))
	require.NoError(c.t, row.Scan(&planned))
	require.Equal(c.t, len(c.burst), planned, "planned %v after they were due", plannedWithin)
}

// takenOver returns the log ids of the runs whose fire was in its hand-over when its scheduler
// died, and was taken over by another one, or by the same after its restart.
func (c *cluster) takenOver() map[int64]bool {
	c.t.Helper()
	db := openDatabase(c.t, c.db.url)
	defer func() { require.NoError(c.t, db.Close()) }()
	rows, err := db.QueryContext(c.ctx, `SELECT log_id FROM xxlwheel_run WHERE taken_ms IS NOT NULL`)
	require.NoError(c.t, err)
	defer rows.Close()
	taken := map[int64]bool{}
	for rows.Next() {
		var id int64
		require.NoError(c.t, rows.Scan(&id))
		taken[id] = true
	}
	require.NoError(c.t, rows.Err())
	return taken
}

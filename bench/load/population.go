package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const appName = "load"

// nowhere is the executor address of jobs that are never handed over.
const nowhere = "http://127.0.0.1:1"

// settle is how long a node should run before it is measured: in trip and overload before the first
// due time, in crowd after it, and in idle without one.
const settle = 5 * time.Second

func addGroup(ctx context.Context, store xxladapter.GroupStore, addr string) (int64, error) {
	return store.SaveGroup(ctx, &xxladapter.Group{
		AppName: appName, Title: appName, AddressType: xxladapter.AddressManual, Addresses: []string{addr},
	})
}

// newJob returns a job with this schedule whose handler does nothing.
func newJob(group int64, kind xxladapter.ScheduleType, conf string) *xxladapter.Job {
	j := &xxladapter.Job{
		GroupID: group, Name: "load", Author: "load", Handler: "noop", ScheduleType: kind, ScheduleConf: conf,
	}
	j.SetDefaults()
	return j
}

// addJobs stores n jobs and starts the i-th with the due time first(i).
func addJobs(
	ctx context.Context, store xxladapter.JobEditStore, n int, job *xxladapter.Job, first func(i int) time.Time,
) error {
	var writers errgroup.Group
	writers.SetLimit(64) // the store commits them in batches
	for i := range n {
		writers.Go(func() error {
			j := *job
			j.Name = fmt.Sprintf("job %d", i)
			id, err := xxladapter.CreateJob(ctx, store, &j)
			if err != nil {
				return err
			}
			_, err = xxladapter.StartJob(ctx, store, id, time.Time{}, func(time.Time) time.Time { return first(i) })
			return err
		})
	}
	return writers.Wait()
}

// populate creates n jobs with one schedule, which [spread] starts. It returns their number.
func populate(
	ctx context.Context, o *opened, n int, kind xxladapter.ScheduleType, conf string,
) (rows int64, err error) {
	group, err := addGroup(ctx, o, nowhere)
	if err != nil {
		return 0, err
	}
	if err := addJobs(ctx, o, 1, newJob(group, kind, conf), func(int) time.Time { return time.Time{} }); err != nil {
		return 0, err
	}
	return multiply(ctx, o.db, n)
}

// multiply copies the only job of the table until there are n. The database does so itself, because
// a million calls would take minutes. It returns the number of jobs.
func multiply(ctx context.Context, db *sql.DB, n int) (rows int64, err error) {
	const columns = `job_group, job_desc, add_time, update_time, author, alarm_email,
		schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param,
		executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark,
		glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time`
	for rows = 1; rows < int64(n); {
		result, err := db.ExecContext(ctx, fmt.Sprintf(
			`INSERT INTO xxl_job_info (%s) SELECT %s FROM xxl_job_info LIMIT %d`, columns, columns, int64(n)-rows))
		if err != nil {
			return 0, err
		}
		added, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		rows += added
	}
	return rows, nil
}

// spread starts all jobs, with due times spread evenly over a period from first on.
func spread(ctx context.Context, db *sql.DB, first time.Time, period time.Duration) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf(
		`UPDATE xxl_job_info SET trigger_status = 1, trigger_last_time = 0, trigger_next_time = %d + (id %% %d) * 1000`,
		first.UnixMilli(), period/time.Second))
	return err
}

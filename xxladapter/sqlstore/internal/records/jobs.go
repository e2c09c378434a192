package records

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// JobColumns are the columns that [ScanJob] reads.
	JobColumns = UpstreamJob + `,
		(SELECT settings FROM xxlwheel_job WHERE xxlwheel_job.job_id = xxl_job_info.id)`

	// UpstreamJob are those of JobColumns that upstream has.
	UpstreamJob = `id, job_group, job_desc, author, alarm_email,
		schedule_type, schedule_conf, misfire_strategy,
		executor_route_strategy, executor_handler, executor_param, executor_block_strategy,
		executor_timeout, executor_fail_retry_count,
		glue_type, glue_source, glue_remark, glue_updatetime,
		child_jobid, trigger_status, trigger_last_time, trigger_next_time, add_time, update_time`

	insertJob = `INSERT INTO xxl_job_info (
		job_group, job_desc, author, alarm_email,
		schedule_type, schedule_conf, misfire_strategy,
		executor_route_strategy, executor_handler, executor_param, executor_block_strategy,
		executor_timeout, executor_fail_retry_count,
		glue_type, glue_source, glue_remark, glue_updatetime,
		child_jobid, trigger_status, trigger_last_time, trigger_next_time, add_time, update_time
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?)`

	// A manual trigger with a key and a change of a backfill lock the job's row first, so that what
	// they read after that still holds when they write.
	hasJob = `SELECT 1 FROM xxl_job_info WHERE id = ?`
)

// JobEntity reads jobs.
var JobEntity = database.Entity[xxladapter.Job]{
	Query: `SELECT ` + JobColumns + ` FROM xxl_job_info`,
	Scan:  ScanJob,
	ID:    func(j *xxladapter.Job) int64 { return j.ID },
	Copy: func(j *xxladapter.Job) *xxladapter.Job {
		mine := *j
		mine.ChildIDs, mine.Tags = slices.Clone(j.ChildIDs), slices.Clone(j.Tags)
		return &mine
	},
	None:  noJob,
	Table: database.LookupJobs,
}

// Job implements [xxladapter.Store].
func (s *Store) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	return database.Find(ctx, s.DB, &JobEntity, id)
}

// ScanJob reads a row of JobColumns.
func ScanJob(r database.Row) (*xxladapter.Job, error) {
	var (
		j               xxladapter.Job
		timeout, status int64
		settings        string
	)
	err := r.Scan(&j.ID, &j.GroupID, database.Text(&j.Name), database.Text(&j.Author), database.Text(&j.AlarmEmail),
		database.Text(&j.ScheduleType), database.Text(&j.ScheduleConf), database.Text(&j.Misfire),
		database.Text(&j.Route), database.Text(&j.Handler), database.Text(&j.Param), database.Text(&j.Block),
		&timeout, &j.RetryCount,
		database.Text(&j.GlueType), database.Text(&j.GlueSource), database.Text(&j.GlueRemark),
		database.Datetime(&j.GlueUpdated),
		database.IDList(&j.ChildIDs), &status, database.Milli(&j.TriggerLast), database.Milli(&j.TriggerNext),
		database.Datetime(&j.Added), database.Datetime(&j.Updated), database.Text(&settings))
	j.ParseSettings(settings)
	j.Timeout = time.Duration(timeout) * time.Second
	j.Running = status == 1
	return &j, err
}

// lockJob locks a job until the transaction ends, without reading it.
func lockJob(ctx context.Context, t *database.Tx, id int64) error {
	found, err := t.Has(ctx, hasJob+t.Dialect.Lock, id)
	if err == nil && !found {
		err = noJob(id)
	}
	return err
}

func noJob(id int64) error {
	return xxladapter.Absent("job", id)
}

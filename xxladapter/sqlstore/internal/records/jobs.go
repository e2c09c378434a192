package records

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// JobColumns are the columns that [ScanJob] reads.
	JobColumns = upstreamJob + `,
		(SELECT settings FROM xxlwheel_job WHERE xxlwheel_job.job_id = xxl_job_info.id)`

	// upstreamJob are those of them that upstream has.
	upstreamJob = `id, job_group, job_desc, author, alarm_email,
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

	// Every order locks the row first, so that what it reads still holds when it is carried out.
	hasJob = `SELECT 1 FROM xxl_job_info WHERE id = ?`
)

// JobEntity reads jobs.
var JobEntity = Entity[xxladapter.Job]{
	Query: `SELECT ` + JobColumns + ` FROM xxl_job_info`,
	Scan:  ScanJob,
	ID:    func(j *xxladapter.Job) int64 { return j.ID },
	copy: func(j *xxladapter.Job) *xxladapter.Job {
		mine := *j
		mine.ChildIDs, mine.Tags = slices.Clone(j.ChildIDs), slices.Clone(j.Tags)
		return &mine
	},
	none:  noJob,
	Table: lookupJobs,
}

// Job implements [xxladapter.Store].
func (s *Store) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	return find(ctx, s.DB, &JobEntity, id)
}

// ScanJob reads a row of JobColumns.
func ScanJob(r Row) (*xxladapter.Job, error) {
	var (
		j               xxladapter.Job
		timeout, status int64
		settings        string
	)
	err := r.Scan(&j.ID, &j.GroupID, Text(&j.Name), Text(&j.Author), Text(&j.AlarmEmail),
		Text(&j.ScheduleType), Text(&j.ScheduleConf), Text(&j.Misfire),
		Text(&j.Route), Text(&j.Handler), Text(&j.Param), Text(&j.Block),
		&timeout, &j.RetryCount,
		Text(&j.GlueType), Text(&j.GlueSource), Text(&j.GlueRemark), Datetime(&j.GlueUpdated),
		IDList(&j.ChildIDs), &status, Milli(&j.TriggerLast), Milli(&j.TriggerNext),
		Datetime(&j.Added), Datetime(&j.Updated), Text(&settings))
	j.ParseSettings(settings)
	j.Timeout = time.Duration(timeout) * time.Second
	j.Running = status == 1
	return &j, err
}

// lockJob locks a job until the transaction ends, without reading it.
func (t *Tx) lockJob(ctx context.Context, id int64) error {
	found, err := t.has(ctx, hasJob+t.Dialect.Lock, id)
	if err == nil && !found {
		err = noJob(id)
	}
	return err
}

func noJob(id int64) error { return xxladapter.NotFoundf("job %d does not exist", id) }

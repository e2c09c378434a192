package records

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// The columns that edits set, after the key. An update sets only what an operator edits: the
// caller's copy may be old in all others.
var (
	editColumns = database.Columns(`id bigint, job_group bigint, job_desc text, author text, alarm_email text,
		schedule_type text, schedule_conf text, misfire_strategy text,
		executor_route_strategy text, executor_handler text, executor_param text,
		executor_block_strategy text, executor_timeout integer,
		executor_fail_retry_count integer, child_jobid text, update_time timestamp`)
	switchColumns = database.Columns(`id bigint, trigger_status smallint, trigger_last_time bigint,
		trigger_next_time bigint, update_time timestamp`)
	nextColumns  = database.Columns(`id bigint, trigger_next_time bigint`)
	ChildColumns = database.Columns(`id bigint, child_jobid text`)
)

const setNext = `UPDATE xxl_job_info SET trigger_next_time = ? WHERE id = ?`

// Conditions on fires to drop. They follow the condition on the jobs. Claimed fires stay until they
// are settled.
const (
	dropPlanned = ` AND state = 'planned'`
	// DropScheduled leaves planned fires that the schedule has not planned.
	DropScheduled = dropPlanned + ` AND trigger_type IN ('CRON', 'MISFIRE')`
)

// removedWith lists what is deleted with jobs besides their planned fires. Each is completed with
// the condition of the jobs.
var removedWith = []struct{ from, column string }{
	{`DELETE FROM xxl_job_info WHERE `, "id"},
	{`DELETE FROM xxlwheel_misfire WHERE `, "job_id"},
	{dropSettings, "job_id"},
	{dropTags, "job_id"},
	{`DELETE FROM xxlwheel_backfill WHERE `, "job_id"},
	{`DELETE FROM xxlwheel_order WHERE `, "job_id"},
	{`DELETE FROM xxlwheel_job_version WHERE `, "job_id"},
	{dropKeys, "job_id"},
	{`DELETE FROM xxlwheel_alarm WHERE `, "job_id"},
	{`DELETE FROM xxlwheel_alarm_claim WHERE `, "job_id"},
	{`DELETE FROM xxl_job_logglue WHERE `, "job_id"},
}

const (
	dropSettings  = `DELETE FROM xxlwheel_job WHERE `
	insertSetting = `INSERT INTO xxlwheel_job (job_id, settings) VALUES (?, ?)`
)

// insertJobs inserts jobs and returns their ids.
func insertJobs(ctx context.Context, t *database.Tx, created []*transition.JobChange) ([]int64, error) {
	rows := make([][]any, len(created))
	for i, c := range created {
		j := c.Is
		// A null glue_updatetime would make upstream's trigger fail.
		now := t.Dialect.Datetime(j.Added)
		rows[i] = []any{
			j.GroupID, j.Name, j.Author, j.AlarmEmail,
			string(j.ScheduleType), j.ScheduleConf, string(j.Misfire),
			string(j.Route), j.Handler, j.Param, string(j.Block),
			int64(j.Timeout / time.Second), j.RetryCount,
			string(j.GlueType), j.GlueSource, j.GlueRemark, now,
			childrenText(j.ChildIDs), now, now,
		}
	}
	return t.InsertRows(ctx, insertJob, rows)
}

// childrenText returns the ids of children as their column keeps them; those of jobs that are only
// being created follow later.
func childrenText(ids []int64) string {
	return database.JoinIDs(slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id < 0 }))
}

func updateJobs(ctx context.Context, t *database.Tx, updated []*transition.JobChange) error {
	rows := make([][]any, len(updated))
	for i, c := range updated {
		j := c.Is
		rows[i] = []any{
			j.ID, j.GroupID, j.Name, j.Author, j.AlarmEmail,
			string(j.ScheduleType), j.ScheduleConf, string(j.Misfire),
			string(j.Route), j.Handler, j.Param, string(j.Block),
			int64(j.Timeout / time.Second), j.RetryCount, childrenText(j.ChildIDs), t.Dialect.Datetime(j.Updated),
		}
	}
	_, err := t.UpdateRows(ctx, "xxl_job_info", editColumns, rows)
	return err
}

// switchJobs writes the starts and stops of schedules.
func switchJobs(ctx context.Context, t *database.Tx, switched []*transition.JobChange) error {
	rows := make([][]any, len(switched))
	for i, c := range switched {
		status := 0
		if c.Is.Running {
			status = 1
		}
		rows[i] = []any{
			c.Is.ID, status, database.ToMilli(c.Is.TriggerLast), database.ToMilli(c.Is.TriggerNext),
			t.Dialect.Datetime(c.Is.Updated),
		}
	}
	_, err := t.UpdateRows(ctx, "xxl_job_info", switchColumns, rows)
	return err
}

// moveFires gives the open fires of jobs their group.
func moveFires(ctx context.Context, t *database.Tx, group int64, jobs []int64) error {
	for ids := range database.Powers(jobs) {
		these, args := t.Dialect.These("job_id", ids)
		_, err := t.Exec(ctx,
			`UPDATE xxlwheel_fire`+t.Dialect.FiresByJob+` SET group_id = ? WHERE `+these+` AND group_id <> ?`,
			slices.Concat([]any{group}, args, []any{group})...)
		if err != nil {
			return err
		}
	}
	return nil
}

// dropFires deletes fires of jobs for which the condition holds.
func dropFires(ctx context.Context, t *database.Tx, jobs []int64, condition string) error {
	for ids := range database.Powers(jobs) {
		these, args := t.Dialect.These("job_id", ids)
		if _, err := t.Exec(ctx, t.Dialect.DeleteFires()+` WHERE `+these+condition, args...); err != nil {
			return err
		}
	}
	return nil
}

// insertSettings inserts the settings and tags of jobs that have no rows of them yet; a job without
// either gets none.
func insertSettings(ctx context.Context, t *database.Tx, changes []*transition.JobChange) error {
	var settings, tags [][]any
	for _, c := range changes {
		if text := c.Is.SettingsText(); text != "" {
			settings = append(settings, []any{c.Is.ID, text})
		}
		for _, tag := range c.Is.Tags {
			tags = append(tags, []any{tag, c.Is.ID})
		}
	}
	if err := t.InsertAll(ctx, insertSetting, settings); err != nil {
		return err
	}
	return t.InsertAll(ctx, insertTag, tags)
}

func replaceSettings(ctx context.Context, t *database.Tx, changes []*transition.JobChange) error {
	var jobs []int64
	for _, c := range changes {
		jobs = append(jobs, c.Is.ID)
	}
	for _, rows := range []string{dropSettings, dropTags} {
		if err := t.DeleteOf(ctx, rows, "job_id", jobs); err != nil {
			return err
		}
	}
	return insertSettings(ctx, t, changes)
}

// removeJobs deletes jobs and what belongs to them.
func removeJobs(ctx context.Context, t *database.Tx, now time.Time, jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	// Once this has returned, no claim adds a log row of the jobs, as NoteRemoved requires.
	if err := dropFires(ctx, t, jobs, dropPlanned); err != nil {
		return err
	}
	for _, rows := range removedWith {
		if err := t.DeleteOf(ctx, rows.from, rows.column, jobs); err != nil {
			return err
		}
	}
	return runs.NoteRemoved(ctx, t, now, jobs)
}

// recordEdits appends the versions and the audit rows of edits, if ctx has a call.
//
// REQUIRES: the transaction holds the jobs' locks, and locks nothing later.
func (s *Store) recordEdits(ctx context.Context, tx *database.Tx, changes []*transition.JobChange) error {
	if xxladapter.CallOf(ctx) == "" || len(changes) == 0 {
		return nil
	}
	if err := s.RecordVersions(ctx, tx, changes); err != nil {
		return err
	}
	var audited []audit.Change
	for _, c := range changes {
		switch {
		case c.Is == nil:
			audited = audit.AppendChange(audited, c.Was.Audited(), c.Was.Fields(), nil)
		case c.Was == nil:
			audited = audit.AppendChange(audited, c.Is.Audited(), nil, c.Is.Fields())
		default:
			audited = audit.AppendChange(audited, c.Is.Audited(), c.Was.Fields(), c.Is.Fields())
		}
	}
	return s.RecordAll(ctx, tx, audited)
}

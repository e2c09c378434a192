package records

import (
	"context"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// JobColumns are the columns that [ScanJob] reads.
	JobColumns = `id, job_group, job_desc, author, alarm_email,
		schedule_type, schedule_conf, misfire_strategy,
		executor_route_strategy, executor_handler, executor_param, executor_block_strategy,
		executor_timeout, executor_fail_retry_count,
		glue_type, glue_source, glue_remark, glue_updatetime,
		child_jobid, trigger_status, trigger_last_time, trigger_next_time, add_time, update_time,
		(SELECT settings FROM xxlwheel_job WHERE xxlwheel_job.job_id = xxl_job_info.id)`

	insertJob = `INSERT INTO xxl_job_info (
		job_group, job_desc, author, alarm_email,
		schedule_type, schedule_conf, misfire_strategy,
		executor_route_strategy, executor_handler, executor_param, executor_block_strategy,
		executor_timeout, executor_fail_retry_count,
		glue_type, glue_source, glue_remark, glue_updatetime,
		child_jobid, trigger_status, trigger_last_time, trigger_next_time, add_time, update_time
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?)`

	// Only the columns that an operator edits: the caller's copy may be old in all others.
	updateJob = `UPDATE xxl_job_info SET
		job_group = ?, job_desc = ?, author = ?, alarm_email = ?,
		schedule_type = ?, schedule_conf = ?, misfire_strategy = ?,
		executor_route_strategy = ?, executor_handler = ?, executor_param = ?, executor_block_strategy = ?,
		executor_timeout = ?, executor_fail_retry_count = ?, child_jobid = ?, update_time = ?
		WHERE id = ?`

	// Every order locks the row first, so that what it reads still holds when it is carried out.
	selectJobState = `SELECT trigger_status, trigger_next_time, update_time FROM xxl_job_info WHERE id = ?`

	setNext  = `UPDATE xxl_job_info SET trigger_next_time = ? WHERE id = ?`
	startJob = `UPDATE xxl_job_info SET trigger_status = 1, trigger_last_time = 0, trigger_next_time = ?, update_time = ? WHERE id = ?`
	stopJob  = `UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = 0, trigger_next_time = 0, update_time = ? WHERE id = ?`

	selectLastDue = `SELECT MAX(due_ms) FROM xxlwheel_fire WHERE job_id = ? AND trigger_type = 'CRON'`

	// SelectScheduledFrom finds a fire of the schedule. Arguments: job and earliest due time.
	SelectScheduledFrom = `SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms >= ? AND trigger_type IN ('CRON', 'MISFIRE') LIMIT 1`

	// DropScheduled deletes the planned fires of a job's schedule.
	DropScheduled = `DELETE FROM xxlwheel_fire WHERE job_id = ? AND state = 'planned' AND trigger_type IN ('CRON', 'MISFIRE')`
)

// dropPlanned leaves claimed fires until they are settled.
const dropPlanned = `DELETE FROM xxlwheel_fire WHERE job_id = ? AND state = 'planned'`

// removeJob lists what is deleted with a job besides its planned fires.
var removeJob = []string{
	`DELETE FROM xxlwheel_misfire WHERE job_id = ?`,
	dropSettings,
	dropOrders,
	`DELETE FROM xxlwheel_alarm WHERE job_id = ?`,
	`DELETE FROM xxlwheel_alarm_claim WHERE job_id = ?`,
	`DELETE FROM xxl_job_logglue WHERE job_id = ?`,
}

const (
	dropSettings   = `DELETE FROM xxlwheel_job WHERE job_id = ?`
	insertSettings = `INSERT INTO xxlwheel_job (job_id, settings) VALUES (?, ?)`
)

// setSettings replaces the settings of a job; the zero value has no row.
func (t *Tx) setSettings(ctx context.Context, id int64, s xxladapter.Settings) error {
	if _, err := t.Exec(ctx, dropSettings, id); err != nil {
		return err
	}
	text := s.Text()
	if text == "" {
		return nil
	}
	_, err := t.Exec(ctx, insertSettings, id, text)
	return err
}

// CreateJob implements [xxladapter.Store].
func (s *Store) CreateJob(ctx context.Context, j *xxladapter.Job) (id int64, err error) {
	if err := s.Dialect.Widths.checkJob(j); err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		if err := tx.needGroup(ctx, j.GroupID, s.Dialect.Share); err != nil {
			return err
		}
		// A null glue_updatetime would make upstream's trigger fail.
		now := s.Dialect.Datetime(s.Clock())
		id, err = tx.insert(ctx, insertJob,
			j.GroupID, j.Name, j.Author, j.AlarmEmail,
			string(j.ScheduleType), j.ScheduleConf, string(j.Misfire),
			string(j.Route), j.Handler, j.Param, string(j.Block),
			int64(j.Timeout/time.Second), j.RetryCount,
			string(j.GlueType), j.GlueSource, j.GlueRemark, now,
			JoinIDs(j.ChildIDs), now, now)
		if err != nil {
			return err
		}
		return tx.setSettings(ctx, id, j.Settings)
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// reschedule lets the job continue from its TriggerNext, without what was planned before.
func (t *Tx) reschedule(ctx context.Context, j *xxladapter.Job, now time.Time) error {
	next := ToMilli(j.TriggerNext)
	if next <= ToMilli(now) {
		return mayHaveFired(j)
	}
	if _, err := t.Exec(ctx, setNext, next, j.ID); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, DropScheduled, j.ID); err != nil {
		return err
	}
	// The clock of the node that claimed may be some milliseconds ahead of this one's.
	claimed := false
	err := t.Query(ctx, SelectScheduledFrom, []any{j.ID, next}, func(Row) error { claimed = true; return nil })
	if err == nil && claimed {
		return mayHaveFired(j)
	}
	return err
}

func mayHaveFired(j *xxladapter.Job) error {
	return xxladapter.Conflictf("job %d cannot continue from %s, which may have fired", j.ID, j.TriggerNext.Format(time.RFC3339Nano))
}

// UpdateJob implements [xxladapter.Store].
func (s *Store) UpdateJob(ctx context.Context, j *xxladapter.Job, reschedule bool) error {
	if err := s.Dialect.Widths.checkJob(j); err != nil {
		return err
	}
	return s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		was, err := tx.lockJob(ctx, j.ID)
		if err != nil {
			return err
		}
		if err := was.check(j.ID, j.Updated); err != nil {
			return err
		}
		if err := tx.needGroup(ctx, j.GroupID, s.Dialect.Share); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, updateJob,
			j.GroupID, j.Name, j.Author, j.AlarmEmail,
			string(j.ScheduleType), j.ScheduleConf, string(j.Misfire),
			string(j.Route), j.Handler, j.Param, string(j.Block),
			int64(j.Timeout/time.Second), j.RetryCount,
			JoinIDs(j.ChildIDs), s.Dialect.Datetime(xxladapter.TouchedAt(s.Clock(), was.updated)), j.ID)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, MoveFires, j.GroupID, j.ID, j.GroupID); err != nil {
			return err
		}
		if j.GlueUpdated.IsZero() {
			if err := tx.saveGlue(ctx, j, s.Clock()); err != nil {
				return err
			}
		}
		if err := tx.setSettings(ctx, j.ID, j.Settings); err != nil || !reschedule {
			return err
		}
		return tx.reschedule(ctx, j, s.Clock())
	})
}

// StartJob implements [xxladapter.Store].
func (s *Store) StartJob(ctx context.Context, id int64, seen time.Time, first func(time.Time) time.Time) (next time.Time, err error) {
	err = s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		next = time.Time{}
		was, err := tx.lockJob(ctx, id)
		if err != nil {
			return err
		}
		if was.running {
			next = was.next
			return nil
		}
		if err := was.check(id, seen); err != nil {
			return err
		}
		var last time.Time
		if err := tx.Query(ctx, selectLastDue, []any{id}, func(r Row) error { return r.Scan(milli{&last}) }); err != nil {
			return err
		}
		now := s.Clock()
		after := now
		if last.After(after) {
			after = last
		}
		if next = fromMilli(ToMilli(first(after))); next.IsZero() {
			return nil
		}
		_, err = tx.Exec(ctx, startJob, ToMilli(next), s.Dialect.Datetime(xxladapter.TouchedAt(now, was.updated)), id)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	return next, nil
}

// StopJob implements [xxladapter.Store].
func (s *Store) StopJob(ctx context.Context, id int64, seen time.Time) error {
	return s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		was, err := tx.lockJob(ctx, id)
		if err != nil {
			return err
		}
		updated := was.updated
		if was.running {
			if err := was.check(id, seen); err != nil {
				return err
			}
			updated = xxladapter.TouchedAt(s.Clock(), updated)
		}
		if _, err := tx.Exec(ctx, stopJob, s.Dialect.Datetime(updated), id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, DropScheduled, id)
		return err
	})
}

// RemoveJob implements [xxladapter.Store].
func (s *Store) RemoveJob(ctx context.Context, id int64) error {
	return s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		removed, err := tx.Exec(ctx, `DELETE FROM xxl_job_info WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if removed == 0 {
			return noJob(id)
		}
		// Once this has returned, no claim adds a row to those recorded below.
		if _, err := tx.Exec(ctx, dropPlanned, id); err != nil {
			return err
		}
		for _, statement := range removeJob {
			if _, err := tx.Exec(ctx, statement, id); err != nil {
				return err
			}
		}
		return tx.noteRemoved(ctx, id)
	})
}

// Job implements [xxladapter.Store].
func (s *Store) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	return find(ctx, s, &JobEntity, id)
}

// Jobs implements [xxladapter.Store].
func (s *Store) Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	var where conditions
	if f.GroupID != 0 {
		where.add(`job_group = ?`, f.GroupID)
	}
	if f.Name != "" {
		where.add(s.Dialect.NameHas, f.Name)
	}
	if f.Running != nil && *f.Running {
		where.add(`trigger_status = 1`)
	} else if f.Running != nil {
		where.add(`trigger_status <> 1`)
	}
	if f.Waiting {
		where.add(`trigger_status = 1 AND trigger_next_time = ?`, ToMilli(xxladapter.AfterRun))
	}
	if f.KeepLogs != "" {
		// In the form that ParseSettings reads. Inside a text the quotes would be escaped.
		where.add(`id IN (SELECT job_id FROM xxlwheel_job WHERE settings LIKE ?)`, fmt.Sprintf(`%%"keepLogs":%q%%`, string(f.KeepLogs)))
	}
	if f.AfterID != 0 {
		where.add(`id > ?`, f.AfterID)
	}
	var found []*xxladapter.Job
	query, args := where.Selecting(`SELECT `+JobColumns+` FROM xxl_job_info`, `id`, f.Limit)
	err := s.Query(ctx, query, args, func(r Row) error {
		j, err := ScanJob(r)
		found = append(found, j)
		return err
	})
	return found, err
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
		Text(&j.GlueType), Text(&j.GlueSource), Text(&j.GlueRemark), datetime{&j.GlueUpdated},
		idList{&j.ChildIDs}, &status, milli{&j.TriggerLast}, milli{&j.TriggerNext},
		datetime{&j.Added}, datetime{&j.Updated}, Text(&settings))
	j.Settings = xxladapter.ParseSettings(settings)
	j.Timeout = time.Duration(timeout) * time.Second
	j.Running = status == 1
	return &j, err
}

// A jobState is what an order about a job has to know.
type jobState struct {
	running bool
	next    time.Time
	updated time.Time
}

// lockJob reads the state of a job and locks it until the transaction ends.
func (t *Tx) lockJob(ctx context.Context, id int64) (j jobState, err error) {
	found := false
	err = t.Query(ctx, selectJobState+t.Dialect.Lock, []any{id}, func(r Row) error {
		found = true
		var status int64
		err := r.Scan(&status, milli{&j.next}, datetime{&j.updated})
		j.running = status == 1
		return err
	})
	if err == nil && !found {
		err = noJob(id)
	}
	return j, err
}

// check returns an error if the job was changed since the caller saw it.
func (j jobState) check(id int64, seen time.Time) error {
	if seen.IsZero() || seen.Equal(j.updated) {
		return nil
	}
	return xxladapter.Conflictf("job %d was changed meanwhile", id)
}

func noJob(id int64) error { return xxladapter.NotFoundf("job %d does not exist", id) }

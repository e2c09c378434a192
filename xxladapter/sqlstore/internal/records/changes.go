package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// SelectMarks reads the ends of indexes and whole tables that are small. Arguments: the current
	// time in ms, four times; leases and pauses that end later count.
	SelectMarks = `SELECT
		(SELECT COALESCE(MAX(id), 0) FROM xxl_job_log),
		(SELECT COALESCE(SUM(suc_count + fail_count), 0) FROM xxl_job_log_report),
		(SELECT COALESCE(SUM(suc_count + fail_count), 0) FROM xxlwheel_report),
		(SELECT COALESCE(MAX(id), 0) FROM xxlwheel_misfire),
		(SELECT COALESCE(SUM(job_id + 1), 0) FROM xxlwheel_removed_job),
		(SELECT COUNT(*) FROM xxl_job_group),
		(SELECT COALESCE(SUM(LENGTH(address_list)), 0) FROM xxl_job_group)
			+ (SELECT COALESCE(SUM(LENGTH(drains)), 0) FROM xxlwheel_drain),
		(SELECT MAX(update_time) FROM xxl_job_group),
		(SELECT COUNT(*) FROM xxlwheel_lease WHERE until_ms > ?),
		(SELECT COALESCE(SUM(term), 0) FROM xxlwheel_lease WHERE until_ms > ?),
		(SELECT COUNT(*) FROM xxlwheel_pause WHERE until_ms = 0 OR until_ms > ?),
		(SELECT COALESCE(SUM(id), 0) FROM xxlwheel_pause WHERE until_ms = 0 OR until_ms > ?)`
	// SelectChangedJobs has no index on MySQL, where upstream's tables stay as they are.
	SelectChangedJobs = `SELECT id, job_group, update_time FROM xxl_job_info
		WHERE update_time >= ? ORDER BY update_time DESC, id LIMIT ?`

	selectRunMarks = `SELECT id, job_id, job_group, trigger_code, handle_code FROM xxl_job_log WHERE `
	// SelectNewRuns reads the log rows after an id.
	SelectNewRuns = selectRunMarks + `id > ? ORDER BY id LIMIT ?`
)

// Marks implements [xxladapter.Store].
func (s *Store) Marks(ctx context.Context) (m xxladapter.Marks, err error) {
	now := database.ToMilli(s.Clock())
	err = s.Query(ctx, SelectMarks, []any{now, now, now, now}, func(r database.Row) error {
		var folded, open int64
		err := r.Scan(&m.Run, &folded, &open, &m.Misfire, &m.Removed,
			&m.Groups.Count, &m.Groups.Sum, database.Datetime(&m.Groups.Updated), &m.Nodes.Count, &m.Nodes.Sum,
			&m.Pauses.Count, &m.Pauses.Sum)
		m.Ended = folded + open
		return err
	})
	return m, err
}

// ChangedJobs implements [xxladapter.Store].
func (s *Store) ChangedJobs(ctx context.Context, since time.Time, limit int) ([]xxladapter.JobMark, error) {
	if since.IsZero() {
		since = time.Unix(0, 0) // as NULL it would select nothing
	}
	var found []xxladapter.JobMark
	err := s.Query(ctx, SelectChangedJobs, []any{s.Dialect.Datetime(since), limit}, func(r database.Row) error {
		var m xxladapter.JobMark
		err := r.Scan(&m.ID, &m.GroupID, database.Datetime(&m.Updated))
		found = append(found, m)
		return err
	})
	return found, err
}

// NewRuns implements [xxladapter.Store].
func (s *Store) NewRuns(ctx context.Context, after int64, limit int) ([]xxladapter.RunMark, error) {
	return s.runMarks(ctx, SelectNewRuns, after, limit)
}

// RunMarks implements [xxladapter.Store].
func (s *Store) RunMarks(ctx context.Context, ids []int64) ([]xxladapter.RunMark, error) {
	if len(ids) == 0 {
		return nil, ctx.Err()
	}
	condition, args := s.Dialect.Among("id", ids)
	return s.runMarks(ctx, selectRunMarks+condition+` ORDER BY id`, args...)
}

func (s *Store) runMarks(ctx context.Context, query string, args ...any) ([]xxladapter.RunMark, error) {
	var found []xxladapter.RunMark
	err := s.Query(ctx, query, args, func(r database.Row) error {
		var m xxladapter.RunMark
		err := r.Scan(&m.ID, &m.JobID, &m.GroupID, &m.TriggerCode, &m.HandleCode)
		found = append(found, m)
		return err
	})
	return found, err
}

package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// lastRuns finds the newest row of each job with one step in the index on job_id, however many rows
// the job has. LastRunsOf appends the condition on the jobs.
const lastRuns = `SELECT id, job_id, trigger_code, handle_code, trigger_time FROM xxl_job_log
	WHERE id IN (SELECT (SELECT MAX(l.id) FROM xxl_job_log AS l WHERE l.job_id = xxl_job_info.id) FROM xxl_job_info WHERE `

const newestHistory = `SELECT MAX(log_id) FROM xxlwheel_run`

// MeanDurationsAfter groups the histories above an id by job. The id is an argument, for both
// tables: with a subquery instead, PostgreSQL would expect a third of the rows to match, and read
// both tables whole.
const MeanDurationsAfter = `SELECT l.job_id, SUM(CASE WHEN r.finished_ms < r.sent_ms THEN 0 ELSE r.finished_ms - r.sent_ms END), COUNT(*)
	FROM xxlwheel_run AS r JOIN xxl_job_log AS l ON l.id = r.log_id
	WHERE r.log_id > ? AND l.id > ? AND r.finished_ms IS NOT NULL AND r.sent_ms IS NOT NULL
	GROUP BY l.job_id`

// LastRunsOf returns the statement of LastRuns.
func LastRunsOf(d *database.Dialect, ids []int64) (query string, args []any) {
	these, args := d.Among(`xxl_job_info.id`, ids)
	return lastRuns + these + `)`, args
}

// lastRunsChunk limits the jobs of one statement.
const lastRunsChunk = 1000

// LastRuns implements [xxladapter.Store].
func (s *Store) LastRuns(ctx context.Context, jobIDs []int64) (map[int64]xxladapter.LastRun, error) {
	found := map[int64]xxladapter.LastRun{}
	for ids := range slices.Chunk(jobIDs, lastRunsChunk) {
		query, args := LastRunsOf(s.db.Dialect, ids)
		err := s.db.Query(ctx, query, args, func(r database.Row) error {
			var l xxladapter.Log
			err := r.Scan(&l.ID, &l.JobID, &l.TriggerCode, &l.HandleCode, database.Datetime(&l.TriggerTime))
			found[l.JobID] = xxladapter.LastRun{LogID: l.ID, Status: l.Status(), Triggered: l.TriggerTime}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// recentRuns reads the newest rows of one job from the end of its part of the index on job_id. It
// is repeated for each job.
const recentRuns = `SELECT * FROM (SELECT id, job_id, trigger_code, handle_code, trigger_time FROM xxl_job_log
	WHERE job_id = ? ORDER BY id DESC LIMIT ?) AS recent`

// RecentRunsOf returns the statement of RecentRuns.
func RecentRunsOf(d *database.Dialect, ids []int64, limit int) (query string, args []any) {
	for _, id := range ids {
		args = append(args, id, limit)
	}
	return strings.TrimSuffix(strings.Repeat(recentRuns+"\nUNION ALL\n", len(ids)), "\nUNION ALL\n"), args
}

// recentRunsChunk limits the jobs of one statement. A console's page has as many, and SQLite takes
// 500 selections in a statement.
const recentRunsChunk = 50

// RecentRuns implements [xxladapter.Store].
func (s *Store) RecentRuns(ctx context.Context, jobIDs []int64, limit int) (map[int64][]xxladapter.LastRun, error) {
	found := map[int64][]xxladapter.LastRun{}
	for ids := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(jobIDs))), recentRunsChunk) {
		query, args := RecentRunsOf(s.db.Dialect, ids, limit)
		err := s.db.Query(ctx, query, args, func(r database.Row) error {
			var l xxladapter.Log
			err := r.Scan(&l.ID, &l.JobID, &l.TriggerCode, &l.HandleCode, database.Datetime(&l.TriggerTime))
			found[l.JobID] = append(
				found[l.JobID], xxladapter.LastRun{LogID: l.ID, Status: l.Status(), Triggered: l.TriggerTime},
			)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	// A union has no order of its own.
	for _, runs := range found {
		slices.SortFunc(runs, func(a, b xxladapter.LastRun) int { return cmp.Compare(b.LogID, a.LogID) })
	}
	return found, nil
}

// MeanDurations implements [xxladapter.Store].
func (s *Store) MeanDurations(ctx context.Context, rows int) (map[int64]time.Duration, error) {
	means := map[int64]time.Duration{}
	var newest int64
	if err := s.db.Query(
		ctx, newestHistory, nil, func(r database.Row) error { return r.Scan(database.Integer(&newest)) },
	); err != nil {
		return nil, err
	}
	after := newest - int64(rows)
	err := s.db.Query(ctx, MeanDurationsAfter, []any{after, after}, func(r database.Row) error {
		var job, sum, n int64
		err := r.Scan(&job, &sum, &n)
		means[job] = time.Duration(sum/max(n, 1)) * time.Millisecond
		return err
	})
	return means, err
}

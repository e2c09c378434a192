package figures

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// The result of each job's newest run is what the statistics have stored of it, unless a newer run,
// or one that was open when they looked, has ended since.
const (
	// newestUncounted limits how many uncounted rows are read. More wait only while an old log is
	// being counted for the first time.
	newestUncounted = 200_000

	selectUncounted = `SELECT folded_id, (SELECT MAX(id) FROM xxl_job_log) FROM xxlwheel_stat_mark WHERE id = 1`
	hasEnded        = `(l.handle_code <> 0 OR l.trigger_code NOT IN (0, 200))`
	// SelectNewerResults reads the uncounted rows: those after the id in its argument, and the open
	// ones. A row's id and its success are one number, so that the newest row of a job is found
	// without reading it again, and jobs whose stored result says the same are left out: these are
	// most. CROSS JOIN makes SQLite begin with the few open rows.
	SelectNewerResults = `SELECT newest.job_id, newest.at_last % 2 FROM (
			SELECT job_id, MAX(ended_as) AS at_last FROM (
				SELECT l.job_id, ` + idAndSuccess + ` AS ended_as FROM xxl_job_log l WHERE l.id > ? AND ` + hasEnded + `
				UNION ALL SELECT l.job_id, ` + idAndSuccess +
		` FROM xxlwheel_stat_open o CROSS JOIN xxl_job_log l WHERE l.id = o.log_id AND ` + hasEnded + `
			) AS ended GROUP BY job_id
		) AS newest LEFT JOIN xxlwheel_last_result r ON r.job_id = newest.job_id
		WHERE r.log_id IS NULL OR (2 * r.log_id <= newest.at_last AND CASE WHEN r.result = 'SUCCESS' THEN 1 ELSE 0 END <> newest.at_last % 2)`
	idAndSuccess = `2 * l.id + CASE WHEN l.handle_code = 200 THEN 1 ELSE 0 END`
)

// Two forms of [database.Dialect.NeverRan]. SQLite is faster with the second one. PostgreSQL would
// read all stored results into memory for it, and again for each job if they do not fit.
const (
	NeverRanExists = `NOT EXISTS (SELECT 1 FROM xxlwheel_last_result WHERE xxlwheel_last_result.job_id = xxl_job_info.id)`
	NeverRanIn     = `id NOT IN (SELECT job_id FROM xxlwheel_last_result)`
)

// failedIn selects jobs with a stored result that is no success: few among many. It states <> as
// two ranges, because SQLite reads all rows for <>.
const failedIn = `id IN (SELECT job_id FROM xxlwheel_last_result WHERE result < 'SUCCESS' OR result > 'SUCCESS')`

// NewerResults are jobs whose newest result is not what is stored of them.
type NewerResults struct{ succeeded, failed []int64 }

// NewerResults reads the newer results of all jobs, or none if f neither filters nor sorts by them.
func (s *Store) NewerResults(ctx context.Context, f xxladapter.JobFilter) (newer NewerResults, err error) {
	if f.LastResult == "" && f.Sort != xxladapter.SortByResult {
		return newer, nil
	}
	var folded, highest int64
	err = s.db.Query(
		ctx, selectUncounted, nil, func(r database.Row) error { return r.Scan(&folded, database.Integer(&highest)) },
	)
	if err != nil {
		return newer, err
	}
	err = s.db.Query(ctx, SelectNewerResults, []any{max(folded, highest-newestUncounted)}, func(r database.Row) error {
		var job, succeeded int64
		err := r.Scan(&job, &succeeded)
		if succeeded == 1 {
			newer.succeeded = append(newer.succeeded, job)
		} else {
			newer.failed = append(newer.failed, job)
		}
		return err
	})
	return newer, err
}

// AddLastResult restricts jobs to those whose last result is result; an empty one restricts
// nothing.
func AddLastResult(c *database.Conditions, d *database.Dialect, result xxladapter.LastResult, newer NewerResults) {
	var stored string
	with, without := newer.succeeded, newer.failed
	switch result {
	case xxladapter.LastSuccess:
		// Most jobs have this result. MariaDB would read all of them first if it could turn the
		// lookup into a join.
		stored = `(SELECT result FROM xxlwheel_last_result WHERE xxlwheel_last_result.job_id = xxl_job_info.id) = 'SUCCESS'`
	case xxladapter.LastFail:
		stored, with, without = failedIn, newer.failed, newer.succeeded
	case xxladapter.LastNone:
		stored = d.NeverRan
		with, without = nil, append(newer.succeeded, newer.failed...)
	default:
		return
	}
	var args []any
	if len(without) > 0 {
		these, ids := d.Among(`id`, without)
		stored, args = stored+` AND NOT (`+these+`)`, append(args, ids...)
	}
	if len(with) > 0 {
		these, ids := d.Among(`id`, with)
		stored, args = `(`+stored+`) OR `+these, append(args, ids...)
	}
	c.Add(`(`+stored+`)`, args...)
}

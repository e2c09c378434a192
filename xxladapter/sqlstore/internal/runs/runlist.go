package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// firstStep is the number of rows that the first statement of a search examines. Each further
// statement examines twice as many. So a search that many rows match ends early, and a search that
// few rows match takes few statements.
const firstStep = 2000

const (
	// The ids of log rows grow with their trigger times, except for rows of almost the same time.
	FirstSince = `SELECT id FROM xxl_job_log WHERE trigger_time >= ? ORDER BY trigger_time, id LIMIT 1`
	LastUntil  = `SELECT id FROM xxl_job_log WHERE trigger_time <= ? ORDER BY trigger_time DESC, id DESC LIMIT 1`
)

// Almost is how far the trigger times of log rows may be out of the order of their ids: a row gets
// its id when its fire is claimed, and its time a moment earlier.
const Almost = time.Minute

// A runSearch is a search for log rows in one direction. It examines a range of ids in steps.
type runSearch struct {
	db     *database.DB
	filter xxladapter.RunFilter
	now    time.Time
	first  int64 // the range that is left, both included
	last   int64
	step   int // rows of the next step
	left   int // rows that may still be examined; 0 ends the search
}

// newRunSearch prepares a search from the position of f on.
func (s *Store) newRunSearch(ctx context.Context, f xxladapter.RunFilter) (*runSearch, error) {
	q := &runSearch{db: s.db, filter: f, now: s.db.Clock(), step: firstStep, left: f.Examine}
	if q.left == 0 {
		q.left = xxladapter.DefaultExamine
	}
	if !searches(f) {
		q.step = 0 // each row that is read is a row of the list
	}
	if err := q.bound(ctx); err != nil {
		return nil, err
	}
	switch {
	case f.AfterID != 0 && f.Newest:
		q.last = min(q.last, f.AfterID-1)
	case f.AfterID != 0:
		q.first = max(q.first, f.AfterID+1)
	}
	return q, nil
}

// bound finds the range of ids for the times of the filter.
func (q *runSearch) bound(ctx context.Context) error {
	f := q.filter
	id := func(to *int64, query string, args ...any) error {
		return q.db.Query(ctx, query, args, func(r database.Row) error { return r.Scan(database.Integer(to)) })
	}
	first, last := `SELECT MIN(id) FROM xxl_job_log`, `SELECT MAX(id) FROM xxl_job_log`
	var from, until []any
	if !f.Since.IsZero() {
		first, from = FirstSince, []any{q.db.Dialect.Datetime(f.Since.Add(-Almost))}
	}
	if !f.Before.IsZero() {
		last, until = LastUntil, []any{q.db.Dialect.Datetime(f.Before.Add(Almost))}
	}
	q.last = -1 // unless there are rows, the range is empty
	if err := id(&q.first, first, from...); err != nil || q.first == 0 {
		return err
	}
	return id(&q.last, last, until...)
}

// next returns the part of the range that the next statement examines, and takes it off the range.
// ok is false if nothing is left of the range.
func (q *runSearch) next(ctx context.Context) (first, last int64, ok bool, err error) {
	first, last = q.first, q.last
	if first > last {
		return 0, 0, false, nil
	}
	if q.step > 0 {
		q.step = min(q.step, q.left)
		if first, last, err = q.part(ctx); err != nil {
			return 0, 0, false, err
		}
		q.left -= q.step
		q.step *= 2
	}
	if q.filter.Newest {
		q.last = first - 1
	} else {
		q.first = last + 1
	}
	return first, last, true, nil
}

// part returns the part of the range with the next q.step rows: rows of the job, if the filter
// names one, and otherwise ids, since few ids have no row.
func (q *runSearch) part(ctx context.Context) (first, last int64, err error) {
	first, last = q.first, q.last
	if q.filter.JobID == 0 {
		if q.filter.Newest {
			return max(first, last-int64(q.step)+1), last, nil
		}
		return first, min(last, first+int64(q.step)-1), nil
	}
	args := []any{q.filter.JobID, first, last, q.step - 1}
	if q.filter.Newest {
		err = q.db.Query(ctx, NthNewestOfJob, args, func(r database.Row) error { return r.Scan(&first) })
	} else {
		err = q.db.Query(ctx, NthOldestOfJob, args, func(r database.Row) error { return r.Scan(&last) })
	}
	return first, last, err
}

const (
	// NthNewestOfJob and NthOldestOfJob find the end of a part of a job's rows, by the index on
	// job_id alone. Arguments: job, first and last id, rows to skip.
	NthNewestOfJob = `SELECT id FROM xxl_job_log WHERE job_id = ? AND id >= ? AND id <= ? ORDER BY id DESC LIMIT 1 OFFSET ?`
	NthOldestOfJob = `SELECT id FROM xxl_job_log WHERE job_id = ? AND id >= ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?`
)

// Runs implements [xxladapter.Store].
func (s *Store) Runs(ctx context.Context, f xxladapter.RunFilter) (logs []*xxladapter.Log, next int64, err error) {
	q, err := s.newRunSearch(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	limit := f.Limit
	for {
		first, last, ok, err := q.next(ctx)
		if !ok || err != nil {
			return logs, 0, err
		}
		f.Limit = limit + 1 - len(logs)
		query, args := RunList(s.db.Dialect, f, first, last, q.now)
		err = s.db.Query(ctx, query, args, func(r database.Row) error {
			l, err := ScanLog(r)
			logs = append(logs, l)
			return err
		})
		switch {
		case err != nil:
			return nil, 0, err
		case len(logs) > limit:
			logs = logs[:limit]
			return logs, logs[limit-1].ID, nil
		case q.left == 0 && q.first > q.last:
			return logs, 0, nil
		case q.left == 0 && f.Newest:
			return logs, first, nil
		case q.left == 0:
			return logs, last, nil
		}
	}
}

// RunList returns the statement that lists the rows of a part of the log.
func RunList(d *database.Dialect, f xxladapter.RunFilter, first, last int64, now time.Time) (query string, args []any) {
	where := runConditions(d, f, first, last, now)
	order := `id`
	if f.Newest {
		order = `id DESC`
	}
	return where.Selecting(`SELECT `+LogColumns+` FROM xxl_job_log`, order, f.Limit)
}

// CountRuns implements [xxladapter.Store].
func (s *Store) CountRuns(ctx context.Context, f xxladapter.RunFilter, limit int) (n int, more bool, err error) {
	f.AfterID = 0
	q, err := s.newRunSearch(ctx, f)
	if err != nil {
		return 0, false, err
	}
	for {
		first, last, ok, err := q.next(ctx)
		if !ok || err != nil {
			return n, false, err
		}
		where := runConditions(s.db.Dialect, f, first, last, q.now)
		selected, args := where.Where(`SELECT 1 FROM xxl_job_log`)
		err = s.db.Query(ctx, `SELECT COUNT(*) FROM (`+selected+
			` LIMIT ?) AS counted`, append(args, limit+1-n), func(r database.Row) error {
			var found int
			err := r.Scan(&found)
			n += found
			return err
		})
		switch {
		case err != nil:
			return 0, false, err
		case n > limit:
			return limit, true, nil
		case q.left == 0:
			return n, q.first <= q.last, nil
		}
	}
}

// searches reports whether a list has to read rows that are not in it. Indexes lead to the rows of
// a job, of a time, and to the few without an outcome.
func searches(f xxladapter.RunFilter) bool {
	return f.Status != xxladapter.LogRunning &&
		(f.GroupID != 0 || f.Groups != nil || f.Status != "" || f.Lost || f.Address != "" || f.Type != "" ||
			f.Text != "" || f.AtLeast > 0)
}

// runConditions returns the conditions of f for the ids from first to last.
func runConditions(d *database.Dialect, f xxladapter.RunFilter, first, last int64, now time.Time) *database.Conditions {
	where := new(database.Conditions)
	where.Add(`id >= ? AND id <= ?`, first, last)
	logConditions(d, where, f.LogFilter)
	if f.Status == xxladapter.LogRunning {
		where.Add(d.OpenRuns)
	}
	if f.Lost {
		where.Add(`(handle_code = 0 AND trigger_code = 504 OR handle_code = 500 AND `+
			d.Bytes(fmt.Sprintf(`SUBSTR(handle_msg, 1, %d)`, len(xxladapter.LostMsg)))+` = ?)`, xxladapter.LostMsg)
	}
	if f.Address != "" {
		where.Add(d.Has(`executor_address`), f.Address)
	}
	if f.Type != "" {
		addType(where, f, first, last)
	}
	if f.Text != "" {
		where.Add(`(`+d.Has(`trigger_msg`)+` OR `+d.Has(`handle_msg`)+`)`, f.Text, f.Text)
	}
	if f.AtLeast > 0 {
		addAtLeast(d, where, f, first, last, now)
	}
	return where
}

// bounded reports whether f examines a bounded range of ids. A search does; the rows of one job,
// and the few without an outcome, lie far apart.
func bounded(f xxladapter.RunFilter) bool { return f.JobID == 0 && searches(f) }

// inRange is the condition that a row of a bounded range has a history or an open fire of some
// kind. It reads the histories or fires of the range in order, because MariaDB takes longer to look
// each of them up.
const inRange = `id IN (SELECT log_id FROM %s WHERE log_id >= ? AND log_id <= ? AND %s)`

// addType restricts a list to runs that were triggered in one way.
func addType(where *database.Conditions, f xxladapter.RunFilter, first, last int64) {
	if !bounded(f) {
		where.Add(`COALESCE((SELECT trigger_type FROM xxlwheel_run WHERE xxlwheel_run.log_id = xxl_job_log.id),
			(SELECT trigger_type FROM xxlwheel_fire WHERE xxlwheel_fire.log_id = xxl_job_log.id)) = ?`, string(f.Type))
		return
	}
	const is = `trigger_type = ?`
	where.Add(fmt.Sprintf(`(`+inRange+` OR `+inRange+`)`, `xxlwheel_run`, is, `xxlwheel_fire`, is),
		first, last, string(f.Type), first, last, string(f.Type))
}

// addAtLeast states [xxladapter.Log.Took] in SQL. A subquery that returns a value is looked up for
// each row; with EXISTS, PostgreSQL may read the whole table of histories instead.
func addAtLeast(
	d *database.Dialect, where *database.Conditions, f xxladapter.RunFilter, first, last int64, now time.Time,
) {
	const ofHistory = `(SELECT CASE WHEN finished_ms < sent_ms THEN 0 ELSE finished_ms - sent_ms END FROM xxlwheel_run WHERE xxlwheel_run.log_id = xxl_job_log.id)`
	ms := (f.AtLeast + time.Millisecond - 1).Milliseconds()
	ofRow := fmt.Sprintf(
		`CASE WHEN %s THEN CASE WHEN trigger_time <= ? THEN %d ELSE -1 END ELSE %s * 1000 END`,
		ofStatus[xxladapter.LogRunning], ms, d.Seconds,
	)
	began := d.Datetime(now.Add(-f.AtLeast))
	if !bounded(f) {
		where.Add(fmt.Sprintf(`COALESCE(%s, %s) >= %d`, ofHistory, ofRow, ms), began)
		return
	}
	took := fmt.Sprintf(`finished_ms - sent_ms >= %d`, ms)
	where.Add(
		fmt.Sprintf(`(`+inRange+` OR %s >= %d AND %s IS NULL)`, `xxlwheel_run`, took, ofRow, ms, ofHistory), first,
		last, began,
	)
}

// JobNames implements [xxladapter.Store].
func (s *Store) JobNames(ctx context.Context, ids, groups []int64) (map[int64]string, error) {
	names := map[int64]string{}
	if len(ids) == 0 {
		return names, ctx.Err()
	}
	var where database.Conditions
	these, args := s.db.Dialect.Among(`id`, ids)
	where.Add(these, args...)
	where.AddIDs(s.db.Dialect, `job_group`, groups)
	query, args := where.Where(`SELECT id, job_desc FROM xxl_job_info`)
	err := s.db.Query(ctx, query, args, func(r database.Row) error {
		var id int64
		var name string
		err := r.Scan(&id, database.Text(&name))
		names[id] = name
		return err
	})
	return names, err
}

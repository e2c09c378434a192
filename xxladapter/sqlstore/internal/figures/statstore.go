package figures

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	statCounts  = `success, failed, timeout, killed, lost, not_sent`
	statColumns = `of_group, hour, job_id, group_id, ` + statCounts + `, durations, lateness`
	insertStats = `INSERT INTO xxlwheel_stat (` + statColumns + `) VALUES `

	insertOpenStats   = `INSERT INTO xxlwheel_stat_open (log_id, counted) VALUES `
	insertLastResults = `INSERT INTO xxlwheel_last_result (job_id, log_id, result) VALUES `

	firstStatHour = `SELECT MIN(hour) FROM xxlwheel_stat WHERE of_group = ? AND hour < ?`
	statJobAt     = `SELECT job_id FROM xxlwheel_stat WHERE of_group = 0 AND hour = ? ORDER BY job_id LIMIT 1 OFFSET ?`
	dropStatHour  = `DELETE FROM xxlwheel_stat WHERE of_group = ? AND hour = ?`
)

// storeStats writes the work of a turn.
//
// REQUIRES: the transaction has moved the mark, or locked it, so that no other transaction changes
// these tables.
func (s *Store) storeStats(ctx context.Context, tx *database.Tx, w *statWork) error {
	if err := addFigures(ctx, tx, w.figures); err != nil {
		return err
	}
	if len(w.closed) > 0 {
		these, args := tx.Dialect.Among(`log_id`, w.closed)
		if _, err := tx.Exec(ctx, `DELETE FROM xxlwheel_stat_open WHERE `+these, args...); err != nil {
			return err
		}
	}
	var opened []any
	for _, id := range slices.Sorted(maps.Keys(w.opened)) {
		opened = append(opened, id, string(w.opened[id]))
	}
	if err := tx.InsertMany(ctx, insertOpenStats, 2, opened); err != nil {
		return err
	}
	return setLastResults(ctx, tx, w.last)
}

// addFigures adds to the stored figures. Rows that are stored are read, removed and inserted again,
// because no database can add histograms.
func addFigures(ctx context.Context, t *database.Tx, add map[statKey]*xxladapter.Figures) error {
	type part struct {
		ofGroup bool
		hour    int64
	}
	parts := map[part][]int64{} // the jobs, or groups, of an hour
	for key := range add {
		of := part{key.ofGroup, key.hour}
		parts[of] = append(parts[of], key.job+key.group*int64(database.Bit(key.ofGroup)))
	}
	var values []any
	for _, of := range slices.SortedFunc(maps.Keys(parts), func(a, b part) int {
		return cmp.Or(database.Bit(a.ofGroup)-database.Bit(b.ofGroup), cmp.Compare(a.hour, b.hour))
	}) {
		condition := `of_group = ? AND hour = ? AND `
		these, ids := t.Dialect.Among(`job_id`, parts[of])
		if of.ofGroup {
			condition += `job_id = 0 AND `
			these, ids = t.Dialect.Among(`group_id`, parts[of])
		}
		args := append([]any{database.Bit(of.ofGroup), of.hour}, ids...)
		sums := map[statKey]*xxladapter.Figures{}
		for key, f := range add {
			if key.ofGroup == of.ofGroup && key.hour == of.hour {
				sums[key] = f
			}
		}
		err := t.Query(ctx, `SELECT `+statColumns+
			` FROM xxlwheel_stat WHERE `+condition+these, args, func(r database.Row) error {
			key, stored, err := scanStat(r)
			if sums[key] != nil {
				stored.Merge(sums[key])
			}
			sums[key] = &stored
			return err
		})
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, `DELETE FROM xxlwheel_stat WHERE `+condition+these, args...); err != nil {
			return err
		}
		for key, f := range sums {
			values = append(values, database.Bit(key.ofGroup), key.hour, key.job, key.group, f.Success, f.Failed,
				f.Timeout, f.Killed, f.Lost, f.NotSent,
				f.Durations.Bytes(), f.Lateness.Bytes())
		}
	}
	return t.InsertMany(ctx, insertStats, 12, values)
}

func scanStat(r database.Row) (key statKey, f xxladapter.Figures, err error) {
	var ofGroup int64
	var durations, lateness []byte
	err = r.Scan(
		&ofGroup, &key.hour, &key.job, &key.group, &f.Success, &f.Failed, &f.Timeout, &f.Killed, &f.Lost, &f.NotSent,
		&durations, &lateness,
	)
	key.ofGroup = ofGroup != 0
	// A histogram that another program has damaged is empty.
	f.Durations, _ = xxladapter.HistogramOf(durations)
	f.Lateness, _ = xxladapter.HistogramOf(lateness)
	return key, f, err
}

// setLastResults stores the results, except for jobs whose stored result is that of a newer run.
func setLastResults(ctx context.Context, t *database.Tx, last map[int64]lastResult) error {
	if len(last) == 0 {
		return nil
	}
	these, args := t.Dialect.Among(`job_id`, slices.Collect(maps.Keys(last)))
	err := t.Query(ctx, `SELECT job_id, log_id FROM xxlwheel_last_result WHERE `+these, args, func(r database.Row) error {
		var job, log int64
		err := r.Scan(&job, &log)
		if log > last[job].logID {
			delete(last, job)
		}
		return err
	})
	if err != nil || len(last) == 0 {
		return err
	}
	jobs := slices.Sorted(maps.Keys(last))
	these, args = t.Dialect.Among(`job_id`, jobs)
	if _, err := t.Exec(ctx, `DELETE FROM xxlwheel_last_result WHERE `+these, args...); err != nil {
		return err
	}
	var values []any
	for _, job := range jobs {
		values = append(values, job, last[job].logID, string(last[job].result))
	}
	return t.InsertMany(ctx, insertLastResults, 3, values)
}

// StatsOf returns the statement of [Store.Stats] for the rows of jobs. With nil, it reads the sums
// of groups, or the rows of f.JobID.
func StatsOf(d *database.Dialect, f xxladapter.StatFilter, jobs []int64) (query string, args []any) {
	var of database.Conditions
	if f.JobID == 0 { // for one job, the index on jobs reads fewer rows
		of.Add(`of_group = ?`, database.Bit(jobs == nil))
	}
	addStats(&of, d, f)
	if jobs != nil {
		these, args := d.Among(`job_id`, jobs)
		of.Add(these, args...)
	}
	return of.Where(`SELECT ` + statColumns + ` FROM xxlwheel_stat`)
}

// StatJobsOf returns the statement that finds the jobs of f with the most unsuccessful runs.
func StatJobsOf(d *database.Dialect, f xxladapter.StatFilter) (query string, args []any) {
	var of database.Conditions
	of.Add(`of_group = 0`)
	addStats(&of, d, f)
	query, args = of.Where(`SELECT job_id FROM xxlwheel_stat`)
	query += ` GROUP BY job_id ORDER BY SUM(failed + timeout + killed + lost + not_sent) DESC, job_id`
	if f.Limit > 0 {
		query += ` LIMIT ?`
		args = append(args, f.Limit)
	}
	return query, args
}

func addStats(c *database.Conditions, d *database.Dialect, f xxladapter.StatFilter) {
	c.Add(`hour >= ? AND hour < ?`, hourOf(f.From), hourOf(f.To.Add(xxladapter.StatHour-1)))
	if f.JobID != 0 {
		c.Add(`job_id = ?`, f.JobID)
	}
	if f.GroupID != 0 {
		c.Add(`group_id = ?`, f.GroupID)
	}
	c.AddIDs(d, `group_id`, f.Groups)
}

// statChunk limits the jobs of one statement.
const statChunk = 1000

// Stats implements [xxladapter.Store].
func (s *Store) Stats(ctx context.Context, f xxladapter.StatFilter) ([]xxladapter.Stat, error) {
	sums := xxladapter.StatSums{By: f.By}
	add := func(r database.Row) error {
		key, figures, err := scanStat(r)
		sums.Add(time.Unix(key.hour*int64(xxladapter.StatHour/time.Second), 0).UTC(), key.group, key.job, &figures)
		return err
	}
	if f.By != xxladapter.StatByJob || f.JobID != 0 {
		query, args := StatsOf(s.db.Dialect, f, nil)
		err := s.db.Query(ctx, query, args, add)
		return sums.List(f.Limit), err
	}
	query, args := StatJobsOf(s.db.Dialect, f)
	jobs, err := s.db.Ids(ctx, query, args)
	if err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(jobs, statChunk) {
		query, args := StatsOf(s.db.Dialect, f, ids)
		if err := s.db.Query(ctx, query, args, add); err != nil {
			return nil, err
		}
	}
	return sums.List(f.Limit), nil
}

// PurgeStats implements [xxladapter.Store]. Each transaction deletes one hour or a part of one;
// sums of groups are few and are deleted by whole hours.
func (s *Store) PurgeStats(ctx context.Context, before time.Time, limit int) (deleted int, err error) {
	for _, ofGroup := range []int{0, 1} {
		for deleted < limit {
			rows, err := s.purgeStatHour(ctx, ofGroup, hourOf(before), limit-deleted)
			deleted += rows
			if err != nil {
				return deleted, err
			}
			if rows == 0 {
				break
			}
		}
	}
	return deleted, nil
}

// purgeStatHour deletes rows of the first hour, if that is before end. Rows of jobs are deleted in
// the order of the job ids: about limit of them, up to and including all rows of the last job.
func (s *Store) purgeStatHour(ctx context.Context, ofGroup int, end int64, limit int) (deleted int, err error) {
	hour, last := end, int64(0)
	if err := s.db.Query(
		ctx, firstStatHour, []any{ofGroup, end}, func(r database.Row) error { return r.Scan(database.Integer(&hour)) },
	); err != nil || hour == 0 {
		return 0, err
	}
	if ofGroup == 0 {
		if err := s.db.Query(
			ctx, statJobAt, []any{hour, limit - 1}, func(r database.Row) error { return r.Scan(&last) },
		); err != nil {
			return 0, err
		}
	}
	err = s.db.WriteLazily(ctx, func(ctx context.Context, tx *database.Tx) error {
		query, args := dropStatHour, []any{ofGroup, hour}
		if last != 0 {
			query, args = query+` AND job_id <= ?`, append(args, last)
		}
		n, err := tx.Exec(ctx, query, args...)
		deleted = int(n)
		return err
	})
	return deleted, err
}

package figures

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// The figures of a day are the sum of its row in xxl_job_log_report and of its slots in
// xxlwheel_report. A transaction that changes an outcome adds the change to a slot; folding moves
// the slots into upstream's row. See DESIGN.md.
const (
	selectFigures = `SELECT trigger_day, running_count, suc_count, fail_count FROM xxl_job_log_report
			WHERE trigger_day >= ? AND trigger_day < ?
		UNION ALL SELECT trigger_day, running_count, suc_count, fail_count FROM xxlwheel_report
			WHERE trigger_day >= ? AND trigger_day < ?`

	selectSlots = `SELECT trigger_day, slot, running_count, suc_count, fail_count FROM xxlwheel_report ORDER BY trigger_day, slot`
	dropSlot    = `DELETE FROM xxlwheel_report WHERE trigger_day = ? AND slot = ?`
	foldSlot    = `UPDATE xxl_job_log_report SET running_count = running_count + ?, suc_count = suc_count + ?,
		fail_count = fail_count + ?, update_time = ? WHERE trigger_day = ?`
	// InsertDay inserts the figures of a day.
	InsertDay = `INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count, update_time)
		VALUES (?, ?, ?, ?, ?)`
)

// Changes are a transaction's changes of the figures, by day.
type Changes map[time.Time]*xxladapter.DailyReport

// AddStatus counts n more rows with a trigger time and a status. A row without a trigger time
// belongs to no day.
func (s *Store) AddStatus(c Changes, triggered time.Time, status xxladapter.LogStatus, n int64) {
	if triggered.IsZero() {
		return
	}
	day := DayOf(triggered, s.db.Zone)
	if c[day] == nil {
		c[day] = new(xxladapter.DailyReport)
	}
	c[day].Add(status, n)
}

// MoveStatus counts a log row's change from one status to another.
func (s *Store) MoveStatus(c Changes, triggered time.Time, l transition.LogChange) {
	s.AddStatus(c, triggered, l.Before.Status(), -1)
	s.AddStatus(c, triggered, l.After.Status(), 1)
}

// Count stores the changes. It must be the last act of a transaction: the holder of a slot then
// waits for nobody, so no deadlock can form.
func (s *Store) Count(ctx context.Context, tx *database.Tx, c Changes) error {
	for _, day := range slices.SortedFunc(maps.Keys(c), time.Time.Compare) {
		f := c[day]
		if f.Running == 0 && f.Success == 0 && f.Failed == 0 {
			continue
		}
		if _, err := tx.Exec(
			ctx, s.db.Dialect.AddToSlot, s.db.Dialect.Datetime(day), tx.Slot, f.Running, f.Success, f.Failed,
		); err != nil {
			return err
		}
	}
	return nil
}

// DayOf returns when the day of t begins in the zone: at midnight, or an hour later where the
// clocks go forward at midnight.
func DayOf(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.In(zone).Date()
	begin := time.Date(year, month, day, 0, 0, 0, 0, zone)
	for begin.Day() != day {
		begin = begin.Add(time.Hour)
	}
	return begin
}

// AddToSlot is [database.Dialect.AddToSlot] for databases with ON CONFLICT.
const AddToSlot = `INSERT INTO xxlwheel_report (trigger_day, slot, running_count, suc_count, fail_count) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (trigger_day, slot) DO UPDATE SET
		running_count = xxlwheel_report.running_count + excluded.running_count,
		suc_count = xxlwheel_report.suc_count + excluded.suc_count,
		fail_count = xxlwheel_report.fail_count + excluded.fail_count`

// Reports implements [xxladapter.Store].
func (s *Store) Reports(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error) {
	begin, end := time.Date(1000, 1, 2, 0, 0, 0, 0, s.db.Zone), time.Date(9999, 12, 30, 0, 0, 0, 0, s.db.Zone)
	if !from.IsZero() {
		begin = DayOf(from, s.db.Zone)
	}
	if !to.IsZero() {
		end = DayOf(DayOf(to, s.db.Zone).Add(36*time.Hour), s.db.Zone) // of the next day, whether this one has 23 or 25 hours
	}
	limits := []any{s.db.Dialect.Datetime(begin), s.db.Dialect.Datetime(end)}
	days := map[string]*xxladapter.DailyReport{}
	err := s.db.Query(ctx, selectFigures, append(limits, limits...), func(r database.Row) error {
		var begin time.Time
		var f xxladapter.DailyReport
		if err := r.Scan(database.Datetime(&begin), &f.Running, &f.Success, &f.Failed); err != nil {
			return err
		}
		day := begin.In(s.db.Zone).Format(time.DateOnly)
		if days[day] == nil {
			days[day] = &xxladapter.DailyReport{Day: day}
		}
		days[day].Running += f.Running
		days[day].Success += f.Success
		days[day].Failed += f.Failed
		return nil
	})
	if err != nil {
		return nil, err
	}
	var reports []xxladapter.DailyReport
	for _, r := range days {
		// A Java admin's count may already include a change that waits in a slot.
		r.Running, r.Success, r.Failed = max(r.Running, 0), max(r.Success, 0), max(r.Failed, 0)
		if r.Running+r.Success+r.Failed > 0 {
			reports = append(reports, *r)
		}
	}
	slices.SortFunc(reports, func(a, b xxladapter.DailyReport) int { return cmp.Compare(a.Day, b.Day) })
	return reports, nil
}

// FoldReports implements [xxladapter.Store]. A Java admin also writes the rows of the last three
// days, from a count of its own, and its next count replaces what was folded into them.
func (s *Store) FoldReports(ctx context.Context) error {
	if found, err := s.db.Finds(ctx, selectSlots); !found || err != nil {
		return err
	}
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		type slot struct {
			day     time.Time
			number  int
			figures xxladapter.DailyReport
		}
		var slots []slot
		err := tx.Query(ctx, selectSlots+s.db.Dialect.Lock, nil, func(r database.Row) error {
			var f slot
			err := r.Scan(
				database.Datetime(&f.day), &f.number, &f.figures.Running, &f.figures.Success, &f.figures.Failed,
			)
			slots = append(slots, f)
			return err
		})
		if err != nil {
			return err
		}
		now := s.db.Dialect.Datetime(s.db.Clock())
		for _, f := range slots {
			day := s.db.Dialect.Datetime(f.day)
			if _, err := tx.Exec(ctx, dropSlot, day, f.number); err != nil {
				return err
			}
			folded, err := tx.Exec(ctx, foldSlot, f.figures.Running, f.figures.Success, f.figures.Failed, now, day)
			if err != nil {
				return err
			}
			if folded > 0 {
				continue
			}
			if _, err := tx.Exec(
				ctx, InsertDay, day, f.figures.Running, f.figures.Success, f.figures.Failed, now,
			); err != nil {
				return err
			}
		}
		return nil
	})
}

package figures

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// The statistics follow the log rows at a distance. A mark says up to which id they are counted;
// rows that had no result then are remembered one by one. A transaction that changes the statistics
// moves the mark's turn, and does nothing if another one has moved it since the rows were read. See
// DESIGN.md.
const (
	selectMarkColumns = `SELECT turn, folded_id, next_id, next_ms, open_id`
	selectStatMark    = selectMarkColumns +
		`, (SELECT MAX(id) FROM xxl_job_log), (SELECT MIN(log_id) FROM xxlwheel_stat_open)
		FROM xxlwheel_stat_mark WHERE id = 1`
	lockStatMark = selectMarkColumns + `, 0, 0 FROM xxlwheel_stat_mark WHERE id = 1`
	moveStatMark = `UPDATE xxlwheel_stat_mark SET turn = turn + 1, folded_id = ?, next_id = ?, next_ms = ?, open_id = ?
		WHERE id = 1 AND turn = ?`
)

// A statMark says how far the log is counted.
type statMark struct {
	turn int64
	// folded is the last row that was looked at. next was the last row of the log at nextAt.
	folded, next int64
	nextAt       time.Time
	// open is the last of the open rows that was looked at.
	open int64
}

// advance returns the mark before a turn, and the last row that the turn may count: all
// transactions with rows up to there have ended. highest is the last row of the log.
func (m statMark) advance(highest int64, now time.Time) (next statMark, until int64) {
	// Ids above the highest row belong to rows that are gone. MySQL 5.7 may give them again.
	m.folded, m.next = min(m.folded, highest), min(m.next, highest)
	if now.Before(m.nextAt) {
		m.nextAt = now // the clock was set back
	}
	if m.folded == m.next {
		if highest > m.next {
			m.next, m.nextAt = highest, now
		}
		return m, m.folded
	}
	if now.Sub(m.nextAt) < xxladapter.StatDelay {
		return m, m.folded
	}
	return m, m.next
}

var errNoStatMark = errors.New("table xxlwheel_stat_mark has no row, must have the one that xxlwheel created it with")

// scanMark reads the mark, the highest log row, and the first open row; 0 if there is none.
func scanMark(m *statMark, highest, firstOpen *int64) func(database.Row) error {
	return func(r database.Row) error {
		return r.Scan(
			&m.turn, &m.folded, &m.next, database.Milli(&m.nextAt), &m.open, database.Integer(highest),
			database.Integer(firstOpen),
		)
	}
}

// moveMark stores the mark. moved is false if another transaction has moved it since m was read.
func moveMark(ctx context.Context, t *database.Tx, m statMark) (moved bool, err error) {
	n, err := t.Exec(ctx, moveStatMark, m.folded, m.next, database.ToMilli(m.nextAt), m.open, m.turn)
	return n > 0, err
}

// FoldStats implements [xxladapter.Store]. It reads without a transaction, since rows that have a
// final result no longer change, and writes in one that others do not wait for.
func (s *Store) FoldStats(ctx context.Context, limit int) (left xxladapter.StatWork, err error) {
	mark, highest, firstOpen := statMark{turn: -1}, int64(0), int64(0)
	if err := s.db.Query(ctx, selectStatMark, nil, scanMark(&mark, &highest, &firstOpen)); err != nil {
		return left, err
	}
	if mark.turn < 0 {
		return left, errNoStatMark
	}
	after, until := mark.advance(highest, s.db.Clock())
	work := newStatWork()
	if until > after.folded {
		rows, err := s.statRows(ctx, SelectNewStatRows, after.folded, until, limit)
		if err != nil {
			return left, err
		}
		work.addNew(rows)
		after.folded = until
		if len(rows) == limit {
			after.folded, left = rows[limit-1].id, xxladapter.MoreStatWork
		}
	}
	if firstOpen != 0 {
		rows, err := s.statRows(ctx, SelectOpenStatRows, after.open, limit)
		if err != nil {
			return left, err
		}
		work.addOpen(rows)
		after.open = 0 // begin again
		if len(rows) == limit {
			after.open = rows[limit-1].id
		}
	}
	if left == xxladapter.NoStatWork && (after.folded < highest || firstOpen != 0 || len(work.opened) > 0) {
		left = xxladapter.LaterStatWork
	}
	if after == mark && work.empty() {
		return left, nil
	}
	err = s.db.WriteLazily(ctx, func(ctx context.Context, tx *database.Tx) error {
		moved, err := moveMark(ctx, tx, after)
		if err != nil || !moved {
			return err // if it was not moved by this call, another counts these rows
		}
		return s.storeStats(ctx, tx, work)
	})
	return left, err
}

// MayBeUncounted reports whether any of the rows may still be uncounted, or counted provisionally.
// If it is false it stays so.
func (s *Store) MayBeUncounted(ctx context.Context, ids []int64) (bool, error) {
	if len(ids) == 0 {
		return false, nil
	}
	first, last := ids[0], ids[0]
	for _, id := range ids {
		first, last = min(first, id), max(last, id)
	}
	return s.db.Finds(ctx, `SELECT 1 FROM xxlwheel_stat_mark WHERE folded_id < ?
		OR EXISTS (SELECT 1 FROM xxlwheel_stat_open WHERE log_id >= ? AND log_id <= ?)`, last, first, last)
}

// CountingDeleted runs remove, which deletes some of the log rows, and counts those of them that
// are gone afterwards and were not counted for good before.
func (s *Store) CountingDeleted(ctx context.Context, tx *database.Tx, ids []int64, remove func() error) error {
	mark, none := statMark{turn: -1}, int64(0)
	if err := tx.Query(ctx, lockStatMark+tx.Dialect.Lock, nil, scanMark(&mark, &none, &none)); err != nil {
		return err
	}
	if mark.turn < 0 {
		return errNoStatMark
	}
	these, args := tx.Dialect.Among(`l.id`, ids)
	if tx.Dialect.Lock != "" {
		if _, err := tx.Has(
			ctx, `SELECT l.id FROM xxl_job_log l WHERE `+these+` ORDER BY l.id`+tx.Dialect.Lock, args...,
		); err != nil {
			return err
		}
	}
	var rows []statRow
	collect := collectStatRows(&rows)
	if err := tx.Query(ctx, selectDeletedStatRows+these, append([]any{mark.folded}, args...), collect); err != nil {
		return err
	}
	if err := remove(); err != nil {
		return err
	}
	these, args = tx.Dialect.Among(`id`, ids)
	stayed := map[int64]bool{}
	err := tx.Query(ctx, `SELECT id FROM xxl_job_log WHERE `+these, args, func(r database.Row) error {
		var id int64
		err := r.Scan(&id)
		stayed[id] = true
		return err
	})
	if err != nil {
		return err
	}
	work := newStatWork()
	for _, r := range rows {
		if !stayed[r.id] {
			work.addDeleted(r)
		}
	}
	if work.empty() {
		return nil
	}
	if _, err := moveMark(ctx, tx, mark); err != nil {
		return err
	}
	return s.storeStats(ctx, tx, work)
}

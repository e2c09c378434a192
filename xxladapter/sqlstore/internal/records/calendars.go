package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	oneCalendar    = calendarColumns + ` WHERE name = ?`
	insertCalendar = `INSERT INTO xxlwheel_calendar (content, updated_ms, name) VALUES (?, ?, ?)`
	updateCalendar = `UPDATE xxlwheel_calendar SET content = ?, updated_ms = ? WHERE name = ?`
	dropCalendar   = `DELETE FROM xxlwheel_calendar WHERE name = ?`
)

// calendar returns a stored calendar, or nil.
func calendar(ctx context.Context, t *database.Tx, name string) (c *xxladapter.Calendar, err error) {
	err = t.Query(ctx, oneCalendar, []any{name}, func(r database.Row) (err error) {
		c, err = scanCalendar(r)
		return err
	})
	return c, err
}

// SaveCalendar implements [xxladapter.Store].
func (s *Store) SaveCalendar(
	ctx context.Context, c *xxladapter.Calendar, seen time.Time,
) (updated time.Time, err error) {
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := changeRestrictions(ctx, tx); err != nil {
			return err
		}
		before, at, err := saveCalendar(ctx, tx, c, s.Clock(), func(stored *xxladapter.Calendar) error {
			return xxladapter.CheckCalendarSeen(c.Name, stored, seen)
		})
		if err != nil {
			return err
		}
		updated = at
		return s.Record(ctx, tx, c.Audited(), before, c.Fields())
	})
	if err != nil {
		return time.Time{}, err
	}
	return updated, nil
}

// saveCalendar stores a calendar unless check refuses what is stored, which is nil if nothing is.
// It returns what was stored before and the time of the change.
//
// REQUIRES: t has called changeRestrictions.
func saveCalendar(
	ctx context.Context, t *database.Tx, c *xxladapter.Calendar, now time.Time, check func(*xxladapter.Calendar) error,
) (before xxladapter.Fields, updated time.Time, err error) {
	old, err := calendar(ctx, t, c.Name)
	if err != nil {
		return nil, updated, err
	}
	if err := check(old); err != nil {
		return nil, updated, err
	}
	statement := insertCalendar
	updated = database.FromMilli(database.ToMilli(now))
	if old != nil {
		statement, before = updateCalendar, old.Fields()
		if !updated.After(old.Updated) {
			updated = old.Updated.Add(time.Millisecond)
		}
	}
	_, err = t.Exec(ctx, statement, c.Text(), database.ToMilli(updated), c.Name)
	return before, updated, err
}

// RemoveCalendar implements [xxladapter.Store].
func (s *Store) RemoveCalendar(ctx context.Context, name string) error {
	return s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := changeRestrictions(ctx, tx); err != nil {
			return err
		}
		old, err := calendar(ctx, tx, name)
		if err != nil {
			return err
		}
		if old == nil {
			return xxladapter.NotFoundf(errorrule.NotFound, "%s %q is not stored", "calendar", name)
		}
		if _, err := tx.Exec(ctx, dropCalendar, name); err != nil {
			return err
		}
		return s.Record(ctx, tx, old.Audited(), old.Fields(), nil)
	})
}

// Calendars implements [xxladapter.Store].
func (s *Store) Calendars(ctx context.Context) ([]*xxladapter.Calendar, error) {
	var found []*xxladapter.Calendar
	err := s.Query(ctx, calendarColumns+` ORDER BY name`, nil, func(r database.Row) error {
		c, err := scanCalendar(r)
		found = append(found, c)
		return err
	})
	return found, err
}

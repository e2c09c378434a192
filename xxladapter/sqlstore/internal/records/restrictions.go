package records

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	// selectRevision also reads whether a term holds, see termHolds of package leases. Arguments:
	// node, number, now.
	selectRevision = `SELECT revision, (SELECT COUNT(*) FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?)
		FROM xxlwheel_restriction WHERE id = 1`
	nextRevision = `UPDATE xxlwheel_restriction SET revision = revision + 1 WHERE id = 1`

	calendarColumns = `SELECT name, content, updated_ms FROM xxlwheel_calendar`
	pauseColumns    = `SELECT id, group_id, note, begun_by, ended_by, from_ms, until_ms FROM xxlwheel_pause`
	recentPauses    = pauseColumns + ` WHERE until_ms = 0 OR until_ms > ? ORDER BY id`
)

var errNoRevision = errors.New("table xxlwheel_restriction has no row, must have the one that xxlwheel created it with")

// restrictions are the pauses and calendars of the newest revision that a committed transaction has
// read.
type restrictions struct {
	mu     sync.Mutex // guards the field below
	newest revision   // its number is 0 before the first read
}

// A revision is a state of the pauses and calendars; known is nil if there are none.
type revision struct {
	number int64
	known  *xxladapter.Restrictions
}

// keep remembers a revision.
//
// REQUIRES: the transaction that has read it is committed. That transaction may also make the
// changes of other calls, and if it is lost, later changes get the same number.
func (r *restrictions) keep(read revision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = read
}

// fencedRestrictions returns the pauses and calendars, and keeps others from changing them until
// the transaction ends. It returns an error unless the term holds. It reads one row, and the tables
// after a change.
func (s *Store) fencedRestrictions(
	ctx context.Context, tx *database.Tx, by xxladapter.Term, now time.Time,
) (read revision, err error) {
	var terms int64
	err = tx.Query(ctx, selectRevision+s.Dialect.Share, []any{
		by.Node, by.Number, database.ToMilli(now),
	}, func(r database.Row) error {
		return r.Scan(&read.number, &terms)
	})
	switch {
	case err == nil && read.number == 0:
		err = errNoRevision
	case err == nil && terms == 0:
		err = transition.Fenced(by)
	}
	if err != nil {
		return revision{}, err
	}
	s.restrictions.mu.Lock()
	newest := s.restrictions.newest
	s.restrictions.mu.Unlock()
	if newest.number == read.number {
		return newest, nil
	}
	read.known, err = s.ReadRestrictions(ctx, tx)
	return read, err
}

// ReadRestrictions reads the pauses that have not ended long ago and the stored calendars; nil if
// there are none.
func (s *Store) ReadRestrictions(ctx context.Context, tx *database.Tx) (*xxladapter.Restrictions, error) {
	var r xxladapter.Restrictions
	since := database.ToMilli(s.Clock().Add(-xxladapter.PauseMemory))
	err := tx.Query(ctx, recentPauses, []any{since}, func(row database.Row) error {
		p, err := scanPause(row)
		r.Pauses = append(r.Pauses, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = tx.Query(ctx, calendarColumns+` ORDER BY name`, nil, func(row database.Row) error {
		c, err := scanCalendar(row)
		r.Calendars = append(r.Calendars, c)
		return err
	})
	if err != nil || len(r.Pauses)+len(r.Calendars) == 0 {
		return nil, err
	}
	return &r, nil
}

// changeRestrictions begins a transaction that changes pauses or calendars: it waits for the scans
// that have read them, and later scans wait for it.
func changeRestrictions(ctx context.Context, t *database.Tx) error {
	changed, err := t.Exec(ctx, nextRevision)
	if err == nil && changed == 0 {
		err = errNoRevision
	}
	return err
}

func scanPause(r database.Row) (p xxladapter.Pause, err error) {
	err = r.Scan(
		&p.ID, &p.GroupID, database.Text(&p.Note), database.Text(&p.By), database.Text(&p.EndedBy),
		database.Milli(&p.From), database.Milli(&p.Until),
	)
	return p, err
}

func scanCalendar(r database.Row) (*xxladapter.Calendar, error) {
	var name, content string
	var updated int64
	if err := r.Scan(database.Text(&name), database.Text(&content), &updated); err != nil {
		return nil, err
	}
	c, err := xxladapter.ParseCalendar(content)
	if err != nil {
		return nil, fmt.Errorf("calendar %q: %w", name, err)
	}
	c.Name, c.Updated = name, database.FromMilli(updated)
	return c, nil
}

package registry

import (
	"context"
	"encoding/json"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	selectDrains = `SELECT drains FROM xxlwheel_drain WHERE group_id = ?`
	dropDrains   = `DELETE FROM xxlwheel_drain WHERE group_id = ?`
	insertDrains = `INSERT INTO xxlwheel_drain (group_id, drains) VALUES (?, ?)`
)

// A drainList reads a column with drains as JSON. NULL and unreadable text give an empty list.
type drainList struct{ to *[]xxladapter.Drain }

func (d drainList) Scan(value any) error {
	*d.to = nil
	if text := database.TextOf(value); text != "" && json.Unmarshal([]byte(text), d.to) != nil {
		*d.to = nil
	}
	return nil
}

// DrainExecutor implements [xxladapter.Store].
func (s *Store) DrainExecutor(ctx context.Context, groupID int64, d xxladapter.Drain) error {
	return s.changeDrains(ctx, groupID, func(drains []xxladapter.Drain, now time.Time) ([]xxladapter.Drain, error) {
		return xxladapter.WithDrain(drains, d, now)
	})
}

// UndrainExecutor implements [xxladapter.Store].
func (s *Store) UndrainExecutor(ctx context.Context, groupID int64, address string) error {
	return s.changeDrains(ctx, groupID, func(drains []xxladapter.Drain, now time.Time) ([]xxladapter.Drain, error) {
		return xxladapter.WithoutDrain(drains, address, now)
	})
}

func (s *Store) changeDrains(
	ctx context.Context, groupID int64, change func([]xxladapter.Drain, time.Time) ([]xxladapter.Drain, error),
) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		was, err := lockGroup(ctx, tx, groupID)
		if err != nil {
			return err
		}
		// The drains that were read with the group may be older than the lock.
		was.Drains = nil
		if err := tx.Query(ctx, selectDrains+s.db.Dialect.Lock, []any{groupID}, func(r database.Row) error {
			return r.Scan(drainList{&was.Drains})
		}); err != nil {
			return err
		}
		is := *was
		if is.Drains, err = change(was.Drains, s.db.Clock()); err != nil {
			return err
		}
		if err := setDrains(ctx, tx, groupID, is.Drains); err != nil {
			return err
		}
		return s.audit.Record(ctx, tx, is.Audited(), was.Fields(), is.Fields())
	})
}

// setDrains replaces the drains of a group; a group without any has no row.
func setDrains(ctx context.Context, t *database.Tx, groupID int64, drains []xxladapter.Drain) error {
	if _, err := t.Exec(ctx, dropDrains, groupID); err != nil || len(drains) == 0 {
		return err
	}
	text, err := json.Marshal(drains)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, insertDrains, groupID, string(text))
	return err
}

package sqlstore

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	selectZone = `SELECT value FROM xxlwheel_setting WHERE name = 'zone'`
	insertZone = `INSERT INTO xxlwheel_setting (name, value) VALUES ('zone', ?)`
	dropZone   = `DELETE FROM xxlwheel_setting WHERE name = 'zone'`
	anyLease   = `SELECT node FROM xxlwheel_lease WHERE until_ms > ? ORDER BY node`
)

// AgreeZone implements [xxladapter.Store].
func (s *Store) AgreeZone(ctx context.Context, zone string) (agreed string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lockTerm(ctx); err != nil {
			return err
		}
		agreed = ""
		if err := tx.query(ctx, selectZone, nil, func(r row) error { return r.Scan(text(&agreed)) }); err != nil || agreed != "" {
			return err
		}
		agreed = zone
		_, err := tx.exec(ctx, insertZone, zone)
		return err
	})
	if err != nil {
		return "", err
	}
	return agreed, nil
}

// ChangeZone implements [xxladapter.Store].
func (s *Store) ChangeZone(ctx context.Context, zone string) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lockTerm(ctx); err != nil {
			return err
		}
		node := ""
		err := tx.query(ctx, anyLease, []any{toMilli(s.clock())}, func(r row) error { return r.Scan(text(&node)) })
		if err != nil {
			return err
		}
		if node != "" {
			return xxladapter.Conflictf("node %q runs, the zone of a store can be changed while no node does", node)
		}
		if _, err := tx.exec(ctx, dropZone); err != nil {
			return err
		}
		_, err = tx.exec(ctx, insertZone, zone)
		return err
	})
}

// lockTerm waits for the row at which renewals wait for each other.
func (t *tx) lockTerm(ctx context.Context) error {
	var last int64
	return t.query(ctx, selectTerm+t.dialect.lock, nil, func(r row) error { return r.Scan(&last) })
}

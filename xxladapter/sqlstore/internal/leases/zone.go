package leases

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	selectZone = `SELECT value FROM xxlwheel_setting WHERE name = 'zone'`
	insertZone = `INSERT INTO xxlwheel_setting (name, value) VALUES ('zone', ?)`
	dropZone   = `DELETE FROM xxlwheel_setting WHERE name = 'zone'`
	anyLease   = `SELECT node FROM xxlwheel_lease WHERE until_ms > ? ORDER BY node`
)

// AgreeZone implements [xxladapter.Store].
func (s *Store) AgreeZone(ctx context.Context, zone string) (agreed string, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.LockTerm(ctx); err != nil {
			return err
		}
		agreed = ""
		if err := tx.Query(
			ctx, selectZone, nil, func(r database.Row) error { return r.Scan(database.Text(&agreed)) },
		); err != nil || agreed != "" {
			return err
		}
		agreed = zone
		_, err := tx.Exec(ctx, insertZone, zone)
		return err
	})
	if err != nil {
		return "", err
	}
	return agreed, nil
}

// ChangeZone implements [xxladapter.Store].
func (s *Store) ChangeZone(ctx context.Context, zone string) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.LockTerm(ctx); err != nil {
			return err
		}
		node := ""
		err := tx.Query(ctx, anyLease, []any{database.ToMilli(s.db.Clock())}, func(r database.Row) error {
			return r.Scan(database.Text(&node))
		})
		if err != nil {
			return err
		}
		if node != "" {
			return xxladapter.Conflictf(errorrule.NodeRuns,
				"node %q runs, the zone of a store can be changed only while no node runs",
				node)
		}
		before := ""
		if err := tx.Query(
			ctx, selectZone, nil, func(r database.Row) error { return r.Scan(database.Text(&before)) },
		); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropZone); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, insertZone, zone); err != nil {
			return err
		}
		return s.audit.Record(
			ctx, tx, xxladapter.AuditObject{Kind: xxladapter.AuditZone}, xxladapter.ZoneFields(before),
			xxladapter.ZoneFields(zone),
		)
	})
}

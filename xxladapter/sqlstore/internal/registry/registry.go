package registry

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// executorGroup is the registry_group of executors. Releases before 2.x also registered admins, so
// the table may contain others.
const executorGroup = "EXECUTOR"

const (
	// SelectRegistered reads the addresses of an app name, and of names that a table's collation
	// takes for the same.
	SelectRegistered = `SELECT registry_key, registry_value FROM xxl_job_registry
		WHERE registry_group = 'EXECUTOR' AND registry_key = ? ORDER BY registry_value`
	refreshBeat = `UPDATE xxl_job_registry SET update_time = ?
		WHERE registry_group = ? AND registry_key = ? AND registry_value = ?`
	deleteBeat = `DELETE FROM xxl_job_registry
		WHERE registry_group = 'EXECUTOR' AND registry_key = ? AND registry_value = ?`
	selectBeats = `SELECT registry_key, registry_value, update_time FROM xxl_job_registry
		WHERE registry_group = 'EXECUTOR' AND registry_key = ?`
	selectSilent = `SELECT registry_key, registry_value, update_time FROM xxl_job_registry
		WHERE registry_group = 'EXECUTOR' AND update_time < ? ORDER BY registry_key, registry_value`

	selectAutomatic = `SELECT id, app_name, address_list FROM xxl_job_group WHERE app_name = ? AND address_type = 0`
	setAddresses    = `UPDATE xxl_job_group SET address_list = ?, update_time = ? WHERE id = ?`
)

// Register implements [xxladapter.Store].
func (s *Store) Register(ctx context.Context, appName, address string) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := LockApp(ctx, tx, appName); err != nil {
			return err
		}
		now := s.db.Dialect.Datetime(s.db.Clock())
		// Old tables have no unique key on a registration, so an INSERT without the UPDATE would
		// add a row with every beat.
		known, err := tx.Exec(ctx, refreshBeat, now, executorGroup, appName, address)
		if err != nil {
			return err
		}
		if known == 0 {
			if _, err := tx.Exec(ctx, s.db.Dialect.Beat, executorGroup, appName, address, now); err != nil {
				return err
			}
		}
		return refreshGroups(ctx, tx, appName, now)
	})
}

// Unregister implements [xxladapter.Store].
func (s *Store) Unregister(ctx context.Context, appName, address string) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := LockApp(ctx, tx, appName); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteBeat, appName, address); err != nil {
			return err
		}
		return refreshGroups(ctx, tx, appName, s.db.Dialect.Datetime(s.db.Clock()))
	})
}

// Registrations implements [xxladapter.Store]. Old tables may have duplicates; it lists the one
// with the newest beat.
func (s *Store) Registrations(ctx context.Context, appName string) ([]xxladapter.Registration, error) {
	var list []xxladapter.Registration
	err := s.db.Query(ctx, selectBeats, []any{appName}, func(r database.Row) error {
		var reg xxladapter.Registration
		err := r.Scan(&reg.AppName, &reg.Address, database.Datetime(&reg.Updated))
		if reg.AppName == appName {
			list = append(list, reg)
		}
		return err
	})
	slices.SortFunc(list, func(a, b xxladapter.Registration) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), b.Updated.Compare(a.Updated))
	})
	return slices.CompactFunc(list, func(a, b xxladapter.Registration) bool { return a.Address == b.Address }), err
}

// ExpireRegistrations implements [xxladapter.Store]. Because beats and the limit have whole
// seconds, an address may live up to a second longer than life, and never shorter.
func (s *Store) ExpireRegistrations(
	ctx context.Context, life time.Duration, queued bool,
) ([]xxladapter.Registration, error) {
	var expired []xxladapter.Registration
	silent := s.db.Dialect.Datetime(s.db.Clock().Add(-life))
	if found, err := s.db.Finds(ctx, selectSilent, silent); !found || err != nil {
		return nil, err
	}
	err := s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		expired = nil
		now := s.db.Clock()
		limit := s.db.Dialect.Datetime(now.Add(-life))
		err := tx.Query(ctx, selectSilent+s.db.Dialect.Lock, []any{limit}, func(r database.Row) error {
			var reg xxladapter.Registration
			err := r.Scan(&reg.AppName, &reg.Address, database.Datetime(&reg.Updated))
			if queued || !xxladapter.IsQueueAddress(reg.Address) {
				expired = append(expired, reg)
			}
			return err
		})
		if err != nil {
			return err
		}
		expired = slices.CompactFunc(expired, func(a, b xxladapter.Registration) bool {
			return a.AppName == b.AppName && a.Address == b.Address
		})
		for _, reg := range expired {
			if _, err := tx.Exec(ctx, deleteBeat, reg.AppName, reg.Address); err != nil {
				return err
			}
		}
		for i, reg := range expired { // sorted by app name
			if i > 0 && expired[i-1].AppName == reg.AppName {
				continue
			}
			if err := LockApp(ctx, tx, reg.AppName); err != nil {
				return err
			}
			if err := refreshGroups(ctx, tx, reg.AppName, s.db.Dialect.Datetime(now)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return expired, nil
}

// refreshGroups recomputes the addresses of the automatic groups of appName. It writes nothing if
// they have not changed, as with nearly every beat.
func refreshGroups(ctx context.Context, t *database.Tx, appName string, now any) error {
	type group struct {
		id        int64
		addresses []string
	}
	var groups []group
	err := t.Query(ctx, selectAutomatic+t.Dialect.Lock, []any{appName}, func(r database.Row) error {
		var g group
		var app string
		err := r.Scan(&g.id, &app, database.AddressList(&g.addresses))
		if app == appName {
			groups = append(groups, g)
		}
		return err
	})
	if err != nil || len(groups) == 0 {
		return err
	}
	addresses, err := Registered(ctx, t, appName)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if slices.Equal(g.addresses, addresses) {
			continue
		}
		if _, err := t.Exec(ctx, setAddresses, database.JoinAddresses(addresses), now, g.id); err != nil {
			return err
		}
	}
	return nil
}

// LockApp locks an app name until the transaction ends. It must precede every new registration of
// appName, every change of the addresses of its groups, and every read for such a change, so that a
// group never misses an address that another transaction brings.
func LockApp(ctx context.Context, t *database.Tx, appName string) error {
	if t.Dialect.LockApp == "" {
		return nil
	}
	_, err := t.Has(ctx, t.Dialect.LockApp, appName)
	return err
}

// Registered returns the addresses of appName, compared and sorted by bytes and not by a table's
// collation, and without duplicates, which old tables may have. It drops those that do not fit into
// a group's column.
func Registered(ctx context.Context, t *database.Tx, appName string) ([]string, error) {
	var addresses []string
	err := t.Query(ctx, SelectRegistered, []any{appName}, func(r database.Row) error {
		var app, addr string
		err := r.Scan(&app, &addr)
		if app == appName {
			addresses = append(addresses, addr)
		}
		return err
	})
	slices.Sort(addresses)
	return database.FitAddresses(slices.Compact(addresses)), err
}

package registry

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	groupColumns = `id, app_name, title, address_type, address_list, update_time, ` + GroupToken +
		`, (SELECT drains FROM xxlwheel_drain WHERE xxlwheel_drain.group_id = xxl_job_group.id)`

	// The statements about access tokens, which later releases of XXL-JOB keep in a column.
	GroupToken  = `(SELECT access_token FROM xxlwheel_group WHERE xxlwheel_group.group_id = xxl_job_group.id)`
	DropToken   = `DELETE FROM xxlwheel_group WHERE group_id = ?`
	InsertToken = `INSERT INTO xxlwheel_group (access_token, group_id) VALUES (?, ?)`

	// InsertGroup inserts a group.
	InsertGroup   = `INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) VALUES (?, ?, ?, ?, ?)`
	dropGrantsFor = `DELETE FROM xxlwheel_grant WHERE group_id = ?`
	updateGroup   = `UPDATE xxl_job_group SET app_name = ?, title = ?, address_type = ?, address_list = ?, update_time = ? WHERE id = ?`
)

// GroupEntity reads groups.
var GroupEntity = database.Entity[xxladapter.Group]{
	Query: `SELECT ` + groupColumns + ` FROM xxl_job_group`,
	Scan:  ScanGroup,
	ID:    func(g *xxladapter.Group) int64 { return g.ID },
	Copy: func(g *xxladapter.Group) *xxladapter.Group {
		mine := *g
		mine.Addresses, mine.Drains = slices.Clone(g.Addresses), slices.Clone(g.Drains)
		return &mine
	},
	None:  NoGroup,
	Table: database.LookupGroups,
}

// SaveGroup implements [xxladapter.Store].
func (s *Store) SaveGroup(ctx context.Context, g *xxladapter.Group) (id int64, err error) {
	if err := s.db.Dialect.Widths.CheckGroup(g); err != nil {
		return 0, err
	}
	err = s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		before, is, err := s.SaveWithin(ctx, tx, g)
		if err != nil {
			return err
		}
		id = is.ID
		return s.audit.Record(ctx, tx, is.Audited(), before, is.Fields())
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// SaveWithin stores a group in a transaction, and returns it with the fields that it had before.
func (s *Store) SaveWithin(
	ctx context.Context, tx *database.Tx, g *xxladapter.Group,
) (before xxladapter.Fields, is *xxladapter.Group, err error) {
	if err := LockApp(ctx, tx, g.AppName); err != nil {
		return nil, nil, err
	}
	id := g.ID
	var drains []xxladapter.Drain
	if id != 0 {
		was, err := lockGroup(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		if g.Base != nil && !was.SameEdits(g.Base) {
			return nil, nil, xxladapter.Conflictf(errorrule.GroupChanged, "group %d was changed meanwhile", id)
		}
		before, drains = was.Fields(), was.Drains
	}
	taken, err := tx.Has(ctx, `SELECT 1 FROM xxl_job_group WHERE app_name = ? AND id <> ?`, g.AppName, id)
	if err != nil {
		return nil, nil, err
	}
	if taken {
		return nil, nil, xxladapter.Conflictf(errorrule.AppTaken, "another group has the app name %[2]q already",
			"appName", g.AppName)
	}
	addresses := g.Addresses
	if g.AddressType == xxladapter.AddressAuto {
		if addresses, err = Registered(ctx, tx, g.AppName); err != nil {
			return nil, nil, err
		}
	}
	values := []any{
		g.AppName, s.db.Dialect.Widths.TitleOf(g), int64(g.AddressType), database.JoinAddresses(addresses),
		s.db.Dialect.Datetime(s.db.Clock()),
	}
	if id != 0 {
		_, err = tx.Exec(ctx, updateGroup, append(values, id)...)
	} else {
		id, err = tx.Insert(ctx, InsertGroup, values...)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := SetToken(ctx, tx, id, g.AccessToken); err != nil {
		return nil, nil, err
	}
	same := *g
	same.ID, same.Title, same.Drains = id, s.db.Dialect.Widths.TitleOf(g), drains
	return before, &same, nil
}

// RemoveGroup implements [xxladapter.Store].
func (s *Store) RemoveGroup(ctx context.Context, id int64) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		was, err := lockGroup(ctx, tx, id)
		if err != nil {
			return err
		}
		used, err := tx.Has(ctx, `SELECT 1 FROM xxl_job_info WHERE job_group = ? LIMIT 1`, id)
		if err != nil {
			return err
		}
		if used {
			return xxladapter.Conflictf(errorrule.HasJobs, "group %d still has jobs", id)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM xxl_job_group WHERE id = ?`, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropGrantsFor, id); err != nil {
			return err
		}
		if err := SetToken(ctx, tx, id, ""); err != nil {
			return err
		}
		if err := setDrains(ctx, tx, id, nil); err != nil {
			return err
		}
		return s.audit.Record(ctx, tx, was.Audited(), was.Fields(), nil)
	})
}

// SetToken replaces the access token of a group; an empty token has no row.
func SetToken(ctx context.Context, t *database.Tx, id int64, token string) error {
	if _, err := t.Exec(ctx, DropToken, id); err != nil || token == "" {
		return err
	}
	_, err := t.Exec(ctx, InsertToken, token, id)
	return err
}

// Group implements [xxladapter.Store].
func (s *Store) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	return database.Find(ctx, s.db, &GroupEntity, id)
}

// Groups implements [xxladapter.Store].
func (s *Store) Groups(ctx context.Context) ([]*xxladapter.Group, error) {
	var found []*xxladapter.Group
	err := s.db.Query(ctx, `SELECT `+groupColumns+` FROM xxl_job_group ORDER BY id`, nil, func(r database.Row) error {
		g, err := ScanGroup(r)
		found = append(found, g)
		return err
	})
	return found, err
}

// ScanGroup reads a group with its access token and its drains.
func ScanGroup(r database.Row) (*xxladapter.Group, error) {
	var g xxladapter.Group
	err := r.Scan(
		&g.ID, database.Text(&g.AppName), database.Text(&g.Title), &g.AddressType, database.AddressList(&g.Addresses),
		database.Datetime(&g.Updated), database.Text(&g.AccessToken), drainList{&g.Drains},
	)
	return &g, err
}

// lockGroup reads a group and locks it until the transaction ends.
func lockGroup(ctx context.Context, t *database.Tx, id int64) (g *xxladapter.Group, err error) {
	err = t.Query(ctx, `SELECT `+groupColumns+
		` FROM xxl_job_group WHERE id = ?`+t.Dialect.Lock, []any{id}, func(r database.Row) error {
		g, err = ScanGroup(r)
		return err
	})
	if err == nil && g == nil {
		err = NoGroup(id)
	}
	return g, err
}

// NoGroup returns the error for a group that does not exist.
func NoGroup(id int64) error {
	return xxladapter.Absent("group", id)
}

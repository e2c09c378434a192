package records

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	groupColumns = `id, app_name, title, address_type, address_list, update_time, ` + GroupToken

	// The statements about access tokens, which later releases of XXL-JOB keep in a column.
	GroupToken  = `(SELECT access_token FROM xxlwheel_group WHERE xxlwheel_group.group_id = xxl_job_group.id)`
	DropToken   = `DELETE FROM xxlwheel_group WHERE group_id = ?`
	InsertToken = `INSERT INTO xxlwheel_group (access_token, group_id) VALUES (?, ?)`

	insertGroup = `INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) VALUES (?, ?, ?, ?, ?)`
	updateGroup = `UPDATE xxl_job_group SET app_name = ?, title = ?, address_type = ?, address_list = ?, update_time = ? WHERE id = ?`
)

// SaveGroup implements [xxladapter.Store].
func (s *Store) SaveGroup(ctx context.Context, g *xxladapter.Group) (id int64, err error) {
	if err := s.Dialect.Widths.checkGroup(g); err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		if err := tx.lockApp(ctx, g.AppName); err != nil {
			return err
		}
		id = g.ID
		if id != 0 {
			if err := tx.needGroup(ctx, id, s.Dialect.Lock); err != nil {
				return err
			}
		}
		taken, err := tx.has(ctx, `SELECT 1 FROM xxl_job_group WHERE app_name = ? AND id <> ?`, g.AppName, id)
		if err != nil {
			return err
		}
		if taken {
			return xxladapter.Conflictf("another group has the app name %q already", g.AppName)
		}
		addresses := g.Addresses
		if g.AddressType == xxladapter.AddressAuto {
			if addresses, err = tx.registered(ctx, g.AppName); err != nil {
				return err
			}
		}
		values := []any{g.AppName, s.Dialect.Widths.titleOf(g), int64(g.AddressType), JoinAddresses(addresses), s.Dialect.Datetime(s.Clock())}
		if id != 0 {
			_, err = tx.Exec(ctx, updateGroup, append(values, id)...)
		} else {
			id, err = tx.insert(ctx, insertGroup, values...)
		}
		if err != nil {
			return err
		}
		return tx.setToken(ctx, id, g.AccessToken)
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// RemoveGroup implements [xxladapter.Store].
func (s *Store) RemoveGroup(ctx context.Context, id int64) error {
	return s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		if err := tx.needGroup(ctx, id, s.Dialect.Lock); err != nil {
			return err
		}
		used, err := tx.has(ctx, `SELECT 1 FROM xxl_job_info WHERE job_group = ? LIMIT 1`, id)
		if err != nil {
			return err
		}
		if used {
			return xxladapter.Conflictf("group %d still has jobs", id)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM xxl_job_group WHERE id = ?`, id); err != nil {
			return err
		}
		return tx.setToken(ctx, id, "")
	})
}

// setToken replaces the access token of a group; an empty token has no row.
func (t *Tx) setToken(ctx context.Context, id int64, token string) error {
	if _, err := t.Exec(ctx, DropToken, id); err != nil || token == "" {
		return err
	}
	_, err := t.Exec(ctx, InsertToken, token, id)
	return err
}

// Group implements [xxladapter.Store].
func (s *Store) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	return find(ctx, s, &GroupEntity, id)
}

// Groups implements [xxladapter.Store].
func (s *Store) Groups(ctx context.Context) ([]*xxladapter.Group, error) {
	var found []*xxladapter.Group
	err := s.Query(ctx, `SELECT `+groupColumns+` FROM xxl_job_group ORDER BY id`, nil, func(r Row) error {
		g, err := scanGroup(r)
		found = append(found, g)
		return err
	})
	return found, err
}

func scanGroup(r Row) (*xxladapter.Group, error) {
	var g xxladapter.Group
	err := r.Scan(&g.ID, Text(&g.AppName), Text(&g.Title), &g.AddressType, addressList{&g.Addresses}, datetime{&g.Updated}, Text(&g.AccessToken))
	return &g, err
}

// needGroup returns an error unless the group exists, and locks it with the given clause.
func (t *Tx) needGroup(ctx context.Context, id int64, lock string) error {
	found, err := t.has(ctx, `SELECT 1 FROM xxl_job_group WHERE id = ?`+lock, id)
	if err == nil && !found {
		return noGroup(id)
	}
	return err
}

func noGroup(id int64) error { return xxladapter.NotFoundf("group %d does not exist", id) }

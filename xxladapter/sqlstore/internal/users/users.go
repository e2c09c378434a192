package users

import (
	"cmp"
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	selectUsers = `SELECT xxlwheel_user.id, name, password, subject, added_ms, group_id, xxlwheel_grant.role
		FROM xxlwheel_user LEFT JOIN xxlwheel_grant ON xxlwheel_grant.user_id = xxlwheel_user.id`
	insertUser  = `INSERT INTO xxlwheel_user (name, password, subject, added_ms) VALUES (?, ?, ?, ?)`
	setPassword = `UPDATE xxlwheel_user SET password = ? WHERE id = ?`
	reviveUser  = `UPDATE xxlwheel_user SET password = ?, subject = ?, added_ms = ?, removed = 0 WHERE id = ?`
	removeUser  = `UPDATE xxlwheel_user SET password = NULL, subject = NULL, removed = 1 WHERE id = ?`

	insertGrant  = `INSERT INTO xxlwheel_grant (user_id, group_id, role) VALUES (?, ?, ?)`
	dropGrantsOf = `DELETE FROM xxlwheel_grant WHERE user_id = ?`
	// otherAdmin finds an administrator of all groups who can sign in, other than one user.
	otherAdmin = `SELECT 1 FROM xxlwheel_grant JOIN xxlwheel_user ON xxlwheel_user.id = user_id
		WHERE group_id = 0 AND xxlwheel_grant.role = 'admin' AND user_id <> ? AND (password IS NOT NULL OR subject IS NOT NULL) LIMIT 1`

	upstreamUsers = `SELECT username, password, role, permission FROM xxl_job_user`
	// UserNames reads the names that are taken, including those of removed users.
	UserNames = `SELECT name FROM xxlwheel_user`
)

// CreateUser implements [xxladapter.Store].
func (s *Store) CreateUser(ctx context.Context, u *xxladapter.User, first bool) (id int64, err error) {
	err = s.writeUsers(ctx, func(ctx context.Context, tx *database.Tx) error {
		if first {
			any, err := tx.Has(ctx, `SELECT 1 FROM xxlwheel_user WHERE removed = 0 LIMIT 1`)
			if err != nil {
				return err
			}
			if any {
				return xxladapter.Conflictf(errorrule.UsersExist, "there are users already")
			}
		}
		known, removed := int64(0), int64(0)
		err := tx.Query(ctx, `SELECT id, removed FROM xxlwheel_user WHERE name = ?`, []any{u.Name}, func(r database.Row) error {
			return r.Scan(&known, &removed)
		})
		if err != nil {
			return err
		}
		if known != 0 && removed == 0 {
			return xxladapter.Conflictf(errorrule.NameTaken, "the %s %q is taken by another user", "name", u.Name)
		}
		if u.Subject != "" {
			taken, err := tx.Has(ctx, `SELECT 1 FROM xxlwheel_user WHERE subject = ?`, u.Subject)
			if err != nil {
				return err
			}
			if taken {
				return xxladapter.Conflictf(errorrule.SubjectTaken, "the %s is taken by another user", "subject")
			}
		}
		values := []any{database.OrNull(u.Password), database.OrNull(u.Subject), database.ToMilli(s.db.Clock())}
		if id = known; id != 0 {
			_, err = tx.Exec(ctx, reviveUser, append(values, id)...)
		} else {
			id, err = tx.Insert(ctx, insertUser, append([]any{u.Name}, values...)...)
		}
		if err != nil {
			return err
		}
		if err := insertGrants(ctx, tx, id, u.Grants); err != nil {
			return err
		}
		created := *u
		created.ID = id
		return s.audit.Record(ctx, tx, created.Audited(), nil, created.Fields())
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// writeUsers runs changes of users as Write does, but one after the other, because they check rules
// that concern several rows.
func (s *Store) writeUsers(ctx context.Context, apply func(context.Context, *database.Tx) error) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.LockTerm(ctx); err != nil {
			return err
		}
		return apply(ctx, tx)
	})
}

// UpdateUser implements [xxladapter.Store].
func (s *Store) UpdateUser(ctx context.Context, id int64, c xxladapter.UserChange) error {
	return s.writeUsers(ctx, func(ctx context.Context, tx *database.Tx) error {
		was, err := user(ctx, tx, id)
		if err != nil {
			return err
		}
		is, err := c.Of(was)
		if err != nil {
			return err
		}
		if was.Administers() && !is.Administers() {
			if err := needOtherAdmin(ctx, tx, id); err != nil {
				return err
			}
		}
		if c.Password != nil {
			if _, err := tx.Exec(ctx, setPassword, database.OrNull(is.Password), id); err != nil {
				return err
			}
		}
		if c.Grants != nil {
			if _, err := tx.Exec(ctx, dropGrantsOf, id); err != nil {
				return err
			}
			if err := insertGrants(ctx, tx, id, is.Grants); err != nil {
				return err
			}
		}
		if c.EndSessions {
			if _, err := tx.Exec(ctx, dropSessionsOf, id, c.Except); err != nil {
				return err
			}
		}
		var ended []*xxladapter.Credential
		if c.EndTokens {
			if ended, err = endTokens(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := s.audit.Record(ctx, tx, is.Audited(), was.Fields(), is.Fields()); err != nil {
			return err
		}
		return s.recordEnds(ctx, tx, ended)
	})
}

// RemoveUser implements [xxladapter.Store].
func (s *Store) RemoveUser(ctx context.Context, id int64) error {
	return s.writeUsers(ctx, func(ctx context.Context, tx *database.Tx) error {
		was, err := user(ctx, tx, id)
		if err != nil {
			return err
		}
		if was.Administers() {
			if err := needOtherAdmin(ctx, tx, id); err != nil {
				return err
			}
		}
		ended, err := endTokens(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, statement := range []string{dropGrantsOf, dropCredentialsOf, removeUser} {
			if _, err := tx.Exec(ctx, statement, id); err != nil {
				return err
			}
		}
		if err := s.recordEnds(ctx, tx, ended); err != nil {
			return err
		}
		return s.audit.Record(ctx, tx, was.Audited(), was.Fields(), nil)
	})
}

// user returns a user. The error has [xxladapter.CodeNotFound] if there is none.
func user(ctx context.Context, t *database.Tx, id int64) (*xxladapter.User, error) {
	var found []*xxladapter.User
	err := t.Query(
		ctx, selectUsers+` WHERE removed = 0 AND xxlwheel_user.id = ? ORDER BY group_id`, []any{id}, scanUsers(&found),
	)
	if err == nil && len(found) == 0 {
		err = noUser(id)
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// scanUsers returns a function that adds a row of selectUsers to the users found.
func scanUsers(found *[]*xxladapter.User) func(database.Row) error {
	return func(r database.Row) error {
		u, grant := new(xxladapter.User), userGrant{}
		if err := r.Scan(append(userFields(u), &grant.group, database.Text(&grant.role))...); err != nil {
			return err
		}
		if n := len(*found); n == 0 || (*found)[n-1].ID != u.ID {
			*found = append(*found, u)
		}
		grant.addTo((*found)[len(*found)-1])
		return nil
	}
}

func needUser(ctx context.Context, t *database.Tx, id int64) error {
	found, err := t.Has(ctx, `SELECT 1 FROM xxlwheel_user WHERE id = ? AND removed = 0`, id)
	if err == nil && !found {
		return noUser(id)
	}
	return err
}

// needOtherAdmin returns an error if no user but this one is an administrator who can sign in.
func needOtherAdmin(ctx context.Context, t *database.Tx, id int64) error {
	other, err := t.Has(ctx, otherAdmin, id)
	if err == nil && !other {
		return xxladapter.Conflictf(errorrule.LastAdmin,
			"user %d is the last administrator who can sign in, there must be another one",
			id)
	}
	return err
}

func insertGrants(ctx context.Context, t *database.Tx, id int64, grants []xxladapter.Grant) error {
	for _, g := range grants {
		if _, err := t.Exec(ctx, insertGrant, id, g.GroupID, string(g.Role)); err != nil {
			return err
		}
	}
	return nil
}

// Users implements [xxladapter.Store].
func (s *Store) Users(ctx context.Context, f xxladapter.UserFilter) ([]*xxladapter.User, error) {
	var where database.Conditions
	where.Add(`removed = 0`)
	if f.ID != 0 {
		where.Add(`xxlwheel_user.id = ?`, f.ID)
	}
	if f.Name != "" {
		where.Add(`name = ?`, f.Name)
	}
	if f.Subject != "" {
		where.Add(`subject = ?`, f.Subject)
	}
	query, args := where.Selecting(selectUsers, `xxlwheel_user.id, group_id`, 0)
	var found []*xxladapter.User
	err := s.db.Query(ctx, query, args, scanUsers(&found))
	return found, err
}

// userFields returns the destinations into which the columns of a user are scanned.
func userFields(u *xxladapter.User) []any {
	return []any{
		&u.ID, database.Text(&u.Name), database.Text(&u.Password), database.Text(&u.Subject), database.Milli(&u.Added),
	}
}

// A userGrant is a grant, or the NULLs of a user without any.
type userGrant struct {
	group *int64
	role  xxladapter.Role
}

func (g userGrant) addTo(u *xxladapter.User) {
	if g.group != nil {
		u.Grants = append(u.Grants, xxladapter.Grant{GroupID: *g.group, Role: g.role})
	}
}

// UpstreamUsers implements [xxladapter.Store].
func (s *Store) UpstreamUsers(ctx context.Context, name string) ([]xxladapter.UpstreamUser, error) {
	var (
		upstream, own database.Conditions
		list          []xxladapter.UpstreamUser
		taken         = map[string]bool{}
	)
	if name != "" {
		upstream.Add(`username = ?`, name)
		own.Add(`name = ?`, name)
	}
	// The names are compared here, since the two columns may have different collations.
	query, args := own.Where(UserNames)
	err := s.db.Query(ctx, query, args, func(r database.Row) error {
		var name string
		err := r.Scan(database.Text(&name))
		taken[name] = true
		return err
	})
	if err != nil {
		return nil, err
	}
	query, args = upstream.Where(upstreamUsers)
	err = s.db.Query(ctx, query, args, func(r database.Row) error {
		var (
			u    xxladapter.UpstreamUser
			role int64
		)
		err := r.Scan(database.Text(&u.Name), database.Text(&u.Password), &role, database.IDList(&u.Groups))
		u.Admin = role == 1
		if !taken[u.Name] && (name == "" || u.Name == name) {
			list = append(list, u)
		}
		return err
	})
	slices.SortFunc(list, func(a, b xxladapter.UpstreamUser) int { return cmp.Compare(a.Name, b.Name) })
	return list, err
}

func noUser(id int64) error {
	return xxladapter.Absent("user", id)
}

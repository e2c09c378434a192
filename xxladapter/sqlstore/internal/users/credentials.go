package users

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	credentialColumns = `xxlwheel_credential.id, xxlwheel_credential.user_id, kind, digest, xxlwheel_credential.name, xxlwheel_credential.role, group_ids,
		address, created_ms, used_ms, expires_ms`
	insertCredential = `INSERT INTO xxlwheel_credential (user_id, kind, digest, name, role, group_ids, address, created_ms, used_ms, expires_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// One row for each grant of the user, and one without a grant for a user without any.
	credentialByDigest = `SELECT ` + credentialColumns +
		`, xxlwheel_user.name, password, subject, added_ms, group_id, xxlwheel_grant.role
		FROM xxlwheel_credential JOIN xxlwheel_user ON xxlwheel_user.id = xxlwheel_credential.user_id
		LEFT JOIN xxlwheel_grant ON xxlwheel_grant.user_id = xxlwheel_user.id WHERE digest = ? ORDER BY group_id`
	dropSessionsOf    = `DELETE FROM xxlwheel_credential WHERE user_id = ? AND kind = 'session' AND id <> ?`
	dropCredentialsOf = `DELETE FROM xxlwheel_credential WHERE user_id = ?`
	dropCredential    = `DELETE FROM xxlwheel_credential WHERE id = ?`
	oldestFirst       = `SELECT id FROM xxlwheel_credential WHERE user_id = ? AND kind = ? ORDER BY used_ms, id`
	dropExpired       = `DELETE FROM xxlwheel_credential WHERE expires_ms <= ?`
	useCredential     = `UPDATE xxlwheel_credential SET used_ms = ?, expires_ms = ? WHERE id = ?`
)

// CreateCredential implements [xxladapter.Store].
func (s *Store) CreateCredential(ctx context.Context, c *xxladapter.Credential) (id int64, err error) {
	err = s.writeUsers(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := needUser(ctx, tx, c.UserID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropExpired, database.ToMilli(c.Created)); err != nil {
			return err
		}
		if err := makeRoom(ctx, tx, c); err != nil {
			return err
		}
		id, err = tx.Insert(
			ctx, insertCredential, c.UserID, string(c.Kind), c.Digest, database.OrNull(c.Name),
			database.OrNull(string(c.Role)), database.OrNull(database.JoinIDs(c.Groups)), database.OrNull(c.Address),
			database.ToMilli(c.Created), database.ToMilli(c.Used), database.ToMilli(c.Expires),
		)
		if err != nil {
			return err
		}
		created := *c
		created.ID = id
		return s.audit.Record(ctx, tx, created.Audited(), nil, created.Fields())
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// makeRoom keeps the credentials that a user has of one kind below the limit before c is added. It
// refuses a token too many, but deletes the sessions that were used longest ago.
func makeRoom(ctx context.Context, t *database.Tx, c *xxladapter.Credential) error {
	var has []int64
	err := t.Query(ctx, oldestFirst, []any{c.UserID, string(c.Kind)}, func(r database.Row) error {
		has = append(has, 0)
		return r.Scan(&has[len(has)-1])
	})
	if err != nil {
		return err
	}
	if c.Kind == xxladapter.CredentialToken {
		return xxladapter.CheckTokens(c.UserID, len(has))
	}
	for len(has) >= xxladapter.MaxCredentials {
		if _, err := t.Exec(ctx, dropCredential, has[0]); err != nil {
			return err
		}
		has = has[1:]
	}
	return nil
}

// endTokens deletes the personal tokens of a user, and returns them for recordEnds.
func endTokens(ctx context.Context, tx *database.Tx, user int64) (tokens []*xxladapter.Credential, err error) {
	query := `SELECT ` + credentialColumns +
		` FROM xxlwheel_credential WHERE user_id = ? AND kind = 'token' ORDER BY id`
	if err := tx.Query(ctx, query, []any{user}, scanCredentials(&tokens)); err != nil {
		return nil, err
	}
	for _, c := range tokens {
		if _, err := tx.Exec(ctx, dropCredential, c.ID); err != nil {
			return nil, err
		}
	}
	return tokens, nil
}

// recordEnds records that credentials were deleted.
func (s *Store) recordEnds(ctx context.Context, tx *database.Tx, ended []*xxladapter.Credential) error {
	for _, c := range ended {
		if err := s.audit.Record(ctx, tx, c.Audited(), c.Fields(), nil); err != nil {
			return err
		}
	}
	return nil
}

// scanCredentials returns a function that adds a row of credentialColumns to the credentials found.
func scanCredentials(found *[]*xxladapter.Credential) func(database.Row) error {
	return func(r database.Row) error {
		c := new(xxladapter.Credential)
		*found = append(*found, c)
		return r.Scan(credentialFields(c)...)
	}
}

// Credential implements [xxladapter.Store].
func (s *Store) Credential(
	ctx context.Context, digest string,
) (c *xxladapter.Credential, u *xxladapter.User, err error) {
	err = s.db.Query(ctx, credentialByDigest, []any{digest}, func(r database.Row) error {
		credential, user, grant := new(xxladapter.Credential), new(xxladapter.User), userGrant{}
		to := append(credentialFields(credential), userFields(user)[1:]...)
		if err := r.Scan(append(to, &grant.group, database.Text(&grant.role))...); err != nil {
			return err
		}
		if c == nil {
			user.ID = credential.UserID
			c, u = credential, user
		}
		grant.addTo(u)
		return nil
	})
	if err == nil && c == nil {
		err = xxladapter.NotFoundf(errorrule.NoCredential, "no such credential")
	}
	if err != nil {
		return nil, nil, err
	}
	return c, u, nil
}

// credentialFields returns where credentialColumns are scanned to.
func credentialFields(c *xxladapter.Credential) []any {
	return []any{&c.ID, &c.UserID, database.Text(&c.Kind), database.Text(&c.Digest), database.Text(&c.Name),
		database.Text(&c.Role), database.IDList(&c.Groups), database.Text(&c.Address),
		database.Milli(&c.Created), database.Milli(&c.Used), database.Milli(&c.Expires)}
}

// Credentials implements [xxladapter.Store].
func (s *Store) Credentials(
	ctx context.Context, userID int64, kind xxladapter.CredentialKind,
) ([]*xxladapter.Credential, error) {
	var where database.Conditions
	where.Add(`kind = ?`, string(kind))
	if userID != 0 {
		where.Add(`user_id = ?`, userID)
	}
	query, args := where.Selecting(`SELECT `+credentialColumns+` FROM xxlwheel_credential`, `id`, 0)
	var found []*xxladapter.Credential
	err := s.db.Query(ctx, query, args, scanCredentials(&found))
	return found, err
}

// UseCredential implements [xxladapter.Store].
func (s *Store) UseCredential(ctx context.Context, id int64, used, expires time.Time) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, useCredential, database.ToMilli(used), database.ToMilli(expires), id)
		return err
	})
}

// RemoveCredential implements [xxladapter.Store].
func (s *Store) RemoveCredential(ctx context.Context, userID, id int64) error {
	return s.writeUsers(ctx, func(ctx context.Context, tx *database.Tx) error {
		var was *xxladapter.Credential
		err := tx.Query(ctx, `SELECT `+credentialColumns+
			` FROM xxlwheel_credential WHERE id = ?`, []any{id}, func(r database.Row) error {
			was = new(xxladapter.Credential)
			return r.Scan(credentialFields(was)...)
		})
		if err != nil {
			return err
		}
		if was == nil || userID != 0 && was.UserID != userID {
			return xxladapter.Absent("credential", id)
		}
		if _, err := tx.Exec(ctx, dropCredential, id); err != nil {
			return err
		}
		return s.audit.Record(ctx, tx, was.Audited(), was.Fields(), nil)
	})
}

package accounts

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Create stores a new user and returns its id. With an empty password, the user cannot sign in by
// password.
func (a *Accounts) Create(ctx context.Context, u *xxladapter.User, password string) (int64, error) {
	return a.create(ctx, u, password, false)
}

func (a *Accounts) create(ctx context.Context, u *xxladapter.User, password string, first bool) (id int64, err error) {
	if err := xxladapter.CheckUserName(u.Name); err != nil {
		return 0, err
	}
	if err := checkGrants(u.Grants); err != nil {
		return 0, err
	}
	if password != "" || first {
		if err := CheckPassword(password); err != nil {
			return 0, err
		}
		if u.Password, err = a.hasher.hash(ctx, password); err != nil {
			return 0, err
		}
	}
	if err := a.checkFirst(ctx, u); err != nil {
		return 0, err
	}
	if id, err = a.store.CreateUser(ctx, u, first); err == nil {
		a.someUser.Store(true)
	}
	return id, err
}

// checkFirst refuses the first user unless it is an administrator who can sign in. Once there is a
// user, callers have to prove who they are, and nobody but an administrator could create another
// user.
func (a *Accounts) checkFirst(ctx context.Context, u *xxladapter.User) error {
	if u.Administers() || a.someUser.Load() {
		return nil
	}
	users, err := a.store.Users(ctx, xxladapter.UserFilter{})
	if err == nil && len(users) == 0 {
		err = xxladapter.Conflictf(errorrule.FirstAdmin,
			"user %q would be the first one, must be an administrator of all groups who can sign in",
			u.Name)
	}
	return err
}

// checkGrants refuses roles that do not exist, and two grants for one group.
func checkGrants(grants []xxladapter.Grant) error {
	seen := map[int64]bool{}
	for _, g := range grants {
		switch {
		case g.GroupID < 0:
			return xxladapter.Invalidf(errorrule.GroupID, "%s name group %d, must be the id of a group, or 0 for all",
				"grants", g.GroupID)
		case seen[g.GroupID]:
			return xxladapter.Invalidf(errorrule.GroupTwice, "%s name group %d twice, must name it once",
				"grants", g.GroupID)
		}
		if err := g.Role.Validate(); err != nil {
			return err
		}
		seen[g.GroupID] = true
	}
	return nil
}

// User returns a user. The error has [xxladapter.CodeNotFound] if there is none.
func (a *Accounts) User(ctx context.Context, id int64) (*xxladapter.User, error) {
	users, err := a.store.Users(ctx, xxladapter.UserFilter{ID: id})
	if err == nil && len(users) == 0 {
		err = xxladapter.Absent("user", id)
	}
	if err != nil {
		return nil, err
	}
	return users[0], nil
}

// Users lists all users, by id.
func (a *Accounts) Users(ctx context.Context) ([]*xxladapter.User, error) {
	return a.store.Users(ctx, xxladapter.UserFilter{})
}

// Update changes the grants of a user, unless they are nil, and its password, unless that is nil. A
// new password ends the user's sessions and personal tokens. With an empty password, the user
// cannot sign in by password.
func (a *Accounts) Update(ctx context.Context, id int64, grants []xxladapter.Grant, password *string) error {
	var change xxladapter.UserChange
	if grants != nil {
		if err := checkGrants(grants); err != nil {
			return err
		}
		change.Grants = &grants
	}
	if password != nil {
		hash, err := a.newHash(ctx, *password)
		if err != nil {
			return err
		}
		change.Password, change.EndSessions, change.EndTokens = &hash, true, true
	}
	return a.store.UpdateUser(ctx, id, change)
}

func (a *Accounts) newHash(ctx context.Context, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	if err := CheckPassword(password); err != nil {
		return "", err
	}
	return a.hasher.hash(ctx, password)
}

// ChangePassword changes the password of the bearer, who must know the old one, and ends its other
// sessions. Wrong old passwords are limited like failed logins, to five within a minute. A password
// that was changed meanwhile, perhaps by an administrator, is a conflict.
func (a *Accounts) ChangePassword(ctx context.Context, b Bearer, old, password string) error {
	now := time.Now()
	key := b.User.Name + " has a session"
	if wait := a.names.take(digestOf(key), now); wait > 0 {
		return tooMany(wait)
	}
	right, err := a.hasher.matches(ctx, b.User.Password, old)
	if err == nil && !right {
		return xxladapter.Invalidf(errorrule.OldPassword, "%s is not the current password of %s", "old", b.User.Name)
	}
	a.names.giveBack(digestOf(key), now)
	if err != nil {
		return err
	}
	if err := CheckPassword(password); err != nil {
		return err
	}
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return a.store.UpdateUser(ctx, b.User.ID, xxladapter.UserChange{
		Password: &hash, From: &b.User.Password, EndSessions: true, Except: b.Credential.ID,
	})
}

// Remove deletes a user with its sessions and tokens.
func (a *Accounts) Remove(ctx context.Context, id int64) error { return a.store.RemoveUser(ctx, id) }

// Credentials lists the valid credentials of one kind: those of a user, or of all users if userID
// is 0.
func (a *Accounts) Credentials(
	ctx context.Context, userID int64, kind xxladapter.CredentialKind,
) (valid []*xxladapter.Credential, err error) {
	all, err := a.store.Credentials(ctx, userID, kind)
	for _, c := range all {
		if time.Now().Before(c.Expires) {
			valid = append(valid, c)
		}
	}
	return valid, err
}

// RemoveCredential ends a session or a token of a user, or of any user if userID is 0.
func (a *Accounts) RemoveCredential(ctx context.Context, userID, id int64) error {
	return a.store.RemoveCredential(ctx, userID, id)
}

// CreateToken stores a personal token and returns its secret, which cannot be shown again. The
// user, the name, the limits and the expiry come from c. by is the session that asks for the token,
// or nil. The error is [ErrEnded] if that session has ended meanwhile: a password that an
// administrator sets ends the sessions and tokens of a user, and must not leave the new token
// valid.
func (a *Accounts) CreateToken(
	ctx context.Context, c xxladapter.Credential, by *xxladapter.Credential,
) (id int64, secret string, err error) {
	now := time.Now()
	switch {
	case c.Name == "" || len(c.Name) > 64:
		return 0, "", xxladapter.Invalidf(errorrule.Bytes, "%s has %d bytes, must have %d to %d", "name", len(c.Name), 1, 64)
	case strings.ContainsFunc(c.Name, unicode.IsControl):
		return 0, "", xxladapter.Invalidf(errorrule.ControlCharacters, "%s is %q, must not contain control characters",
			"name", c.Name)
	case !c.Expires.After(now):
		return 0, "", xxladapter.Invalidf(errorrule.Future, "%s is %s, must be in the future",
			"expires", c.Expires.Format(time.RFC3339))
	case c.Expires.After(now.Add(MaxTokenLife)):
		return 0, "", xxladapter.Invalidf(errorrule.WithinDays, "%s is %s, must be within %d days",
			"expires", c.Expires.Format(time.RFC3339), 366)
	}
	if c.Role != "" {
		if err := c.Role.Validate(); err != nil {
			return 0, "", err
		}
	}
	secret = tokenPrefix + newSecret()
	c.Kind, c.Digest, c.Created, c.Used = xxladapter.CredentialToken, digestOf(secret), now, time.Time{}
	if c.ID, err = a.store.CreateCredential(ctx, &c); err != nil {
		return 0, "", err
	}
	if by != nil {
		_, _, err = a.store.Credential(ctx, by.Digest)
		if errors.Is(err, xxladapter.ErrNotFound) {
			err = ErrEnded
		}
		if err != nil {
			return 0, "", cmp.Or(a.drop(ctx, &c), err)
		}
	}
	return c.ID, secret, nil
}

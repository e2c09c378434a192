package xxladapter

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A CredentialKind says what a credential is for.
type CredentialKind string

const (
	CredentialSession CredentialKind = "session" // of a browser; ends when it is not used
	CredentialToken   CredentialKind = "token"   // a personal token, for programs
)

// Values lists all kinds.
func (CredentialKind) Values() []CredentialKind {
	return []CredentialKind{CredentialSession, CredentialToken}
}

// MaxCredentials is how many credentials of one kind a user has at most.
const MaxCredentials = 100

// A Credential lets its bearer act as a user. The secret itself is not stored.
type Credential struct {
	ID     int64
	UserID int64
	Kind   CredentialKind
	Digest string // the secret's SHA-256 in hexadecimal digits; unique
	Name   string // of a token, at most 64 bytes
	// Role and Groups limit the rights of the user for the bearer: to at most Role in Groups, or in
	// all groups if Groups is empty, and to nothing elsewhere. An empty Role does not limit.
	Role    Role
	Groups  []int64
	Address string    // the IP address from which it was created
	Created time.Time // in whole milliseconds, as are the others
	Used    time.Time // its last use, to within minutes; zero means none
	Expires time.Time // it is valid strictly before that instant
}

// Audited returns the token as the object of a change.
func (c *Credential) Audited() AuditObject {
	return AuditObject{Kind: AuditToken, ID: c.ID, Name: c.Name}
}

// Fields returns a token as its audit rows show it, and nothing for a session: who signs in changes
// nothing.
func (c *Credential) Fields() Fields {
	if c.Kind != CredentialToken {
		return nil
	}
	return Fields{
		{Name: "userId", Value: c.UserID}, {Name: "name", Value: c.Name}, {Name: "role", Value: c.Role},
		{Name: "groups", Value: append([]int64{}, c.Groups...)}, {Name: "expires", Value: c.Expires.UTC()},
	}
}

// CheckTokens refuses another token with [ErrConflict] for a user who has [MaxCredentials] tokens
// already. has is the number of the user's tokens.
func CheckTokens(userID int64, has int) error {
	if has >= MaxCredentials {
		return Conflictf(errorrule.TokensAtMost,
			"user %d has %d tokens, must have fewer than %d before another one is created",
			userID, has, MaxCredentials)
	}
	return nil
}

// A CredentialStore is the part of [Store] that keeps the credentials of users.
type CredentialStore interface {
	// CreateCredential stores a new credential and returns its id, and deletes those that have
	// expired by c.Created. If the user has [MaxCredentials] of its kind, a new session takes the
	// place of the least recently used one, and a new token is refused with [ErrConflict]. The
	// error is [ErrNotFound] if the user does not exist.
	CreateCredential(ctx context.Context, c *Credential) (int64, error)
	// Credential returns the credential with the digest, even an expired one, and its user. The
	// error is [ErrNotFound] if there is none.
	Credential(ctx context.Context, digest string) (*Credential, *User, error)
	// Credentials lists the credentials of a kind of a user, or of all users if userID is 0, by id.
	Credentials(ctx context.Context, userID int64, kind CredentialKind) ([]*Credential, error)
	// UseCredential stores when a credential was used and when it expires. One that is gone is no
	// error.
	UseCredential(ctx context.Context, id int64, used, expires time.Time) error
	// RemoveCredential deletes a credential of a user, or of any user if userID is 0. The error is
	// [ErrNotFound] if there is none.
	RemoveCredential(ctx context.Context, userID, id int64) error
}

package xxladapter

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A User may sign in to the management API.
type User struct {
	ID   int64
	Name string // see [CheckUserName]; unique, and never changed
	// Password is a hash that names its algorithm and parameters; empty means that the user cannot
	// sign in by password.
	Password string
	// Subject identifies the user at a provider of OpenID Connect, as its issuer, a blank and the
	// provider's id of the user; empty for other users. It is unique. At most 255 characters.
	Subject string
	Grants  []Grant   // by group, one for each
	Added   time.Time // in whole milliseconds
}

// MaxUserName is the length of the longest name of a user in characters, as in XXL-JOB.
const MaxUserName = 50

// CheckUserName refuses a name that is empty or too long, and one with a blank, a slash or a
// control character: the name is part of log lines and of the names of tokens.
func CheckUserName(name string) error {
	if err := checkText("name", name, 1, MaxUserName); err != nil {
		return err
	}
	if strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || unicode.IsSpace(r) ||
			!unicode.IsGraphic(r)
	}) {
		return Invalidf(errorrule.UserName, "%s is %q, must have no blanks, slashes and control characters", "name", name)
	}
	return nil
}

// Administers reports whether the user is an administrator of all groups who can sign in.
func (u *User) Administers() bool {
	return (u.Password != "" || u.Subject != "") && slices.Contains(u.Grants, Grant{Role: RoleAdmin})
}

// A UserChange is a change of a user. Zero fields change nothing.
type UserChange struct {
	Grants   *[]Grant // replace all
	Password *string  // the hash that replaces the stored one; with an empty one the user cannot sign in by password
	// From makes the change a conflict unless the stored hash is still this one.
	From *string
	// EndSessions ends the sessions of the user but the one with the id Except. EndTokens ends its
	// personal tokens.
	EndSessions bool
	Except      int64
	EndTokens   bool
}

// Of returns the user after the change, with its grants sorted by group. The error has
// [CodeConflict] if the stored password is not From.
func (c *UserChange) Of(u *User) (*User, error) {
	if c.From != nil && u.Password != *c.From {
		return nil, Conflictf(errorrule.PasswordChanged,
			"password of %s has been changed meanwhile, must be the one that was checked",
			u.Name)
	}
	is := *u
	if c.Password != nil {
		is.Password = *c.Password
	}
	if c.Grants != nil {
		is.Grants = slices.SortedFunc(
			slices.Values(*c.Grants), func(a, b Grant) int { return cmp.Compare(a.GroupID, b.GroupID) },
		)
	}
	return &is, nil
}

// Audited returns the user as the object of a change.
func (u *User) Audited() AuditObject { return AuditObject{Kind: AuditUser, ID: u.ID, Name: u.Name} }

// Fields returns the user as its audit rows show it.
func (u *User) Fields() Fields {
	grants := make([]map[string]any, len(u.Grants))
	for i, g := range u.Grants {
		grants[i] = map[string]any{"jobGroup": g.GroupID, "role": g.Role}
	}
	return Fields{
		{Name: "name", Value: u.Name}, {Name: "password", Value: u.Password, Secret: true},
		{Name: "provider", Value: u.Subject != ""},
		{Name: "grants", Value: grants},
	}
}

// A UserFilter selects users; zero fields do not restrict.
type UserFilter struct {
	ID      int64
	Name    string
	Subject string
}

// An UpstreamUser is a row of xxl_job_user, XXL-JOB's table of users.
type UpstreamUser struct {
	Name     string
	Password string // MD5 or SHA-256 in hexadecimal digits, without a salt
	Admin    bool   // role is 1
	Groups   []int64
}

// A UserStore is the part of [Store] that keeps users. Once there is an administrator of all groups
// who can sign in, one has to remain: a change that would leave none is a conflict.
type UserStore interface {
	// CreateUser stores a new user and returns its id; ID and Added are set by the store. The error
	// is [ErrConflict] if the name or the subject is taken and, with first, if there is any user.
	CreateUser(ctx context.Context, u *User, first bool) (int64, error)
	// UpdateUser changes the fields of the user that c names. The error is [ErrNotFound] if the
	// user does not exist, and [ErrConflict] if c.From is not its password or if no administrator
	// who can sign in would remain.
	UpdateUser(ctx context.Context, id int64, c UserChange) error
	// RemoveUser deletes a user with its grants and credentials; each of its tokens has an audit
	// row of its own. UpstreamUsers still leaves out a user of XXL-JOB with that name. The error is
	// [ErrNotFound] if there is no such user, and [ErrConflict] if no administrator who can sign in
	// would remain.
	RemoveUser(ctx context.Context, id int64) error
	// Users lists the users that f selects, by id.
	Users(ctx context.Context, f UserFilter) ([]*User, error)
	// UpstreamUsers lists users of XXL-JOB by name: those with the given name, or all if it is
	// empty. It leaves out those whose name a user of the store has, or had before it was removed.
	UpstreamUsers(ctx context.Context, name string) ([]UpstreamUser, error)
}

// A Role says what its holder may do. Each role includes those before it.
type Role string

const (
	RoleViewer   Role = "viewer"   // read
	RoleOperator Role = "operator" // and start, stop, trigger and kill
	RoleEditor   Role = "editor"   // and change jobs
	RoleCoder    Role = "coder"    // and change scripts, which executors run
	RoleAdmin    Role = "admin"    // and change groups; for all groups, users too
)

// Values lists all roles, the least one first.
func (Role) Values() []Role {
	return []Role{RoleViewer, RoleOperator, RoleEditor, RoleCoder, RoleAdmin}
}

// Validate refuses a role that does not exist, the empty one included.
func (r Role) Validate() error { return CheckOneOf("role", r) }

// Includes reports whether r permits all that other permits. The empty role permits nothing, and is
// included in all. A role that does not exist permits nothing, and is included in none.
func (r Role) Includes(other Role) bool {
	return other == "" || other.rank() >= 0 && r.rank() >= other.rank()
}

// rank returns the position of a role in Values, or -1.
func (r Role) rank() int { return slices.Index(r.Values(), r) }

// A Grant gives a role for one group, or for all.
type Grant struct {
	GroupID int64 // 0 means all groups, those of the future included
	Role    Role
}

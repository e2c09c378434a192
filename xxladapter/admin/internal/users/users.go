package users

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A userForm is a user as the management API shows and accepts it.
type userForm struct {
	ID          int64        `json:"id,omitempty" doc:"Must be omitted for a new user."`
	Name        string       `json:"name,omitempty" doc:"1 to 50 characters without blanks and slashes. It cannot be changed."`
	Password    *string      `json:"password,omitempty" doc:"At least 8 characters; empty means that the user cannot sign in by password. It is never shown. A change ends the user's sessions and personal tokens."`
	HasPassword bool         `json:"hasPassword,omitempty" doc:"Read-only."`
	Provider    bool         `json:"provider,omitempty" doc:"Read-only: true if the user signs in at a provider of OpenID Connect, which also grants the roles."`
	Grants      *[]grantForm `json:"grants,omitempty" doc:"Replaces all roles of the user."`
	Added       *time.Time   `json:"addTime,omitempty" doc:"Read-only."`
}

type userList struct {
	Users []userForm `json:"users"`
}

func showUser(u *xxladapter.User) userForm {
	grants := showGrants(u.Grants)
	return userForm{
		ID: u.ID, Name: u.Name, HasPassword: u.Password != "", Provider: u.Subject != "", Grants: &grants,
		Added: api.Given(u.Added),
	}
}

// check refuses read-only fields. id is that of the path, or 0 for a new user.
func (f *userForm) check(id int64) error {
	switch {
	case f.ID != 0 && id == 0:
		return xxladapter.Invalidf(errorrule.Omitted, "%s is %d, must be omitted for a new user", "id", f.ID)
	case f.ID != 0 && f.ID != id:
		return xxladapter.Invalidf(errorrule.AsInPath, "%s is %d, must be %d as in the path", "id", f.ID, id)
	case f.HasPassword || f.Provider || f.Added != nil:
		return xxladapter.Invalidf(errorrule.ReadOnly, "%s is given, must be omitted: they are read-only",
			errorrule.Or{"hasPassword", "provider", "addTime"})
	}
	return nil
}

// grants returns the given grants, or nil if none are given. It refuses a group that does not
// exist.
func (s *Server) grants(ctx context.Context, forms *[]grantForm) ([]xxladapter.Grant, error) {
	if forms == nil {
		return nil, nil
	}
	list := []xxladapter.Grant{}
	for _, f := range *forms {
		if f.JobGroup > 0 {
			if _, err := s.opts.Store.Group(ctx, f.JobGroup); errors.Is(err, xxladapter.ErrNotFound) {
				return nil, xxladapter.Invalidf(errorrule.GroupID,
					"%s name group %d, must be the id of a group, or 0 for all",
					"grants", f.JobGroup)
			} else if err != nil {
				return nil, err
			}
		}
		list = append(list, xxladapter.Grant{GroupID: f.JobGroup, Role: f.Role})
	}
	return list, nil
}

func (s *Server) listUsers(ctx context.Context, _ api.None) (list userList, err error) {
	if s.opts.Accounts == nil {
		return list, errNoAccounts
	}
	users, err := s.opts.Accounts.Users(ctx)
	list.Users = make([]userForm, len(users))
	for i, u := range users {
		list.Users[i] = showUser(u)
	}
	return list, err
}

func (s *Server) createUser(ctx context.Context, _ api.None, form userForm) (no api.Created, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	if err := form.check(0); err != nil {
		return no, err
	}
	u := &xxladapter.User{Name: form.Name}
	if u.Grants, err = s.grants(ctx, form.Grants); err != nil {
		return no, err
	}
	password := ""
	api.Set(&password, form.Password)
	id, err := s.opts.Accounts.Create(ctx, u, password)
	return api.Created{ID: id}, err
}

func (s *Server) showUser(ctx context.Context, path api.IDPath) (no userForm, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	u, err := s.opts.Accounts.User(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return showUser(u), nil
}

func (s *Server) updateUser(ctx context.Context, path api.IDPath, form userForm) (no api.None, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	u, err := s.opts.Accounts.User(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if err := form.check(path.ID); err != nil {
		return no, err
	}
	if form.Name != "" && form.Name != u.Name {
		return no, xxladapter.Invalidf(errorrule.Unchangeable, "%s is %q, must be %q: it cannot be changed",
			"name", form.Name, u.Name)
	}
	grants, err := s.grants(ctx, form.Grants)
	if err != nil {
		return no, err
	}
	return no, s.opts.Accounts.Update(ctx, path.ID, grants, form.Password)
}

func (s *Server) removeUser(ctx context.Context, path api.IDPath) (no api.None, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	return no, s.opts.Accounts.Remove(ctx, path.ID)
}

// A tokenForm creates a personal token.
type tokenForm struct {
	User    *string         `json:"user,omitempty" doc:"The name of its user; defaults to the caller. Others need an administrator of all groups."`
	Name    string          `json:"name" doc:"What it is for, 1 to 64 bytes." example:"ci"`
	Role    xxladapter.Role `json:"role,omitempty" doc:"The highest role of the token; defaults to that of its user."`
	Groups  []int64         `json:"groups,omitempty" doc:"The groups to which the token is limited, in each of which its user has a role; defaults to all of the user's groups."`
	Expires time.Time       `json:"expires" doc:"When it ends, within 366 days."`
}

// A NewToken is the answer that shows the secret, once.
type NewToken struct {
	ID    int64  `json:"id"`
	Token string `json:"token" doc:"The secret, for the header Authorization: Bearer. It is not shown again."`
}

type tokenQuery struct {
	All bool `query:"all" doc:"List those of all users, which needs an administrator of all groups."`
}

func (s *Server) listTokens(ctx context.Context, q tokenQuery) (no credentialList, err error) {
	var user int64
	if q.All {
		if err := api.AllowRole(ctx, xxladapter.RoleAdmin, access.Everywhere, nil); err != nil {
			return no, err
		}
		if s.opts.Accounts == nil {
			return no, errNoAccounts
		}
	} else {
		v, err := s.bearerOf(ctx, true)
		if err != nil {
			return no, err
		}
		if c := v.Bearer.Credential; c.Kind != xxladapter.CredentialSession { // a token may list only itself
			return showCredentials(ctx, []*xxladapter.Credential{c}), nil
		}
		user = v.Bearer.User.ID
	}
	list, err := s.opts.Accounts.Credentials(ctx, user, xxladapter.CredentialToken)
	return showCredentials(ctx, list), err
}

// createToken does not take a personal token as proof: a limited one could create one without its
// limits.
func (s *Server) createToken(ctx context.Context, _ api.None, form tokenForm) (no NewToken, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	c := xxladapter.Credential{Name: form.Name, Role: form.Role, Groups: form.Groups, Expires: form.Expires}
	v, user := visitOf(ctx), (*xxladapter.User)(nil)
	switch {
	case v.Bearer != nil && v.Bearer.Credential.Kind != xxladapter.CredentialSession:
		return no, api.Forbidden(errorrule.NeedsSession, "this call needs a session, and the caller has a token")
	case form.User != nil && (v.Bearer == nil || *form.User != v.Bearer.User.Name):
		if err := api.AllowRole(ctx, xxladapter.RoleAdmin, access.Everywhere, nil); err != nil {
			return no, err
		}
		if user, err = s.userNamed(ctx, *form.User); err != nil {
			return no, err
		}
	case v.Bearer == nil && !api.IsAdmin(ctx):
		return no, api.Forbidden(errorrule.NeedsUser, "this call is for users, and the caller is none")
	case v.Bearer == nil:
		return no, xxladapter.Invalidf(errorrule.Missing, "%s is missing, must be the name of a user: the caller is none",
			"user")
	default:
		user = v.Bearer.User
	}
	if err := s.checkScope(ctx, user, form.Groups); err != nil {
		return no, err
	}
	c.UserID, c.Address = user.ID, v.address
	var session *xxladapter.Credential
	if v.Bearer != nil {
		session = v.Bearer.Credential
	}
	id, secret, err := s.opts.Accounts.CreateToken(ctx, c, session)
	return NewToken{id, secret}, err
}

// checkScope refuses a token for a group in which the user has no role, or that is named twice. The
// error does not reveal whether the group exists.
func (s *Server) checkScope(ctx context.Context, u *xxladapter.User, groups []int64) error {
	if len(groups) == 0 {
		return nil
	}
	all, err := s.opts.Store.Groups(ctx)
	if err != nil {
		return err
	}
	rights := access.NewRights(u.Grants...)
	for i, id := range groups {
		if slices.Contains(groups[:i], id) {
			return xxladapter.Invalidf(errorrule.GroupTwice, "%s name group %d twice, must name it once", "groups", id)
		}
		exists := slices.ContainsFunc(all, func(g *xxladapter.Group) bool { return g.ID == id })
		if !exists || rights.In(id) == access.None {
			return xxladapter.Invalidf(errorrule.GroupRole, "%s name group %d, must be groups in which %s has a role",
				"groups", id, u.Name)
		}
	}
	return nil
}

func (s *Server) userNamed(ctx context.Context, name string) (*xxladapter.User, error) {
	users, err := s.opts.Accounts.Users(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		if u.Name == name {
			return u, nil
		}
	}
	return nil, xxladapter.NotFoundf(errorrule.NotFound, "%s %q does not exist", "user", name)
}

func (s *Server) removeToken(ctx context.Context, path api.IDPath) (no api.None, err error) {
	if api.IsAdmin(ctx) && s.opts.Accounts != nil {
		return no, s.removeCredential(ctx, 0, path.ID, xxladapter.CredentialToken)
	}
	v, err := s.bearerOf(ctx, false)
	if err != nil {
		return no, err
	}
	return no, s.removeCredential(ctx, v.Bearer.User.ID, path.ID, xxladapter.CredentialToken)
}

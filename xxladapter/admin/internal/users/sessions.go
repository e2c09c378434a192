package users

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A grantForm is a role for one group, or for all.
type grantForm struct {
	JobGroup int64           `json:"jobGroup" doc:"The id of a group; 0 means all groups."`
	Role     xxladapter.Role `json:"role" doc:"What may be done, each role including those before it: viewer reads; operator starts, stops, triggers and kills; editor changes jobs; coder changes scripts; admin changes groups, and with group 0 users."`
}

func showGrants(grants []xxladapter.Grant) []grantForm {
	forms := make([]grantForm, len(grants))
	for i, g := range grants {
		forms[i] = grantForm{g.GroupID, g.Role}
	}
	return forms
}

// A sessionForm says who calls, and how one can sign in.
type sessionForm struct {
	Kind   xxladapter.ActorKind `json:"kind,omitempty" doc:"How the caller is authenticated: user, token, operator, or open if the API needs no authentication; the other kinds do not occur. Omitted if the caller has to sign in."`
	Name   string               `json:"name,omitempty" doc:"The name of the user; omitted for callers that are no users."`
	Grants []grantForm          `json:"grants" doc:"What the caller may do."`
	Ends   *time.Time           `json:"expires,omitempty" doc:"When the session or the token ends unless it is used; omitted without one."`

	Secure bool   `json:"secure" doc:"True if the connection is encrypted. Otherwise others may read the password and the session on the way."`
	Setup  bool   `json:"setup" doc:"True while there is no user, and the one-time link in the scheduler's log creates the first one."`
	OIDC   string `json:"oidc,omitempty" doc:"The name of the provider at which /api/v1/login/oidc signs in; omitted without one."`
}

// A loginForm signs a user in.
type loginForm struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// A firstForm creates the first user.
type firstForm struct {
	Token    string `json:"token" doc:"The secret in the one-time link."`
	Name     string `json:"name" doc:"1 to 50 characters without blanks and slashes."`
	Password string `json:"password" doc:"At least 8 characters."`
}

// errNoAccounts is returned by a server that was made without users.
var errNoAccounts = xxladapter.Conflictf(errorrule.NoUsers, "this server was made without users, only tokens give access")

func (s *Server) showSession(ctx context.Context, _ api.None) (sessionForm, error) {
	v := visitOf(ctx)
	form := sessionForm{
		Kind: xxladapter.ActorOf(ctx).Kind, Secure: v.secure, Grants: showGrants(access.RightsOf(ctx).Grants()),
		Setup: s.opts.Accounts != nil && s.opts.Accounts.SettingUp(),
	}
	if s.opts.Provider != nil {
		form.OIDC = s.opts.Provider.Name()
	}
	if v.Bearer != nil {
		form.Name, form.Ends = v.Bearer.User.Name, &v.Bearer.Credential.Expires
	}
	return form, nil
}

func (s *Server) login(ctx context.Context, _ api.None, form loginForm) (no sessionForm, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	v := visitOf(ctx)
	secret, b, err := s.opts.Accounts.Login(ctx, form.Name, form.Password, v.address)
	if err != nil {
		return no, err
	}
	v.setSession(secret)
	v.Bearer = &b
	return s.showSession(signedIn(ctx, v), api.None{})
}

func (s *Server) first(ctx context.Context, _ api.None, form firstForm) (no sessionForm, err error) {
	if s.opts.Accounts == nil {
		return no, errNoAccounts
	}
	v := visitOf(ctx)
	secret, b, err := s.opts.Accounts.First(ctx, form.Token, form.Name, form.Password, v.address)
	if err != nil {
		return no, err
	}
	v.setSession(secret)
	v.Bearer = &b
	return s.showSession(signedIn(ctx, v), api.None{})
}

// signedIn returns the context of the user who has just signed in.
func signedIn(ctx context.Context, v *Visit) context.Context {
	ctx = xxladapter.WithActor(
		ctx, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: v.Bearer.User.Name, Address: v.address},
	)
	return access.WithRights(ctx, v.Bearer.Rights)
}

// logout ends the session of the caller, and deletes its cookie even if the session has ended.
func (s *Server) logout(ctx context.Context, _ api.None) (no api.None, err error) {
	v := visitOf(ctx)
	if v.Bearer != nil && v.Bearer.Credential.Kind == xxladapter.CredentialSession {
		err = s.opts.Accounts.Logout(ctx, *v.Bearer)
	}
	v.setSession("")
	return no, err
}

// A meForm is the user who calls.
type meForm struct {
	ID          int64       `json:"id"`
	Name        string      `json:"name"`
	Grants      []grantForm `json:"grants" doc:"What the user may do; a token may do less."`
	HasPassword bool        `json:"hasPassword"`
}

// A passwordForm changes one's own password.
type passwordForm struct {
	Old string `json:"old" doc:"The current password."`
	New string `json:"new" doc:"At least 8 characters."`
}

// A credentialForm is a session or a personal token.
type credentialForm struct {
	ID      int64           `json:"id"`
	User    int64           `json:"userId"`
	Name    string          `json:"name,omitempty" doc:"The name of a token; omitted for a session."`
	Role    xxladapter.Role `json:"role,omitempty" doc:"What a token may do at most; omitted if it may do what its user may."`
	Groups  []int64         `json:"groups,omitempty" doc:"The groups to which a token is limited; omitted if it is not limited to some groups of its user."`
	Address string          `json:"address,omitempty" doc:"From where it was created."`
	Created *time.Time      `json:"addTime,omitempty"`
	Used    *time.Time      `json:"usedTime,omitempty" doc:"Its last use, some minutes ago at most; omitted if it was never used."`
	Expires *time.Time      `json:"expires,omitempty"`
	Current bool            `json:"current,omitempty" doc:"True for that of this call."`
}

type credentialList struct {
	Credentials []credentialForm `json:"credentials"`
}

func showCredentials(ctx context.Context, list []*xxladapter.Credential) credentialList {
	forms := make([]credentialForm, len(list))
	by := visitOf(ctx).Bearer
	for i, c := range list {
		forms[i] = credentialForm{
			ID: c.ID, User: c.UserID, Name: c.Name, Role: c.Role, Groups: c.Groups, Address: c.Address,
			Created: api.Given(c.Created), Used: api.Given(c.Used), Expires: api.Given(c.Expires),
			Current: by != nil && by.Credential.ID == c.ID,
		}
	}
	return credentialList{forms}
}

// bearerOf returns the visit of a user who calls with a session or, with tokensToo, with a token.
func (s *Server) bearerOf(ctx context.Context, tokensToo bool) (no *Visit, err error) {
	v := visitOf(ctx)
	switch {
	case v.Bearer == nil:
		return no, api.Forbidden(errorrule.NeedsUser, "this call is for users, and the caller is none")
	case !tokensToo && v.Bearer.Credential.Kind != xxladapter.CredentialSession:
		return no, api.Forbidden(errorrule.NeedsSession, "this call needs a session, and the caller has a token")
	}
	return v, nil
}

func (s *Server) showMe(ctx context.Context, _ api.None) (no meForm, err error) {
	v, err := s.bearerOf(ctx, true)
	if err != nil {
		return no, err
	}
	u := v.Bearer.User
	return meForm{u.ID, u.Name, showGrants(u.Grants), u.Password != ""}, nil
}

func (s *Server) changePassword(ctx context.Context, _ api.None, form passwordForm) (no api.None, err error) {
	v, err := s.bearerOf(ctx, false)
	if err != nil {
		return no, err
	}
	return no, s.opts.Accounts.ChangePassword(ctx, *v.Bearer, form.Old, form.New)
}

func (s *Server) listSessions(ctx context.Context, _ api.None) (no credentialList, err error) {
	v, err := s.bearerOf(ctx, false)
	if err != nil {
		return no, err
	}
	list, err := s.opts.Accounts.Credentials(ctx, v.Bearer.User.ID, xxladapter.CredentialSession)
	return showCredentials(ctx, list), err
}

func (s *Server) endSession(ctx context.Context, path api.IDPath) (no api.None, err error) {
	v, err := s.bearerOf(ctx, false)
	if err != nil {
		return no, err
	}
	return no, s.removeCredential(ctx, v.Bearer.User.ID, path.ID, xxladapter.CredentialSession)
}

// removeCredential ends the credential with an id. The error has [xxladapter.CodeNotFound] if no
// valid credential of the kind and of the user has the id. A userID of 0 means any user.
func (s *Server) removeCredential(ctx context.Context, userID, id int64, kind xxladapter.CredentialKind) error {
	list, err := s.opts.Accounts.Credentials(ctx, userID, kind)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.ID == id {
			return s.opts.Accounts.RemoveCredential(ctx, userID, id)
		}
	}
	return xxladapter.Absent(string(kind), id)
}

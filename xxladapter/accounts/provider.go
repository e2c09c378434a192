package accounts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An Identity is what an OpenID Connect provider says about a user: subject, name and roles.
type Identity struct {
	Subject string // see [xxladapter.User]
	Name    string // any text; the name of a new user is made from it
	Grants  []xxladapter.Grant
}

// errNoRole is returned for a user to whom the provider gives no role.
var errNoRole = xxladapter.Refusef(xxladapter.CodeForbidden, errorrule.NoRole,
	"the provider gives this user no role here, ask an administrator")

// SignOn begins a session for the user whose identity prove returns. The user is found by its
// subject, or created, and gets the roles of the identity. An identity without a role is refused,
// and the sessions and tokens of its user end. Failed tries from one address are limited, as in
// [Accounts.Login]. A try that fails because the provider or the store does not answer is not
// counted, unless the caller has hung up.
func (a *Accounts) SignOn(
	ctx context.Context, address string, prove func(context.Context) (Identity, error),
) (secret string, b Bearer, err error) {
	now, from := time.Now(), network(address)
	if wait := a.networks.take(from, now); wait > 0 {
		return "", b, tooMany(wait)
	}
	u, err := a.proven(ctx, prove)
	var refused *xxladapter.Error
	// A caller that hangs up could otherwise have any number of tries.
	gone := err != nil && ctx.Err() != nil
	if !gone && (!errors.As(err, &refused) || refused.Code == xxladapter.CodeUnreachable) {
		a.networks.giveBack(from, now)
	}
	if err != nil {
		return "", b, err
	}
	return a.begin(ctx, u, address)
}

// proven calls prove, and returns the user of the identity as [Accounts.known] does.
func (a *Accounts) proven(
	ctx context.Context, prove func(context.Context) (Identity, error),
) (*xxladapter.User, error) {
	id, err := prove(ctx)
	if err != nil {
		return nil, err
	}
	return a.known(ctx, id)
}

// known returns the user of an identity with the roles of the identity. It creates the user if no
// user has the identity's subject.
func (a *Accounts) known(ctx context.Context, id Identity) (*xxladapter.User, error) {
	if len(id.Subject) > 255 {
		return nil, xxladapter.Invalidf(errorrule.BytesAtMost, "%s has %d bytes, must have at most %d",
			"subject", len(id.Subject), 255)
	}
	if err := checkGrants(id.Grants); err != nil {
		return nil, err
	}
	grants := slices.Clone(id.Grants)
	slices.SortFunc(grants, func(a, b xxladapter.Grant) int { return cmp.Compare(a.GroupID, b.GroupID) })
	u, err := a.withSubject(ctx, id.Subject)
	if err == nil && u == nil {
		if len(grants) == 0 {
			return nil, errNoRole
		}
		var refused error
		u, refused = a.add(ctx, id.Name, &xxladapter.User{Subject: id.Subject, Grants: grants})
		if !errors.Is(refused, xxladapter.ErrConflict) {
			return u, refused
		}
		// Perhaps another sign-on at the same time has added the user.
		if u, err = a.withSubject(ctx, id.Subject); err == nil && u == nil {
			return nil, refused
		}
	}
	if err != nil {
		return nil, err
	}
	ctx = actingAs(ctx, u.Name)
	none := len(grants) == 0
	if none {
		return nil, a.shutOut(ctx, u)
	}
	if !slices.Equal(u.Grants, grants) {
		if err := a.store.UpdateUser(ctx, u.ID, xxladapter.UserChange{Grants: &grants}); err != nil {
			return nil, err
		}
		u.Grants = grants
	}
	return u, nil
}

// withSubject returns the user with a subject, or nil if there is none.
func (a *Accounts) withSubject(ctx context.Context, subject string) (*xxladapter.User, error) {
	users, err := a.store.Users(ctx, xxladapter.UserFilter{Subject: subject})
	// Some stores ignore blanks at the end of a text that they compare.
	users = slices.DeleteFunc(users, func(u *xxladapter.User) bool { return u.Subject != subject })
	if err != nil || len(users) == 0 {
		return nil, err
	}
	return users[0], nil
}

// shutOut removes the grants, sessions and tokens of a user to whom the provider no longer gives a
// role, and returns errNoRole. The last administrator keeps its grants, but loses its sessions and
// tokens like any other user.
func (a *Accounts) shutOut(ctx context.Context, u *xxladapter.User) error {
	change := xxladapter.UserChange{Grants: &[]xxladapter.Grant{}, EndSessions: true, EndTokens: true}
	err := a.store.UpdateUser(ctx, u.ID, change)
	if errors.Is(err, xxladapter.ErrConflict) {
		change.Grants = nil
		err = a.store.UpdateUser(ctx, u.ID, change)
	}
	return cmp.Or(err, error(errNoRole))
}

// actingAs returns a context in which the user itself is the actor of the changes that its sign-on,
// or its first login, causes.
func actingAs(ctx context.Context, name string) context.Context {
	actor := xxladapter.ActorOf(ctx)
	actor.Kind, actor.Name = xxladapter.ActorUser, name
	return xxladapter.WithActor(ctx, actor)
}

// add stores a new user under its name at the provider, without the characters that plainName
// removes, or, if that name is taken, under the same name with eight digits of a digest. It never
// takes the name of another user, or of a user of XXL-JOB.
func (a *Accounts) add(ctx context.Context, name string, u *xxladapter.User) (*xxladapter.User, error) {
	name = plainName(name)
	u.Name = name
	if err := a.checkFirst(ctx, u); err != nil {
		return nil, err
	}
	for _, u.Name = range []string{name, name + "-" + digestOf(u.Subject)[:8]} {
		taken, err := a.store.UpstreamUsers(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if len(taken) > 0 {
			continue
		}
		others, err := a.store.Users(ctx, xxladapter.UserFilter{Name: u.Name})
		if err != nil {
			return nil, err
		}
		if len(others) > 0 {
			continue
		}
		u.ID, err = a.store.CreateUser(actingAs(ctx, u.Name), u, false)
		if errors.Is(err, xxladapter.ErrConflict) {
			continue // another sign-on at the same time has taken the name, or added the user
		}
		if err != nil {
			return nil, err
		}
		a.someUser.Store(true)
		a.logger.Info("user of the provider added", "name", u.Name)
		return u, nil
	}
	return nil, xxladapter.Conflictf(errorrule.NameTaken, "the %s %q is taken by another user", "name", name)
}

// plainName removes the characters that the name of a user must not have, and leaves room for a
// suffix.
func plainName(name string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name))
	if len(plain) == 0 {
		return "user"
	}
	return string(plain[:min(len(plain), xxladapter.MaxUserName-9)])
}

package accounts

import (
	"context"
	"errors"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Setup returns a secret with which the first user can be created. The secret is valid for one use,
// until this process ends. Setup returns an empty secret if somebody can already sign in: a user,
// or a user of XXL-JOB whose password is not the default of XXL-JOB's schema.
func (a *Accounts) Setup(ctx context.Context) (secret string, err error) {
	if some, err := a.SomeUser(ctx); some || err != nil {
		return "", err
	}
	upstream, err := a.store.UpstreamUsers(ctx, "")
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(upstream, func(u xxladapter.UpstreamUser) bool { return !seeded(&u) }) {
		return "", nil
	}
	secret = newSecret()
	digest := digestOf(secret)
	a.setup.Store(&digest)
	return secret, nil
}

// SettingUp reports whether the first user can be created with the secret of [Accounts.Setup].
func (a *Accounts) SettingUp() bool { return a.setup.Load() != nil && !a.someUser.Load() }

// errSetup is returned by [Accounts.First] if the secret is wrong, or if there is a user already.
var errSetup = xxladapter.Refusef(xxladapter.CodeUnauthorized, errorrule.WrongLink,
	"the link has been used or is wrong, restart the scheduler for a new one")

// First creates the first user, an administrator, and a session. secret is the one that
// [Accounts.Setup] returned.
func (a *Accounts) First(
	ctx context.Context, secret, name, password, address string,
) (session string, b Bearer, err error) {
	want := a.setup.Load()
	if want == nil || !access.Same(digestOf(secret), *want) {
		return "", b, errSetup
	}
	u := &xxladapter.User{Name: name, Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}}
	ctx = xxladapter.WithActor(ctx, xxladapter.Actor{Address: address})
	u.ID, err = a.create(actingAs(ctx, name), u, password, true)
	if errors.Is(err, xxladapter.ErrConflict) {
		a.setup.Store(nil)
		return "", b, errSetup
	}
	if err != nil {
		return "", b, err
	}
	a.setup.Store(nil)
	return a.begin(ctx, u, address)
}

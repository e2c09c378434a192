// Package users serves the calls about users of the management API: sign-in by password and at a
// provider of OpenID Connect, sessions, users and their personal tokens. Its [Authenticator] finds
// out who makes each call. Passwords and secrets are checked by package accounts.
package users

import (
	"context"
	"log/slog"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A Store knows the groups for which users have roles.
type Store interface {
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
	Groups(ctx context.Context) ([]*xxladapter.Group, error)
}

// Options configures a [Server]. Store and Logger must be set.
type Options struct {
	Store     Store
	Accounts  *accounts.Accounts // nil means that there are no users
	Provider  *openid.Provider   // nil means that users sign in only by password
	PublicURL string             // of the scheduler for browsers; empty means the address of a request
	Logger    *slog.Logger
}

// A Server serves the calls about users. Create it with [New].
type Server struct {
	opts    Options
	signOns api.Places // of calls that wait for the provider
}

// New returns the server. Only Accounts, Provider and PublicURL may be zero.
func New(opts Options) *Server { return &Server{opts, make(api.Places, signOnPlaces)} }

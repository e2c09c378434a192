package users

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Visit holds the address and the credential with which a request came, and the cookie that the
// answer sets.
type Visit struct {
	address string
	secure  bool             // the browser's connection is encrypted
	Bearer  *accounts.Bearer // nil unless a user's session or token was sent
	open    bool             // nobody has to sign in
	session *http.Cookie     // to set; nil leaves the browser's as it is
}

// visitKey marks the visit in a context.
type visitKey struct{}

// WithVisit returns the context of a call that came with v.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// visitOf returns the visit of a management call.
func visitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	if v == nil {
		return new(Visit)
	}
	return v
}

// CookieName is the name of the session's cookie; over an encrypted connection it has the prefix
// __Host-. Browsers accept that prefix only over such a connection, and send the cookie only to the
// same host, for every path.
const CookieName = "xxlwheel_session"

// cookieName returns the name of a cookie for the browser's connection.
func (v *Visit) cookieName(name string) string {
	if v.secure {
		return "__Host-" + name
	}
	return name
}

// setSession makes the answer set the session's cookie; an empty secret deletes it. The cookie
// lasts as long as a session can last.
func (v *Visit) setSession(secret string) {
	c := &http.Cookie{
		Name: v.cookieName(CookieName), Value: secret, Path: "/", HttpOnly: true, Secure: v.secure,
		SameSite: http.SameSiteLaxMode,
	}
	c.MaxAge = int(accounts.SessionLife / time.Second)
	if secret == "" {
		c.MaxAge = -1
	}
	v.session = c
}

// sessionOf returns the session's secret, or empty.
func (v *Visit) sessionOf(r *http.Request) string {
	c, err := r.Cookie(v.cookieName(CookieName))
	if err != nil {
		return ""
	}
	return c.Value
}

// newVisit returns the visit of a request whose caller is not known yet. A proxy that ends TLS says
// so in a header; a caller who pretends to be one gets a cookie that its browser does not send.
func newVisit(r *http.Request) *Visit {
	return &Visit{address: api.AddressOf(r), secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"}
}

// An Authenticator finds out who makes management calls.
type Authenticator struct {
	Operators access.Operators
	Pages     *access.Pages      // refuses requests of foreign web pages
	Accounts  *accounts.Accounts // nil means that there are no users
	Provided  bool               // a provider of OpenID Connect signs users in
}

// Cookie returns the cookie that the answer to a call sets, or nil.
func (a *Authenticator) Cookie(ctx context.Context) *http.Cookie { return visitOf(ctx).session }

// Authenticate returns the context of a call, which carries the visit, the actor and the rights;
// with an error, only the visit.
func (a *Authenticator) Authenticate(r *http.Request) (context.Context, error) {
	r = r.WithContext(xxladapter.ForUser(r.Context()))
	v := newVisit(r)
	ctx := WithVisit(r.Context(), v)
	if err := a.Pages.Check(r); err != nil {
		return ctx, api.Forbidden(errorrule.ForeignPage, "%v", err)
	}
	if err := api.CheckTokens(r); err != nil {
		return ctx, err
	}
	actor, rights, err := a.identify(r, v)
	if err != nil {
		return ctx, err
	}
	actor.Address = v.address
	return access.WithRights(xxladapter.WithActor(ctx, actor), rights), nil
}

var errWrongToken = xxladapter.Refusef(xxladapter.CodeUnauthorized, errorrule.WrongToken, wire.MsgWrongToken)

// identify returns who calls: the bearer of a token of the settings, a user by a personal token or
// a session, or anybody while nobody has to sign in.
func (a *Authenticator) identify(r *http.Request, v *Visit) (by xxladapter.Actor, rights access.Rights, err error) {
	v.open, err = a.open(r.Context())
	if err != nil {
		return by, rights, err
	}
	token, session := api.Bearer(r), v.sessionOf(r)
	switch {
	case accounts.IsToken(token) && a.Accounts != nil:
		b, err := a.Accounts.Token(r.Context(), token)
		if errors.Is(err, accounts.ErrEnded) {
			return by, rights, errWrongToken
		}
		if err != nil {
			return by, rights, err
		}
		v.Bearer = &b
		return xxladapter.Actor{Kind: xxladapter.ActorToken, Name: b.User.Name + "/" + b.Credential.Name}, b.Rights, nil
	case token == "" && session != "" && a.Accounts != nil:
		b, err := a.Accounts.Session(r.Context(), session)
		if err == nil {
			v.Bearer = &b
			return xxladapter.Actor{Kind: xxladapter.ActorUser, Name: b.User.Name}, b.Rights, nil
		}
		if !v.open || !errors.Is(err, accounts.ErrEnded) {
			return by, rights, err
		}
	}
	if v.open {
		return xxladapter.Actor{Kind: xxladapter.ActorOpen}, access.RightsForAll(xxladapter.RoleAdmin), nil
	}
	if a.Operators.Open() { // no token of the settings
		return by, rights, errWrongToken
	}
	role := a.Operators.Role(token)
	if role == access.None {
		return by, rights, errWrongToken
	}
	return xxladapter.Actor{Kind: xxladapter.ActorOperator}, access.RightsForAll(role), nil
}

// open reports whether nobody has to sign in: the settings have no token, and there are neither
// users nor a provider that signs them in. Without a token, the settings allow only loopback.
func (a *Authenticator) open(ctx context.Context) (bool, error) {
	if a.Provided {
		return false, nil
	}
	if !a.Operators.Open() || a.Accounts == nil {
		return a.Operators.Open(), nil
	}
	some, err := a.Accounts.SomeUser(xxladapter.ForUser(ctx))
	return !some, err
}

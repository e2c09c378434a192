package admin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A visit holds the address, credential and cookie with which a request came, and the cookie that
// the answer sets.
type visit struct {
	address string
	secure  bool             // the browser's connection is encrypted
	bearer  *accounts.Bearer // nil unless a user's session or token was sent
	open    bool             // nobody has to sign in
	session *http.Cookie     // to set; nil leaves the browser's as it is
}

// visitKey marks the visit in a context.
type visitKey struct{}

// visitOf returns the visit of a management call.
func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	if v == nil {
		return new(visit)
	}
	return v
}

// The names of the session's cookie. Browsers accept the prefix __Host- only from encrypted
// connections, and then from no other host and for no other path.
const cookieName = "xxlwheel_session"

// cookieName returns the name of a cookie for the browser's connection.
func (v *visit) cookieName(name string) string {
	if v.secure {
		return "__Host-" + name
	}
	return name
}

// setSession makes the answer set the session's cookie; an empty secret deletes it. It ends with
// the session, at the latest.
func (v *visit) setSession(secret string) {
	c := &http.Cookie{
		Name: v.cookieName(cookieName), Value: secret, Path: "/", HttpOnly: true, Secure: v.secure, SameSite: http.SameSiteLaxMode,
	}
	c.MaxAge = int(accounts.SessionLife / time.Second)
	if secret == "" {
		c.MaxAge = -1
	}
	v.session = c
}

// sessionOf returns the session's secret, or empty.
func (v *visit) sessionOf(r *http.Request) string {
	c, err := r.Cookie(v.cookieName(cookieName))
	if err != nil {
		return ""
	}
	return c.Value
}

// newVisit returns the visit of a request whose caller is not known yet. A proxy that ends TLS says
// so in a header; a caller who pretends to be one gets a cookie that its browser does not send.
func newVisit(r *http.Request) *visit {
	return &visit{address: addressOf(r), secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"}
}

// addressOf returns the IP address of the connection.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return host
}

// bearer returns the token that a call carries in either of two headers.
func bearer(r *http.Request) string {
	if token := r.Header.Get(wire.HeaderToken); token != "" {
		return token
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") { // another scheme, such as a proxy's own
		return ""
	}
	return token
}

// checkTokens refuses a call with two tokens in one header: nobody could say which of them counts.
func checkTokens(r *http.Request) error {
	for _, name := range []string{wire.HeaderToken, "Authorization"} {
		if err := checkOnce(name, r.Header.Values(name)); err != nil {
			return err
		}
	}
	return nil
}

// authenticate finds out who makes a management call. The returned context carries the visit, the
// actor and the rights; with an error, only the visit.
func (s *Server) authenticate(r *http.Request) (context.Context, error) {
	r = r.WithContext(xxladapter.ForUser(r.Context()))
	v := newVisit(r)
	ctx := context.WithValue(r.Context(), visitKey{}, v)
	if err := s.apiPages.Check(r); err != nil {
		return ctx, &xxladapter.Error{Code: xxladapter.CodeForbidden, Message: err.Error()}
	}
	if err := checkTokens(r); err != nil {
		return ctx, err
	}
	actor, rights, err := s.identify(r, v)
	if err != nil {
		return ctx, err
	}
	actor.Address = v.address
	return access.WithRights(xxladapter.WithActor(ctx, actor), rights), nil
}

var errWrongToken = &xxladapter.Error{Code: xxladapter.CodeUnauthorized, Message: wire.MsgWrongToken}

// identify returns who calls: the bearer of a token of the settings, a user by a personal token or
// a session, or anybody while nobody has to sign in.
func (s *Server) identify(r *http.Request, v *visit) (by xxladapter.Actor, rights access.Rights, err error) {
	v.open, err = s.open(r.Context())
	if err != nil {
		return by, rights, err
	}
	token, session := bearer(r), v.sessionOf(r)
	switch {
	case accounts.IsToken(token) && s.opts.Accounts != nil:
		b, err := s.opts.Accounts.Token(r.Context(), token)
		if errors.Is(err, accounts.ErrEnded) {
			return by, rights, errWrongToken
		}
		if err != nil {
			return by, rights, err
		}
		v.bearer = &b
		return xxladapter.Actor{Kind: xxladapter.ActorToken, Name: b.User.Name + "/" + b.Credential.Name}, b.Rights, nil
	case token == "" && session != "" && s.opts.Accounts != nil:
		b, err := s.opts.Accounts.Session(r.Context(), session)
		if err == nil {
			v.bearer = &b
			return xxladapter.Actor{Kind: xxladapter.ActorUser, Name: b.User.Name}, b.Rights, nil
		}
		if !v.open || !errors.Is(err, accounts.ErrEnded) {
			return by, rights, err
		}
	}
	if v.open {
		return xxladapter.Actor{Kind: xxladapter.ActorOpen}, access.RightsForAll(xxladapter.RoleAdmin), nil
	}
	if s.operators.Open() { // no token of the settings
		return by, rights, errWrongToken
	}
	role := s.operators.Role(token)
	if role == access.None {
		return by, rights, errWrongToken
	}
	return xxladapter.Actor{Kind: xxladapter.ActorOperator}, access.RightsForAll(role), nil
}

// open reports whether nobody has to sign in: the settings have no token, which is for loopback
// only, and there are neither users nor a provider of them.
func (s *Server) open(ctx context.Context) (bool, error) {
	if s.opts.Provider != nil {
		return false, nil
	}
	if !s.operators.Open() || s.opts.Accounts == nil {
		return s.operators.Open(), nil
	}
	some, err := s.opts.Accounts.SomeUser(xxladapter.ForUser(ctx))
	return !some, err
}

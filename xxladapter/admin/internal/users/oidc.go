package users

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// signOnPlaces is how many callers may wait for the provider at the same time.
const signOnPlaces = 8

// The paths and the cookie with which a browser signs in at the provider.
const (
	OIDCPath    = api.Base + "/login/oidc"
	OIDCReturn  = OIDCPath + "/callback"
	oidcToPages = "../../../../console/" // from OIDCReturn, below whatever prefix a proxy removes
	attemptName = "xxlwheel_oidc"
)

// errNoProvider is returned by a server that has no provider.
var errNoProvider = xxladapter.NotFoundf(errorrule.NoProvider,
	"this scheduler has no provider of OpenID Connect (xxlwheel serve --oidc-issuer)")

// forBrowsers returns a public call that a browser makes as a navigation. It answers with a
// redirect, and with a page in place of an error if the browser asks for one.
func forBrowsers(
	pattern, summary string, query reflect.Type, handle func(*http.Request) (api.Download, error),
) api.Call {
	c := api.NewCall(pattern, api.Public, summary, query, reflect.TypeFor[api.Download]())
	c.Redirects = true
	c.Serve = func(r *http.Request) (any, error) {
		leads, err := handle(r)
		if err != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
			return refusalPage(r, err), nil
		}
		return leads, err
	}
	return c
}

// beginOIDC leads the browser to the provider.
func (s *Server) beginOIDC(r *http.Request) (api.Download, error) {
	if s.opts.Provider == nil {
		return nil, errNoProvider
	}
	if err := api.DecodeParams(r, new(api.None)); err != nil {
		return nil, err
	}
	v := visitOf(r.Context())
	address, attempt, err := s.opts.Provider.Begin(r.Context(), s.returnAddress(r, v))
	if err != nil {
		return nil, s.noteFailure(r, err)
	}
	return leadTo(address, v.attemptCookie(attempt.Text())), nil
}

// An oidcQuery is what a provider sends back. Providers add further parameters, which are ignored.
type oidcQuery struct {
	Code  string `query:"code" doc:"What the provider issued for this sign-in."`
	State string `query:"state" doc:"The state that the first call sent."`
	Error string `query:"error" doc:"Why the provider did not sign the user in."`
}

// endOIDC signs in the user whom the provider names, and leads the browser to the console.
func (s *Server) endOIDC(r *http.Request) (api.Download, error) {
	if s.opts.Provider == nil || s.opts.Accounts == nil {
		return nil, errNoProvider
	}
	v, query := visitOf(r.Context()), r.URL.Query()
	var attempt openid.Attempt
	if c, err := r.Cookie(v.cookieName(attemptName)); err == nil {
		attempt = openid.ParseAttempt(c.Value)
	}
	answer := openid.Answer{Code: query.Get("code"), State: query.Get("state"), Error: query.Get("error")}
	ctx := xxladapter.WithCall(
		xxladapter.WithActor(r.Context(), xxladapter.Actor{Kind: xxladapter.ActorUser, Address: v.address}), r.Pattern,
	)
	secret, b, err := s.opts.Accounts.SignOn(ctx, v.address, func(ctx context.Context) (accounts.Identity, error) {
		id, err := s.opts.Provider.Finish(ctx, attempt, s.returnAddress(r, v), answer)
		if err != nil {
			return accounts.Identity{}, err
		}
		grants, err := s.granted(ctx, id.Roles)
		return accounts.Identity{Subject: id.Subject, Name: id.Name, Grants: grants}, err
	})
	if err != nil {
		return nil, s.noteFailure(r, err)
	}
	v.Bearer = &b
	v.setSession(secret)
	return leadTo(oidcToPages, v.attemptCookie("")), nil
}

// granted returns the grants of rules: for several roles in one group, the greatest. A group that
// does not exist gives nothing.
func (s *Server) granted(ctx context.Context, rules []openid.Rule) ([]xxladapter.Grant, error) {
	groups, err := s.opts.Store.Groups(access.WithRights(ctx, access.RightsForAll(xxladapter.RoleViewer)))
	if err != nil {
		return nil, err
	}
	var grants []xxladapter.Grant
	for _, r := range rules {
		if r.App == "" {
			grants = append(grants, xxladapter.Grant{Role: r.Role})
			continue
		}
		at := slices.IndexFunc(groups, func(g *xxladapter.Group) bool { return g.AppName == r.App })
		if at < 0 {
			s.opts.Logger.Warn(
				"a role of the provider is for a group that does not exist", "app", r.App, "role", string(r.Role),
			)
			continue
		}
		grants = append(grants, xxladapter.Grant{GroupID: groups[at].ID, Role: r.Role})
	}
	return access.NewRights(grants...).Grants(), nil
}

// noteFailure logs why a sign-in at the provider failed, and returns the error.
func (s *Server) noteFailure(r *http.Request, err error) error {
	s.opts.Logger.Warn("sign-in at the provider failed", "address", api.AddressOf(r), "err", api.OneLine(err.Error()))
	return err
}

// returnAddress returns the address of endOIDC for browsers. Only addresses that were registered at
// the provider have any effect, so the address in the request may be used.
func (s *Server) returnAddress(r *http.Request, v *Visit) string {
	if s.opts.PublicURL != "" {
		return strings.TrimSuffix(s.opts.PublicURL, "/") + OIDCReturn
	}
	scheme := "http://"
	if v.secure {
		scheme = "https://"
	}
	return scheme + r.Host + OIDCReturn
}

// attemptCookie returns the cookie that binds a sign-in to the browser; an empty value deletes it.
// It is SameSite=Lax, because the way back is a navigation from the provider's site.
func (v *Visit) attemptCookie(value string) *http.Cookie {
	age := int(openid.AttemptLife / time.Second)
	if value == "" {
		age = -1
	}
	return &http.Cookie{
		Name: v.cookieName(attemptName), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: v.secure,
		SameSite: http.SameSiteLaxMode,
	}
}

// leadTo answers with a redirect and a cookie.
func leadTo(address string, c *http.Cookie) api.Download {
	return func(w http.ResponseWriter) {
		http.SetCookie(w, c)
		w.Header().Set("Location", address)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.WriteHeader(http.StatusSeeOther)
	}
}

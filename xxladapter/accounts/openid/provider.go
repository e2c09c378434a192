package openid

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// callLimit limits one call to the provider.
	callLimit = 10 * time.Second
	// clockSkew is how far the provider's clock may be behind this machine's. The provider's clock
	// may be up to four minutes ahead: go-oidc allows five minutes for nbf, and the verifier's
	// clock is set back by clockSkew.
	clockSkew = time.Minute
	// noKeys is part of the error that go-oidc returns if it could not get the provider's keys to
	// check a token. That error has no type of its own.
	noKeys = "failed to verify signature: fetching keys "
)

// A Provider signs people in. Create it with [New]. Its methods may be called from any goroutine.
type Provider struct {
	opts Options

	mu    sync.Mutex // guards found
	found *oidc.Provider
}

// New returns a provider. It does not call the provider: a scheduler starts even while the provider
// cannot be reached. The error names the option that is missing or makes no sense.
func New(opts Options) (*Provider, error) {
	opts, err := opts.check()
	if err != nil {
		return nil, err
	}
	return &Provider{opts: opts}, nil
}

// Name returns what people call the provider.
func (p *Provider) Name() string { return p.opts.Name }

// An Identity is who the provider says a user is.
type Identity struct {
	Subject string // the issuer, a blank and the provider's id of the user
	Name    string // what the user is called there; any text
	Roles   []Rule // those that match; empty if none does
}

// Begin returns the address at the provider to which the browser has to go, and the attempt that
// the browser keeps until it comes back to redirect, an address of this scheduler. The error has
// [xxladapter.CodeUnreachable] if the provider does not answer as it should, and
// [xxladapter.CodeUnauthorized] if it names an address that is not https.
func (p *Provider) Begin(ctx context.Context, redirect string) (address string, a Attempt, err error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", a, err
	}
	a = newAttempt()
	return p.config(found, redirect).AuthCodeURL(
		a.State, oauth2.S256ChallengeOption(a.Verifier), oidc.Nonce(a.Nonce),
	), a, nil
}

// An Answer is what the browser brings back from the provider.
type Answer struct {
	Code, State string
	Error       string // a code of OAuth, such as access_denied; empty if there is a Code
}

// Finish returns who has signed in, from the attempt that the browser kept. redirect must be that
// of Begin. An answer that does not belong to the attempt, or cannot be trusted, gives an error
// with [xxladapter.CodeUnauthorized]; a provider that does not answer as it should gives one with
// [xxladapter.CodeUnreachable].
func (p *Provider) Finish(ctx context.Context, a Attempt, redirect string, answer Answer) (id Identity, err error) {
	if !a.matches(answer.State, time.Now()) {
		return id, p.refuse("the answer does not belong to this browser, or came too late", nil)
	}
	if answer.Error != "" {
		return id, p.refuse(fmt.Sprintf("it answered %.100q", answer.Error), nil)
	}
	found, err := p.discover(ctx)
	if err != nil {
		return id, err
	}
	ctx = oidc.ClientContext(ctx, p.opts.Client)
	token, err := p.config(found, redirect).Exchange(ctx, answer.Code, oauth2.VerifierOption(a.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return id, p.refuse("it did not accept the code", err)
	case err != nil:
		return id, p.away(err)
	}
	raw, _ := token.Extra("id_token").(string)
	verifier := found.VerifierContext(ctx, &oidc.Config{
		ClientID: p.opts.ClientID, Now: func() time.Time { return time.Now().Add(-clockSkew) },
	})
	idToken, err := verifier.Verify(ctx, raw)
	if err != nil && strings.Contains(err.Error(), noKeys) {
		return id, p.away(err)
	}
	if err != nil {
		return id, p.refuse("its token is not valid", err)
	}
	if idToken.Nonce != a.Nonce {
		return id, p.refuse("its token belongs to another sign-in", nil)
	}
	return p.identity(ctx, found, idToken, token)
}

// identity reads the claims. It requests those that the ID token lacks.
func (p *Provider) identity(
	ctx context.Context, found *oidc.Provider, idToken *oidc.IDToken, token *oauth2.Token,
) (id Identity, err error) {
	said := claims{}
	if err := idToken.Claims(&said); err != nil {
		return id, p.refuse("its token cannot be read", err)
	}
	values, known := said.values(p.opts.Claim)
	if (!known || said.text("preferred_username") == "") && found.UserInfoEndpoint() != "" {
		info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return id, p.away(err)
		}
		more := claims{}
		if err := info.Claims(&more); err != nil || info.Subject != idToken.Subject {
			return id, p.refuse("its user information cannot be read, or is about another user", err)
		}
		if !known {
			values, _ = more.values(p.opts.Claim)
		}
		for name, value := range more {
			if _, has := said[name]; !has {
				said[name] = value
			}
		}
	}
	id = Identity{
		Subject: idToken.Issuer + " " + idToken.Subject, Name: said.userName(), Roles: rolesOf(p.opts.Rules, values),
	}
	return id, nil
}

// discover returns the provider's description, which it caches once the provider has answered.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	found := p.found
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.opts.Client), p.opts.Issuer)
	if err != nil {
		return nil, p.away(err)
	}
	if err := checkAddresses(found); err != nil {
		return nil, p.refuse("one of its addresses is not https", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = found
	return found, nil
}

// checkAddresses refuses a description with an address that is not encrypted: codes, tokens and the
// client's secret go there, and the keys that prove tokens come from there.
func checkAddresses(found *oidc.Provider) error {
	var keys struct {
		Address string `json:"jwks_uri"`
	}
	if err := found.Claims(&keys); err != nil {
		return err
	}
	for _, named := range [...][2]string{
		{"authorization_endpoint", found.Endpoint().AuthURL}, {"token_endpoint", found.Endpoint().TokenURL},
		{"userinfo_endpoint", found.UserInfoEndpoint()}, {"jwks_uri", keys.Address},
	} {
		if named[1] == "" { // it has none
			continue
		}
		if at, err := url.Parse(named[1]); err != nil || !encrypted(at) {
			return fmt.Errorf("%s is %q, must begin with https://", named[0], named[1])
		}
	}
	return nil
}

func (p *Provider) config(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.opts.ClientID, ClientSecret: p.opts.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: redirect,
		Scopes: append([]string{oidc.ScopeOpenID}, p.opts.Scopes...),
	}
}

// A Failure is an error of signing in at a provider. Its cause is only for the log, since it may
// contain internal addresses that the caller must not see.
type Failure struct {
	User  *xxladapter.Error // what the caller may know
	Cause error             // may be nil
}

// Error returns the message for the caller and the cause.
func (f *Failure) Error() string {
	if f.Cause == nil {
		return f.User.Message
	}
	return f.User.Message + ": " + strings.ReplaceAll(f.Cause.Error(), "\n", " ")
}

// Unwrap returns what the caller may know.
func (f *Failure) Unwrap() error { return f.User }

func (p *Provider) refuse(why string, cause error) error {
	return &Failure{xxladapter.Refusef(xxladapter.CodeUnauthorized, errorrule.ProviderRefused,
		"%s did not sign the user in: %s",
		p.opts.Name, why), cause}
}

func (p *Provider) away(cause error) error {
	return &Failure{xxladapter.Refusef(xxladapter.CodeUnreachable, errorrule.ProviderAway,
		"%s does not answer as it should, sign in by name and password or try again later",
		p.opts.Name), cause}
}

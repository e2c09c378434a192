package serve

import (
	"errors"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// oidcFlags name a provider of OpenID Connect, at which people sign in.
type oidcFlags struct {
	Issuer       string       `placeholder:"URL" help:"Provider of OpenID Connect at which people sign in, as it names itself, for example https://id.example.org/realms/ops (default: none). Then the API is not open without a token, not even on loopback."`
	ClientID     string       `name:"client-id" placeholder:"ID" help:"Id of this scheduler at the provider."`
	ClientSecret flags.Secret `placeholder:"SECRET" help:"Secret of --oidc-client-id, or @FILE that contains it (default: a public client)."`
	Name         string       `placeholder:"NAME" help:"What the sign-in button calls the provider (default: the host of --oidc-issuer)."`
	Claim        string       `default:"groups" placeholder:"NAME" help:"Claim whose values give roles; dots separate the names of nested objects, as in realm_access.roles (default ${default})."`
	Role         []string     `sep:"none" placeholder:"VALUE=ROLE[@APP]" help:"Role of users whose claim has the value, for the group with the app name or for all groups; can be repeated. Users without any role are refused."`
	Scope        []string     `placeholder:"NAME" help:"Scopes to request from the provider, in addition to openid (default: profile, email)."`
}

// provider returns the provider, or nil without one.
func (f *oidcFlags) provider(tlsCA string) (*openid.Provider, error) {
	if f.Issuer == "" {
		if f.ClientID != "" || f.ClientSecret != "" || f.Name != "" || f.Claim != "groups" || f.Role != nil ||
			f.Scope != nil {
			return nil, command.Usagef("--oidc-issuer is missing, must be given with the other --oidc flags")
		}
		return nil, nil
	}
	opts := openid.Options{
		Issuer: f.Issuer, ClientID: f.ClientID, ClientSecret: string(f.ClientSecret), Name: f.Name, Claim: f.Claim,
		Scopes: f.Scope,
	}
	for _, text := range f.Role {
		rule, err := openid.ParseRule(text)
		if err != nil {
			return nil, command.Usagef("--oidc-role: %v", err)
		}
		opts.Rules = append(opts.Rules, rule)
	}
	trusted, err := access.ClientTLS(tlsCA)
	if err != nil {
		return nil, command.Usagef("--tls-ca: %v", err)
	}
	if trusted != nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = trusted
		opts.Client = &http.Client{Transport: transport, Timeout: 10 * time.Second}
	}
	p, err := openid.New(opts)
	var refused *xxladapter.Error
	if errors.As(err, &refused) {
		return nil, command.Usagef("--oidc: %s", refused.Message)
	}
	return p, err
}

// checkPublicURL refuses what is not the address of a server.
func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	if err := access.CheckPublic("--public-url", text); err != nil {
		return command.Usagef("%v", err)
	}
	return nil
}

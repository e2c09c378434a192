package openid

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Options configures a [Provider]. Issuer, ClientID and Rules must be set.
type Options struct {
	// Issuer is the provider's URL, exactly as it names itself; its description is below
	// /.well-known/openid-configuration. It and the addresses in that description must be https,
	// except on the loopback interface.
	Issuer string
	// ClientID and ClientSecret were given by the provider. A public client has no secret.
	ClientID, ClientSecret string
	// Name is what people call the provider. The default is the host of Issuer.
	Name string
	// Scopes are asked for in addition to openid. An empty list that is not nil asks for openid
	// alone. The default, for nil, is profile and email.
	Scopes []string
	// Claim is the claim whose values the rules name: a text or a list of texts, of the ID token or
	// else of the provider's answer about the user. Dots lead into objects, as in
	// realm_access.roles. The default is groups.
	Claim string
	// Rules give roles. A user whom no rule matches cannot sign in. There must be at least one, and
	// each needs a value and a role that exists.
	Rules []Rule
	// Client calls the provider; nil means a client with a limit of ten seconds for each call.
	Client *http.Client
}

// A Rule gives a role to users whose claim has a value.
type Rule struct {
	Value string
	Role  xxladapter.Role
	App   string // the app name of the group; empty means all groups
}

// ParseRule reads VALUE=ROLE, which is for all groups, or VALUE=ROLE@APP. The value may contain
// further equals signs.
func ParseRule(text string) (r Rule, err error) {
	cut := strings.LastIndex(text, "=")
	if cut < 1 {
		return r, notARule(text)
	}
	r.Value = text[:cut]
	role, app, single := strings.Cut(text[cut+1:], "@")
	r.Role, r.App = xxladapter.Role(role), app
	if single && app == "" {
		return r, xxladapter.Invalidf(errorrule.RoleRule, "%s is %q, must name an app behind @", "role rule", text)
	}
	return r, r.Role.Validate()
}

func notARule(text string) error {
	return xxladapter.Invalidf(errorrule.RoleRule, "%s is %q, must be VALUE=ROLE or VALUE=ROLE@APP",
		"role rule", text)
}

// check refuses an option that is missing or makes no sense, and returns the options with their
// defaults.
func (o Options) check() (Options, error) {
	issuer, err := url.Parse(o.Issuer)
	switch {
	case err != nil || issuer.Host == "" || issuer.RawQuery != "" || issuer.Fragment != "" || issuer.User != nil:
		return o, xxladapter.Invalidf(errorrule.Issuer, "%s is %q, must be the URL of a provider", "issuer", o.Issuer)
	case !encrypted(issuer):
		return o, xxladapter.Invalidf(errorrule.Issuer, "%s is %q, must begin with https://", "issuer", o.Issuer)
	case o.ClientID == "":
		return o, xxladapter.Invalidf(errorrule.ClientID, "%s is missing, must be the one that %s gave",
			"client id", o.Issuer)
	case len(o.Rules) == 0:
		return o, xxladapter.Invalidf(errorrule.Missing,
			"%s are missing, must give a role to at least one value of the claim",
			"role rules")
	}
	for _, r := range o.Rules {
		if r.Value == "" {
			return o, notARule("=" + string(r.Role))
		}
		if err := r.Role.Validate(); err != nil {
			return o, err
		}
	}
	if o.Name == "" {
		o.Name = issuer.Host
	}
	if o.Claim == "" {
		o.Claim = "groups"
	}
	if o.Scopes == nil {
		o.Scopes = []string{"profile", "email"}
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: callLimit}
	}
	o.Rules = slices.Clone(o.Rules)
	return o, nil
}

// encrypted reports whether an address is https, or http on the loopback interface, where nobody
// else reads it.
func encrypted(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	loopback := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && loopback
}

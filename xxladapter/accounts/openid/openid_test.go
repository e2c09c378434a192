package openid

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"ops=admin":                    {"ops", xxladapter.RoleAdmin, ""},
		"cn=devs,dc=org=editor@orders": {"cn=devs,dc=org", xxladapter.RoleEditor, "orders"},
		"a b@c=viewer":                 {"a b@c", xxladapter.RoleViewer, ""},
	} {
		got, err := ParseRule(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for text, message := range map[string]string{
		"": "must be VALUE=ROLE", "admin": "must be VALUE=ROLE", "=admin": "must be VALUE=ROLE", "ops=": "must be one of",
		"ops=root": "must be one of", "ops=admin@": "must name an app behind @", "ops=@orders": "must be one of",
	} {
		_, err := ParseRule(text)
		require.ErrorContains(t, err, message, "%q", text)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	rules := []Rule{{Value: "ops", Role: xxladapter.RoleAdmin}}
	for message, opts := range map[string]Options{
		"issuer is \"\"":         {ClientID: "c", Rules: rules},
		"must be the URL":        {Issuer: "https://u:p@id.example.org", ClientID: "c", Rules: rules},
		"must begin with https":  {Issuer: "http://id.example.org", ClientID: "c", Rules: rules},
		"client id is missing":   {Issuer: "https://id.example.org", Rules: rules},
		"role rules are missing": {Issuer: "https://id.example.org", ClientID: "c"},
		`role is "root"`:         {Issuer: "https://id.example.org", ClientID: "c", Rules: append(rules, Rule{Value: "ops", Role: "root"})},
		`role rule is "=admin"`:  {Issuer: "https://id.example.org", ClientID: "c", Rules: []Rule{{Role: xxladapter.RoleAdmin}}},
	} {
		_, err := New(opts)
		require.ErrorContains(t, err, message)
	}
	for _, issuer := range []string{"https://id.example.org/realms/ops", "http://127.0.0.1:9998/", "http://localhost:9998"} {
		p, err := New(Options{Issuer: issuer, ClientID: "c", Rules: rules})
		require.NoError(t, err, issuer)
		require.NotEmpty(t, p.Name())
	}
}

// TestAllAddressesOfAProviderAreEncrypted has a provider on loopback that names one of its
// addresses without https: codes, tokens and the client's secret would go there in plain text.
func TestAllAddressesOfAProviderAreEncrypted(t *testing.T) {
	var server *httptest.Server
	var plain string
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		said := map[string]string{"issuer": server.URL}
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"} {
			said[name] = server.URL + "/" + name
		}
		if plain != "" {
			said[plain] = "http://id.example.org/" + plain
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(said)
	}))
	defer server.Close()
	for _, plain = range []string{"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", ""} {
		p, err := New(Options{Issuer: server.URL, ClientID: "c", Name: "Work", Rules: []Rule{{Value: "ops", Role: xxladapter.RoleAdmin}}})
		require.NoError(t, err)
		_, _, err = p.Begin(t.Context(), "https://jobs.example.org/back")
		if plain == "" {
			require.NoError(t, err)
			continue
		}
		var failure *Failure
		require.ErrorAs(t, err, &failure, plain)
		require.Equal(t, "Work did not sign the user in: one of its addresses is not https", failure.User.Message)
		require.ErrorContains(t, failure.Cause, plain+` is "http://id.example.org/`)
	}
}

// TestAProviderThatAnswersWrongly checks that a provider which answers, but for another issuer, is
// not reported as silent.
func TestAProviderThatAnswersWrongly(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"issuer":"https://id.example.org"}`))
	}))
	defer server.Close()
	p, err := New(Options{Issuer: server.URL, ClientID: "c", Name: "Work", Rules: []Rule{{Value: "ops", Role: xxladapter.RoleAdmin}}})
	require.NoError(t, err)
	_, _, err = p.Begin(t.Context(), "https://jobs.example.org/back")
	var failure *Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "Work does not answer as it should, sign in by name and password or try again later", failure.User.Message)
	require.ErrorContains(t, failure.Cause, "https://id.example.org")
}

func TestValuesOfAClaim(t *testing.T) {
	var said claims
	require.NoError(t, json.Unmarshal([]byte(`{
		"groups": ["a", 7, "b"], "role": "c", "realm_access": {"roles": ["d"]}, "https://example.org/roles": ["e"], "number": 7, "none": []
	}`), &said))
	for name, want := range map[string][]string{
		"groups": {"a", "b"}, "role": {"c"}, "realm_access.roles": {"d"}, "https://example.org/roles": {"e"}, "number": nil, "none": nil,
	} {
		list, known := said.values(name)
		require.True(t, known, name)
		require.Equal(t, want, list, name)
	}
	for _, name := range []string{"", "nosuch", "realm_access.nosuch", "role.x", "realm_access.roles.x"} {
		_, known := said.values(name)
		require.False(t, known, name)
	}
}

// TestAnAttemptIsOfOneBrowserAndShort checks the value of the cookie.
func TestAnAttemptIsOfOneBrowserAndShort(t *testing.T) {
	a := newAttempt()
	got := ParseAttempt(a.Text())
	now := time.Now()
	require.True(t, got.matches(a.State, now))
	require.Equal(t, a.Verifier, got.Verifier)
	require.False(t, got.matches(newAttempt().State, now))
	require.False(t, got.matches("", now))
	require.False(t, got.matches(a.State, now.Add(AttemptLife)))
	for _, text := range []string{"", "x", "e30", Attempt{}.Text(), Attempt{State: "s"}.Text()} {
		for _, state := range []string{"", "s"} {
			require.False(t, ParseAttempt(text).matches(state, time.Time{}), "%q", text)
		}
	}
}

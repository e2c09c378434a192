package admin

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/users"
)

// A fakeProvider is a provider of OpenID Connect that signs its one user in without asking.
type fakeProvider struct {
	t   *testing.T
	url string

	mu     sync.Mutex // guards the fields below
	keys   oidctest.Server
	key    *rsa.PrivateKey
	keyID  string
	away   bool
	noKeys bool // answers no call for its keys
	denied bool
	claims map[string]any       // of the user, in addition to those that each token has
	codes  map[string][2]string // challenge and nonce of codes that were not used yet
}

func newProvider(t *testing.T) *fakeProvider {
	t.Helper()
	p := &fakeProvider{t: t, codes: map[string][2]string{}, claims: map[string]any{"sub": "7", "preferred_username": "ann", "groups": []string{"ops", "unknown"}}}
	server := httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(server.Close)
	p.url = server.URL
	p.keys.SetIssuer(p.url)
	p.rotate("first")
	return p
}

// providerKeys are the keys of all providers, by id. Making one takes longer than most tests.
var providerKeys struct {
	sync.Mutex // guards keys
	keys       map[string]*rsa.PrivateKey
}

func providerKey(t *testing.T, id string) *rsa.PrivateKey {
	t.Helper()
	providerKeys.Lock()
	defer providerKeys.Unlock()
	if key := providerKeys.keys[id]; key != nil {
		return key
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	if providerKeys.keys == nil {
		providerKeys.keys = map[string]*rsa.PrivateKey{}
	}
	providerKeys.keys[id] = key
	return key
}

// rotate replaces the key that signs tokens.
func (p *fakeProvider) rotate(id string) {
	key := providerKey(p.t, id)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.keyID = key, id
	p.keys.PublicKeys = []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: id, Algorithm: oidc.RS256}}
}

// set changes the provider or its user.
func (p *fakeProvider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *fakeProvider) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.away, p.noKeys && r.URL.Path == "/keys":
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == "/auth":
		q := r.URL.Query()
		back := url.Values{"state": {q.Get("state")}, "session_state": {"of the provider"}}
		if p.denied {
			back.Set("error", "access_denied")
		} else {
			code := rand.Text()
			p.codes[code] = [2]string{q.Get("code_challenge"), q.Get("nonce")}
			back.Set("code", code)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case r.URL.Path == "/token":
		p.token(w, r)
	default:
		p.keys.ServeHTTP(w, r)
	}
}

func (p *fakeProvider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	code := r.PostFormValue("code")
	kept, known := p.codes[code]
	delete(p.codes, code)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || id != "xxlwheel" || secret != "client-secret" || base64.RawURLEncoding.EncodeToString(sum[:]) != kept[0] {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	said := map[string]any{"iss": p.url, "aud": "xxlwheel", "exp": time.Now().Add(time.Minute).Unix(), "nonce": kept[1]}
	maps.Copy(said, p.claims)
	text, _ := json.Marshal(said)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": "a", "token_type": "Bearer", "id_token": oidctest.SignIDToken(p.key, p.keyID, oidc.RS256, string(text)),
	})
}

// A browser keeps cookies, and follows no redirect by itself.
type browser struct {
	s *site
	*http.Client
}

func (s *site) browser() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// get returns the status, the body and the address of a redirect.
func (b *browser) get(address string) (status int, body, next string) {
	b.s.t.Helper()
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodGet, address, nil)
	require.NoError(b.s.t, err)
	req.Header.Set("Accept", "text/html")
	resp, err := b.Do(req)
	require.NoError(b.s.t, err)
	defer resp.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	require.NoError(b.s.t, err)
	if at, err := resp.Location(); err == nil {
		next = at.String()
	}
	return resp.StatusCode, text.String(), next
}

// back signs in at the provider and returns the address with which the browser comes back.
func (b *browser) back() string {
	b.s.t.Helper()
	status, body, next := b.get(b.s.url + users.OIDCPath)
	require.Equal(b.s.t, http.StatusSeeOther, status, body)
	status, body, next = b.get(next)
	require.Equal(b.s.t, http.StatusFound, status, body)
	return next
}

// oidcSite returns a server with two groups, the people and a provider, whose value ops gives a
// role for the first group. The changes are made to its options.
func oidcSite(t *testing.T, changes ...func(*Options)) (*site, *fakeProvider, *bytes.Buffer) {
	t.Helper()
	p, logged := newProvider(t), new(bytes.Buffer)
	opts := openid.Options{Issuer: p.url, ClientID: "xxlwheel", ClientSecret: "client-secret", Name: "Work"}
	for _, text := range []string{"ops=operator@shown-app", "root=admin", "gone=admin@gone-app"} {
		rule, err := openid.ParseRule(text)
		require.NoError(t, err)
		opts.Rules = append(opts.Rules, rule)
	}
	provider, err := openid.New(opts)
	require.NoError(t, err)
	s := siteWith(t, func(o *Options) {
		o.Provider, o.Logger = provider, slog.New(slog.NewTextHandler(logged, nil))
		for _, change := range changes {
			change(o)
		}
	})
	s.twoGroups()
	return s, p, logged
}

// me returns what the scheduler says of the browser's user.
func (b *browser) me() string {
	b.s.t.Helper()
	_, body, _ := b.get(b.s.url + "/api/v1/session")
	return body
}

func TestAUserSignsInAtTheProvider(t *testing.T) {
	s, p, _ := oidcSite(t)
	b := s.browser()
	require.Contains(t, b.me(), `"oidc":"Work"`)
	status, body, next := b.get(b.back())
	require.Equal(t, http.StatusSeeOther, status, body)
	require.Equal(t, s.url+"/console/", next)
	require.Contains(t, b.me(), `"kind":"user","name":"ann","grants":[{"jobGroup":1,"role":"operator"}]`)
	audit := s.audit()
	require.Equal(t, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "ann", Address: "127.0.0.1"}, audit[len(audit)-1].Actor)
	require.Equal(t, "GET "+users.OIDCReturn, audit[len(audit)-1].Call)

	// The same user comes back under another name and with another role.
	p.set(func() { p.claims["preferred_username"], p.claims["groups"] = "renamed", "root" })
	again := s.browser()
	again.get(again.back())
	require.Contains(t, again.me(), `"name":"ann","grants":[{"jobGroup":0,"role":"admin"}]`)
	require.Contains(t, b.me(), `"role":"admin"`, "roles are those of the user, in all sessions")
	users, err := s.store.Users(t.Context(), xxladapter.UserFilter{})
	require.NoError(t, err)
	require.Len(t, users, 3)
	require.Equal(t, p.url+" 7", users[2].Subject)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.url+"/api/v1/session", nil)
	require.NoError(t, err)
	resp, err := b.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.NotContains(t, b.me(), "ann", "signed out")
}

// TestANameOfAnotherUserIsNotTakenOver checks that a person who has a name at the provider does not
// become the user of that name here.
func TestANameOfAnotherUserIsNotTakenOver(t *testing.T) {
	s, p, _ := oidcSite(t)
	p.set(func() { p.claims["preferred_username"] = "root" })
	b := s.browser()
	b.get(b.back())
	require.Regexp(t, `"name":"root-[0-9a-f]{8}","grants":\[\{"jobGroup":1,"role":"operator"\}\]`, b.me())
}

// TestAnswersOfAProviderAreNotTrusted lists what does not sign anybody in.
func TestAnswersOfAProviderAreNotTrusted(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(p *fakeProvider)
		answer func(address string) string
		status int
		says   string
	}{
		"another state":           {answer: func(a string) string { return strings.Replace(a, "&state=", "&state=x", 1) }, says: "does not belong to this browser"},
		"no state":                {answer: func(a string) string { return a[:strings.Index(a, "?")] + "?code=x" }, says: "does not belong to this browser"},
		"a code of somebody else": {answer: func(a string) string { return strings.Replace(a, "?code=", "?code=x", 1) }, says: "did not accept the code"},
		"a refusal":               {change: func(p *fakeProvider) { p.denied = true }, says: "access_denied"},
		"a wrong nonce":           {change: func(p *fakeProvider) { p.claims["nonce"] = "another" }, says: "belongs to another sign-in"},
		"no nonce":                {change: func(p *fakeProvider) { p.claims["nonce"] = "" }, says: "belongs to another sign-in"},
		"for another client":      {change: func(p *fakeProvider) { p.claims["aud"] = "another" }, says: "token is not valid"},
		"of another issuer":       {change: func(p *fakeProvider) { p.claims["iss"] = "https://evil.example.org" }, says: "token is not valid"},
		"too old":                 {change: func(p *fakeProvider) { p.claims["exp"] = time.Now().Add(-2 * time.Minute).Unix() }, says: "token is not valid"},
		"a key nobody published":  {change: func(p *fakeProvider) { p.keyID = "unknown" }, says: "token is not valid"},
		"a role for nothing":      {change: func(p *fakeProvider) { p.claims["groups"] = []any{"others", 7} }, status: 403, says: "gives this user no role"},
		"no claim":                {change: func(p *fakeProvider) { delete(p.claims, "groups") }, status: 403, says: "gives this user no role"},
		"a group that is gone":    {change: func(p *fakeProvider) { p.claims["groups"] = "gone" }, status: 403, says: "gives this user no role"},
	} {
		s, p, logged := oidcSite(t)
		if tt.change != nil {
			p.set(func() { tt.change(p) })
		}
		if tt.answer == nil {
			tt.answer = func(a string) string { return a }
		}
		b := s.browser()
		status, body, _ := b.get(tt.answer(b.back()))
		require.Equal(t, max(tt.status, http.StatusUnauthorized), status, "%s: %s", name, body)
		require.Contains(t, body, tt.says, name)
		require.Contains(t, body, `href="../../../../console/"`)
		require.NotContains(t, b.me(), "ann", name)
		require.Contains(t, logged.String(), "sign-in at the provider failed", name)
		users, err := s.store.Users(t.Context(), xxladapter.UserFilter{})
		require.NoError(t, err)
		require.Len(t, users, 2, name)
	}
}

// TestAnAnswerWorksOnceAndInItsBrowser checks answers that were seen by somebody else.
func TestAnAnswerWorksOnceAndInItsBrowser(t *testing.T) {
	s, _, _ := oidcSite(t)
	mine, other := s.browser(), s.browser()
	answer := mine.back()
	status, body, _ := other.get(answer)
	require.Equal(t, http.StatusUnauthorized, status, body)
	other.back()
	status, body, _ = other.get(answer)
	require.Equal(t, http.StatusUnauthorized, status, "an attempt of its own does not help: %s", body)
	status, body, _ = mine.get(answer)
	require.Equal(t, http.StatusSeeOther, status, body)
	status, body, _ = mine.get(answer)
	require.Equal(t, http.StatusUnauthorized, status, "the cookie is gone: %s", body)
}

// TestAReplayedCodeIsRefused brings the same code, with the same cookie, twice.
func TestAReplayedCodeIsRefused(t *testing.T) {
	s, _, _ := oidcSite(t)
	b := s.browser()
	answer := b.back()
	at, err := url.Parse(s.url)
	require.NoError(t, err)
	kept := b.Jar.Cookies(at)
	b.get(answer)
	b.Jar.SetCookies(at, kept)
	status, body, _ := b.get(answer)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, body, "did not accept the code")
}

// TestAUserWithoutARoleIsOut takes the last role of a user away at the provider.
func TestAUserWithoutARoleIsOut(t *testing.T) {
	s, p, _ := oidcSite(t)
	first := s.browser()
	first.get(first.back())
	require.Contains(t, first.me(), "ann")
	p.set(func() { p.claims["groups"] = []string{} })
	b := s.browser()
	status, body, _ := b.get(b.back())
	require.Equal(t, http.StatusForbidden, status, body)
	require.NotContains(t, first.me(), "ann", "earlier sessions end")
}

// TestTheProvidersKeyIsRotated signs in before and after.
func TestTheProvidersKeyIsRotated(t *testing.T) {
	s, p, _ := oidcSite(t)
	for _, key := range []string{"second", "third"} {
		b := s.browser()
		status, body, _ := b.get(b.back())
		require.Equal(t, http.StatusSeeOther, status, body)
		p.rotate(key)
	}
}

// TestClocksMayDiffer checks a token of a provider whose clock is behind.
func TestClocksMayDiffer(t *testing.T) {
	s, p, _ := oidcSite(t)
	p.set(func() { p.claims["exp"] = time.Now().Add(-20 * time.Second).Unix() })
	b := s.browser()
	status, body, _ := b.get(b.back())
	require.Equal(t, http.StatusSeeOther, status, body)
}

// TestTheProviderIsAway checks that the cause is in the log alone, and that passwords still work.
func TestTheProviderIsAway(t *testing.T) {
	s, p, logged := oidcSite(t)
	b := s.browser()
	p.set(func() { p.away = true })
	status, body, _ := b.get(s.url + users.OIDCPath)
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, body, "Work does not answer as it should, sign in by name and password or try again later")
	require.NotContains(t, body, "503", "the cause is for the log")
	require.Contains(t, logged.String(), "503")
	status, body = s.do("GET", users.OIDCPath, "", "")
	require.Equal(t, http.StatusBadGateway, status, "%s: for programs", body)
	require.Contains(t, body, `"code":"unreachable"`)
	status, body, _ = s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"pass of root"}`)
	require.Equal(t, http.StatusOK, status, body)

	p.set(func() { p.away = false })
	answer := b.back()
	p.set(func() { p.away = true })
	status, body, _ = b.get(answer)
	require.Equal(t, http.StatusBadGateway, status, body)

	p.set(func() { p.away, p.noKeys = false, true })
	status, body, _ = b.get(b.back())
	require.Equal(t, http.StatusBadGateway, status, "its token cannot be checked: %s", body)
}

// TestCookiesOfAnEncryptedSignIn checks what binds the browser, and where the provider sends it.
func TestCookiesOfAnEncryptedSignIn(t *testing.T) {
	begin := func(s *site) (*http.Response, *url.URL) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+users.OIDCPath, nil)
		require.NoError(t, err)
		req.Header.Set("X-Forwarded-Proto", "https")
		req.Host = "jobs.example.org"
		resp, err := s.browser().Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		at, err := resp.Location()
		require.NoError(t, err)
		return resp, at
	}
	s, _, _ := oidcSite(t)
	resp, at := begin(s)
	c := resp.Cookies()[0]
	require.Equal(t, "__Host-xxlwheel_oidc", c.Name)
	require.True(t, c.Secure && c.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, c.SameSite)
	require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
	require.Equal(t, "https://jobs.example.org"+users.OIDCReturn, at.Query().Get("redirect_uri"))
	require.Equal(t, "S256", at.Query().Get("code_challenge_method"))
	require.Equal(t, "openid profile email", at.Query().Get("scope"))

	s, _, _ = oidcSite(t, func(o *Options) { o.PublicURL = "https://ops.example.org/xxl/" })
	_, at = begin(s)
	require.Equal(t, "https://ops.example.org/xxl"+users.OIDCReturn, at.Query().Get("redirect_uri"))
}

// TestWithAProviderNothingIsOpen checks a server on loopback without tokens and users.
func TestWithAProviderNothingIsOpen(t *testing.T) {
	p := newProvider(t)
	provider, err := openid.New(openid.Options{Issuer: p.url, ClientID: "xxlwheel", Rules: []openid.Rule{{Value: "ops", Role: xxladapter.RoleAdmin}}})
	require.NoError(t, err)
	for _, with := range []*openid.Provider{nil, provider} {
		s := siteWith(t, func(o *Options) { o.AccessToken, o.Provider = "", with })
		status, body := s.do("GET", "/api/v1/jobs", "", "")
		require.Equal(t, map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized}[with == nil], status, body)
	}
	s := newSite(t)
	for _, path := range []string{users.OIDCPath, users.OIDCReturn} {
		status, body := s.do("GET", path, "", "")
		require.Equal(t, http.StatusNotFound, status, fmt.Sprint(body, " without a provider"))
	}
}

package zitadeltest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// A house is a scheduler and a provider.
type house struct {
	t *testing.T
	*Provider
	url string // of the scheduler
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h.url = "http://" + ln.Addr().String()
	h.Provider = Start(t, h.url+"/api/v1/login/oidc/callback")
	provider, err := openid.New(openid.Options{
		Issuer: h.URL, ClientID: ClientID, ClientSecret: ClientSecret,
		Rules: []openid.Rule{{Value: "ops", Role: xxladapter.RoleAdmin}, {Value: "readers", Role: xxladapter.RoleViewer}},
	})
	require.NoError(t, err)
	n, err := node.New(node.Options{Store: memstore.New(nil), AccessToken: "a token of executors", OIDC: provider, Logger: quiet})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return h
}

// A browser keeps cookies and follows redirects. It does not follow one to a path that ends with
// the text in before; an empty text means that it follows all.
type browser struct {
	h *house
	*http.Client
	before string
}

func (h *house) browser() *browser {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	b := &browser{h: h, Client: &http.Client{Jar: jar}}
	b.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if b.before != "" && strings.HasSuffix(r.URL.Path, b.before) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return b
}

// answer reads an answer. next is the address of a redirect that was not followed.
func (b *browser) answer(resp *http.Response, err error) (status int, body, next string) {
	b.h.t.Helper()
	require.NoError(b.h.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(b.h.t, err)
	if at, err := resp.Location(); err == nil {
		next = at.String()
	}
	return resp.StatusCode, string(text), next
}

// signIn goes to the provider, types name and password there, and follows the way back.
func (b *browser) signIn() (status int, body, next string) {
	b.h.t.Helper()
	resp, err := b.Get(b.h.url + "/api/v1/login/oidc")
	require.NoError(b.h.t, err)
	form := url.Values{"username": {UserName}, "password": {Password}, "id": {resp.Request.URL.Query().Get("authRequestID")}}
	require.NoError(b.h.t, resp.Body.Close())
	require.NotEmpty(b.h.t, form.Get("id"), "%s", resp.Request.URL)
	return b.answer(b.PostForm(b.h.URL+"/login/username", form))
}

// me returns what the scheduler says about the browser's user.
func (b *browser) me() string {
	b.h.t.Helper()
	_, body, _ := b.answer(b.Get(b.h.url + "/api/v1/session"))
	return body
}

const signedIn = `"kind":"user","name":"test-user2","grants":[{"jobGroup":0,"role":"admin"}]`

func TestSigningIn(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.before = "/console/"
	status, body, next := b.signIn()
	require.Equal(t, http.StatusSeeOther, status, body)
	require.Equal(t, h.url+"/console/", next)
	require.Contains(t, b.me(), signedIn)

	// Roles follow the claim, which Zitadel gives in its answer about the user.
	h.keeper.set(func() { h.keeper.groups = []string{"ops", "readers"} })
	again := h.browser()
	again.before = "/console/"
	again.signIn()
	require.Contains(t, again.me(), signedIn, "the greater role of two")
}

func TestWhatIsRefused(t *testing.T) {
	h := newHouse(t)
	mine := h.browser()
	mine.before = "/login/oidc/callback"
	status, body, answer := mine.signIn()
	require.Equal(t, http.StatusFound, status, body)

	other := h.browser()
	status, body, _ = other.answer(other.Get(answer))
	require.Equal(t, http.StatusUnauthorized, status, "another browser: %s", body)
	status, body, _ = mine.answer(mine.Get(strings.Replace(answer, "state=", "state=x", 1)))
	require.Equal(t, http.StatusUnauthorized, status, "a foreign state: %s", body)
	status, body, _ = mine.answer(mine.Get(strings.Replace(answer, "code=", "code=x", 1)))
	require.Equal(t, http.StatusUnauthorized, status, "a foreign code: %s", body)

	at, err := url.Parse(h.url)
	require.NoError(t, err)
	kept := mine.Jar.Cookies(at)
	mine.before = "/console/"
	status, body, _ = mine.answer(mine.Get(answer))
	require.Equal(t, http.StatusSeeOther, status, body)
	require.Contains(t, mine.me(), signedIn)
	mine.Jar.SetCookies(at, kept)
	status, body, _ = mine.answer(mine.Get(answer))
	require.Equal(t, http.StatusUnauthorized, status, "a replayed code: %s", body)

	// The nonce of the cookie differs from the one that the provider got.
	b := h.browser()
	b.before = "/login/oidc/callback"
	_, _, answer = b.signIn()
	for _, c := range b.Jar.Cookies(at) {
		attempt := openid.ParseAttempt(c.Value)
		attempt.Nonce = "another"
		b.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: attempt.Text(), Path: "/"}})
	}
	status, body, _ = b.answer(b.Get(answer))
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, body, "belongs to another sign-in")

	h.keeper.set(func() { h.keeper.groups = []string{"unknown"} })
	b = h.browser()
	status, body, _ = b.signIn()
	require.Equal(t, http.StatusForbidden, status, body)
	require.Contains(t, body, "gives this user no role")
}

func TestADisabledUserDoesNotComeBack(t *testing.T) {
	h := newHouse(t)
	h.keeper.set(func() { h.keeper.disabled = true })
	b := h.browser()
	_, body, _ := b.signIn()
	require.Contains(t, body, "the user is disabled", "the provider says so")
	require.NotContains(t, b.me(), "test-user2")
}

func TestTheKeyIsRotated(t *testing.T) {
	h := newHouse(t)
	for _, id := range []string{"second", "third"} {
		b := h.browser()
		b.before = "/console/"
		status, body, _ := b.signIn()
		require.Equal(t, http.StatusSeeOther, status, body)
		require.Contains(t, b.me(), signedIn)
		next := newKey(t, id)
		h.keeper.set(func() { h.keeper.key = next })
	}
}

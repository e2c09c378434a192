package browser

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid/zitadeltest"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// The button of sign-in leads to a provider of OpenID Connect, and from there back to the console.
func TestSigningInAtAProvider(t *testing.T) {
	t.Parallel()
	var provider *zitadeltest.Provider
	s := startSite(t, "a-secret-of-executors", loopback, func(o *node.Options, url string) {
		provider = zitadeltest.Start(t, url+"/api/v1/login/oidc/callback")
		var err error
		o.OIDC, err = openid.New(openid.Options{
			Issuer: provider.URL, ClientID: zitadeltest.ClientID, ClientSecret: zitadeltest.ClientSecret, Name: "Example Works",
			Rules: []openid.Rule{{Value: "ops", Role: xxladapter.RoleOperator, App: siteApp}, {Value: "ops", Role: xxladapter.RoleViewer}},
		})
		require.NoError(t, err)
	})
	job := s.job(s.group("Orders"), "settle orders", nil)
	s.user("wang.fang", 0, "admin") // the first user has to be an administrator
	tab := s.open("jobs")
	tab.allowed = append(tab.allowed, "401 (Unauthorized)", "request to another host: "+provider.URL+"/")
	tab.allowed = append(tab.allowed, "favicon.ico") // which the provider's page lacks
	tab.until("sign-in is asked for", `document.querySelector("dialog[open]")`)
	tab.sees("Sign in with Example Works")
	tab.accessible("login-oidc")
	tab.picture("login-oidc")
	tab.click("Sign in with Example Works")
	tab.until("the provider asks", `location.origin === "`+provider.URL+`" && document.querySelector("input[name=password]")`)
	tab.typeIn("Username:", zitadeltest.UserName)
	tab.typeIn("Password:", zitadeltest.Password)
	tab.click("Login")
	tab.until("the console again", `location.origin === "`+s.url+`" && document.querySelector(".who")?.innerText === "`+zitadeltest.UserName+`"`)
	var address string
	tab.eval(`location.href + document.referrer + document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage)`, &address)
	require.NotContains(t, address, "code=")
	require.NotContains(t, address, "session")
	tab.visit("jobs")
	tab.click("Run settle orders now")
	tab.click("Run now")
	tab.sees("settle orders was triggered")
	testserver.Eventually(s.t, 30*time.Second, "the audit names who ran it", func() bool {
		var list struct {
			Rows []struct{ Actor struct{ Name string } }
		}
		s.call("GET", fmt.Sprintf("/audit?newest&job=%d", job), nil, &list)
		return len(list.Rows) > 0 && list.Rows[0].Actor.Name == zitadeltest.UserName
	})
	tab.visit("me")
	tab.sees("Operator · Orders")
	tab.click("Sign out")
	tab.until("sign-in is asked for again", `document.querySelector("dialog[open]")`)
}

// A user who comes back from a provider without being signed in sees why, in a language of the
// browser.
func TestARefusedSignIn(t *testing.T) {
	t.Parallel()
	s := startSite(t, "a-secret-of-executors", loopback, func(o *node.Options, url string) {
		provider := zitadeltest.Start(t, url+"/api/v1/login/oidc/callback")
		var err error
		o.OIDC, err = openid.New(openid.Options{
			Issuer: provider.URL, ClientID: zitadeltest.ClientID, ClientSecret: zitadeltest.ClientSecret, Name: "Example Works",
			Rules: []openid.Rule{{Value: "ops", Role: xxladapter.RoleViewer}},
		})
		require.NoError(t, err)
	})
	s.user("wang.fang", 0, "admin")
	tab := s.open("help")
	tab.allowed = append(tab.allowed, "401 (Unauthorized)", "favicon.ico")
	for _, c := range []struct{ languages, title, why, back, theme string }{
		{"en-GB", "You are not signed in", "Example Works did not sign the user in: the answer does not belong to this browser", "Back to the console", "light"}, {"fr, zh-CN;q=0.8", "登录失败", "Example Works 未能登录该用户：该应答不属于此浏览器", "返回控制台", "dark"},
	} {
		tab.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err1 := cdp.Call(ctx, target, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": c.languages}})
			_, err2 := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.theme}}})
			return errors.Join(err1, err2)
		}))
		tab.do(chromedp.Navigate(s.url + "/api/v1/login/oidc/callback?error=access_denied&state=x"))
		tab.sees(c.title)
		tab.sees(c.why)
		tab.until("the style holds", `getComputedStyle(document.querySelector("main")).maxWidth === "420px"`)
		tab.fits("refused")
		tab.accessible("refused-" + c.theme)
		tab.picture("refused-" + c.theme)
		tab.click(c.back)
		tab.until("the console", `location.pathname.startsWith("/console/")`)
	}
}

package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFailureIsTold checks that a call which the scheduler refuses or does not receive is reported
// inside the window, in the language of the page, and looks unlike a success. The page does not
// show the call as done.
func TestAFailureIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.job(group, "settle orders", nil)
	cut := s.job(group, "collect payments", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "3600"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", cut), nil, nil)
	target, err := url.Parse(s.url)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == fmt.Sprintf("/api/v1/jobs/%d/stop", cut) {
			panic(http.ErrAbortHandler) // the connection is cut
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close) // after the tab
	behind := *s
	behind.url = front.URL
	tab := behind.open("jobs")
	tab.allowed = append(tab.allowed, "400 (Bad Request)", "net::ERR_")
	const told = `((e) => ({
		Text: e.querySelector(".toast-text").innerText,
		Fits: ((b) => b.left >= 0 && b.right <= innerWidth && b.top >= 0 && b.bottom <= innerHeight)(e.getBoundingClientRect()) && e.scrollWidth <= e.clientWidth,
		Red: getComputedStyle(e.querySelector(".icon")).color === ((x) => { x.className = "status is-fail"; document.body.append(x); const c = getComputedStyle(x).color; x.remove(); return c; })(document.createElement("i")),
		Spoken: !!e.closest("[role=status]"),
	}))(document.querySelector(".toast.is-failed"))`
	type notice struct {
		Text              string
		Fits, Red, Spoken bool
	}
	for _, view := range []struct {
		lang, theme, action, text string
		width                     int64
	}{
		{"en", "light", "Schedule of settle orders", "scheduleType is NONE, must be another type for the job to be started", 1440},
		{"en", "dark", "Schedule of collect payments", "The scheduler does not answer", 390},
		{"zh-CN", "light", "collect payments 的调度开关", "调度中心无响应", 1440},
		{"zh-CN", "dark", "settle orders 的调度开关", "调度类型为 NONE 的任务不能启动，请先选择其他类型", 390},
	} {
		tab.look(view.lang, view.theme, view.width)
		tab.click(view.action)
		tab.until("it is told", `document.querySelector(".toast.is-failed")`)
		var is notice
		tab.eval(told, &is)
		require.Equal(t, notice{view.text, true, true, true}, is, view.lang)
		tab.until("the switches stay as they were", `[...document.querySelectorAll("tbody .switch")].map((e) => e.getAttribute("aria-checked")).join() === "false,true"`)
		where := fmt.Sprintf("failure-%s-%s-%d", view.lang, view.theme, view.width)
		tab.accessible(where)
		tab.picture(where)
		tab.eval(`document.querySelector(".toast button").click()`, nil)
		tab.until("it is closed", `!document.querySelector(".toast")`)
	}
}

// TestADamagedAddressLeavesTheRest opens addresses that no page can read. The page says so, and the
// others can still be opened.
func TestADamagedAddressLeavesTheRest(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open("jobs")
	for _, damaged := range []string{"jobs?after=[", "jobs/%E0"} {
		tab.visit(damaged)
		tab.until("it is told", `document.querySelector("h1")?.innerText === "This did not work" && document.querySelector(".empty-title").innerText.includes("Error")`)
		tab.eval(`document.querySelector('nav a[href$="/jobs"]').click()`, nil)
		tab.until("the list is shown", `[...document.querySelectorAll("tbody a")].some((e) => e.innerText === "settle orders")`)
	}
}

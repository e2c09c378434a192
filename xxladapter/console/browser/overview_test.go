package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// The overview names jobs that fail in a row, groups without an executor and jobs that have never
// fired, and leads to what explains them. A job that failed once is not among them.
func TestTheOverviewNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	broken := s.job(group, "collect payments", map[string]any{"executorHandler": "fail"})
	var newest int64
	for range 3 {
		newest = s.run(broken, "")
		s.ended(newest)
	}
	s.ended(s.run(s.job(group, "failed once", map[string]any{"executorHandler": "fail"}), ""))
	var idle struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reports", "title": "Reports"}, &idle)
	never := s.job(idle.ID, "close the year", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 1 1 ? 2099"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", never), nil, nil)

	tab := s.open("")
	for _, entry := range []struct{ path, name, text string }{
		{fmt.Sprintf("runs/%d", newest), "collect payments", "Failed 3 times in a row."},
		{fmt.Sprintf("executors/%d", idle.ID), "Reports", "no executor is registered"},
		{fmt.Sprintf("jobs/%d/why", never), "close the year", "Never fired"},
	} {
		tab.until(entry.text, fmt.Sprintf(`[...document.querySelectorAll("[aria-label='Needs attention'] li")].some((e) => e.querySelector("a").getAttribute("href") === "/console/%s" && e.innerText.includes(%q) && e.innerText.includes(%q))`, entry.path, entry.name, entry.text))
	}
	tab.until("no run is counted yet, which is not none", `[...document.querySelectorAll(".figure")].some((e) => e.innerText.includes("Succeeded, 24 h") && e.innerText.includes("–"))`)
	tab.until("nothing else needs attention", `document.querySelectorAll("[aria-label='Needs attention'] li").length === 3`)
	tab.until("the next fire is there", `document.querySelector("[aria-label='Next fires'] li").innerText.includes("close the year")`)
	tab.accessible("overview-attention")
	tab.picture("overview-attention")
	tab.click("collect payments")
	tab.until("it leads to the newest failure", fmt.Sprintf(`document.querySelector("h1").innerText === "Run %d"`, newest))
}

// A due time that passes while nobody plans is named on the overview and in the list of jobs, in
// both languages, and each of the two leads to the reasons. A due time to come is not named.
func TestAJobIsOverdue(t *testing.T) {
	t.Parallel()
	var memory electtest.Memory
	_, err := memory.Elector().Campaign(t.Context(), nil) // so that the scheduler never leads
	require.NoError(t, err)
	s := startSite(t, "", loopback, func(o *node.Options, url string) {
		o.Scheduling, o.Elector, o.Advertise = xxladapter.SchedulingLeader, memory.Elector(), url
	})
	group := s.group("Orders")
	late := s.job(group, "settle orders", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "3600"})
	s.startAt(late, time.Now().Add(-time.Minute))
	s.call("POST", fmt.Sprintf("/jobs/%d/start", s.job(group, "close the year", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 1 1 ?"})), nil, nil)

	tab := s.open("")
	why := fmt.Sprintf("/console/jobs/%d/why", late)
	tab.until("the overview names it", fmt.Sprintf(`[...document.querySelectorAll("[aria-label='Needs attention'] li")].some((e) => e.querySelector("a").getAttribute("href") === %q && e.innerText.includes("Its due time has passed and it has not fired."))`, why))
	tab.until("it names it once, although it has never fired", `document.querySelectorAll("[aria-label='Needs attention'] li").length === 2`)
	tab.visit("jobs")
	const cell = `[...document.querySelectorAll("tbody tr")].map((r) => r.querySelector("td:nth-last-child(3)"))`
	tab.until("the list names it, and no other job", cell+`.map((e) => e.innerText.trim() === "Overdue").join() === "true,false"`)
	tab.until("the other one has its time", cell+`[1].querySelector("time")`)
	tab.look("zh-CN", "dark", 1440)
	tab.until("in Chinese too", cell+`[0].innerText.trim() === "逾期未触发"`)
	tab.look("en", "light", 1440)
	tab.accessible("jobs-overdue")
	tab.picture("jobs-overdue")
	tab.click("Overdue")
	tab.until("it leads to the reasons", fmt.Sprintf(`location.pathname === %q`, why))
}

// Each panel of the overview says that its call failed, and none keeps its loading lines.
func TestTheOverviewFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	target, err := url.Parse(s.url)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/overview") || strings.HasSuffix(r.URL.Path, "/stats") {
			http.Error(w, `{"code":"internal","message":"the disk is full","messageZh":"磁盘已满"}`, http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close) // after the tab
	behind := *s
	behind.url = front.URL
	tab := behind.open("help")
	tab.allowed = append(tab.allowed, "500 (Internal Server Error)")
	tab.visit("")
	for _, panel := range []string{"Results", "Needs attention", "Next fires"} {
		tab.until(panel+" says it", fmt.Sprintf(`document.querySelector("[aria-label='%s'] .is-failure")?.innerText.includes("the disk is full")`, panel))
	}
	tab.accessible("overview-failed")
	tab.picture("overview-failed")
}

// answers makes the page take a JavaScript expression for the answer to each call of a path; q has
// the query.
func (t *tab) answers(path, expression string) {
	t.t.Helper()
	t.eval(fmt.Sprintf(`(((real) => window.fetch = (to, how) => {
		const { pathname, searchParams: q } = new URL(to);
		const answer = pathname.endsWith(%q) && (%s);
		return answer ? Promise.resolve(Response.json(answer)) : real(to, how);
	})(window.fetch), true)`, path, expression), nil)
}

// firstBar, lastBar and lastRow are JavaScript expressions of what the first and the last bar of
// the chart say, and the last row of the table with the same figures.
const (
	firstBar = `document.querySelector(".chart title").textContent`
	lastBar  = `[...document.querySelectorAll(".chart title")].at(-1).textContent`
	lastRow  = `[...document.querySelectorAll("figure table tr")].at(-1).textContent`
)

// If more runs are running than the overview asks for, it says so in each hour that may have them.
func TestTheOverviewOfManyRunningRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	tab := s.open("help")
	tab.answers("/runs", `q.get("status") === "RUNNING" && { next: 1, runs: Array.from({ length: 100 }, (_, i) => ({ id: 101 - i, triggerTime: new Date().toISOString() })) }`)
	tab.click("Overview")
	tab.until("the bar says it", lastBar+`.endsWith("Running 100+")`)
	tab.until("and so does the table", lastRow+`.endsWith("100+")`)
	tab.until("there may be some in the first hour", firstBar+`.endsWith("Running 0+")`)
	tab.click("7 d")
	tab.until("a bar for each day", `document.querySelectorAll(".chart title").length === 7`)
	tab.until("nothing is said of running runs", `[...document.querySelectorAll("figure th[scope=col]")].map((e) => e.textContent).join() === "Time,Succeeded,Failed"`)
}

// Where a day begins at half past an hour of UTC, the hour in which it begins belongs to it.
func TestDaysOfTheOverviewInIndia(t *testing.T) {
	t.Parallel()
	india, err := time.LoadLocation("Asia/Kolkata")
	require.NoError(t, err)
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = india })
	tab := s.open("help")
	tab.answers("/stats", `((hour) => ({ stats: [{ hour: new Date(hour).toISOString(), runs: 3, success: 2 }] }))(Math.floor(Date.parse(q.get("from")) / 3600e3) * 3600e3)`)
	tab.click("Overview")
	tab.click("7 d")
	first := time.Now().In(india).AddDate(0, 0, -6).Format("2006-01-02")
	tab.until("the first day has its first hour", fmt.Sprintf(firstBar+` === %q`, first+"\nSucceeded 2\nFailed 1"))
}

// Pages give the browser only times in the formats that JavaScript defines. Browsers may refuse
// others.
func TestDaysInABrowserThatReadsOnlyDefinedTimes(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	tab := s.open("help")
	tab.eval(`(((real) => Date.parse = (text) => /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text) ? real(text) : NaN)(Date.parse), true)`, nil)
	tab.click("Overview")
	tab.click("7 d")
	tab.until("a bar for each day", `new Set([...document.querySelectorAll(".chart title")].map((e) => e.textContent.slice(0, 10))).size === 7`)
}

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A job is made from nothing: errors stand beside their fields, the dry run shows what the schedule
// will do, a change shows its differences, and a fire appears without a reload of the page.
func TestAJobFromNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	tab := s.open("jobs")
	tab.sees("No jobs yet")
	tab.click("New job")
	tab.sees("Dry run")
	tab.allowed = append(tab.allowed, "400 (Bad Request)") // the browser writes down each refused call

	tab.typeIn("Name", "settle orders")
	tab.click("Create")
	tab.until("the error is beside its field", `document.activeElement.name === "author" && document.activeElement.matches("[aria-invalid=true]")`)
	const beside = `document.querySelector("input[name=%s]").closest(".field").querySelector(".field-error")?.innerText.startsWith("%[1]s is empty")`
	tab.until("the other one too", fmt.Sprintf(beside, "author")+"&&"+fmt.Sprintf(beside, "executorHandler"))
	tab.until("neither has both", `![...document.querySelectorAll(".field-error")].some((e) => e.innerText.includes(";"))`)
	tab.typeIn("Owner", "wang.fang")
	tab.typeIn("Handler", "greet")
	tab.typeIn("Schedule", "0 0 2 31 2 ?")
	tab.until("the dry run names what is wrong or never fires", `/must|never/i.test(document.querySelector(".preview").innerText)`)
	tab.typeIn("Schedule", "0 30 9 ? * MON-FRI")
	tab.sees("09:30:00")
	tab.until("the dry run has a calendar", `document.querySelectorAll(".calendar .level-1").length > 200`)
	tab.choose("Schedule type", "FIX_RATE")
	tab.typeIn("Schedule", "1")
	tab.click("Create")
	tab.sees("settle orders was created. It is off.")
	tab.sees("It has not run yet")

	tab.click("Schedule of settle orders")
	tab.until("a fire is seen", `document.querySelectorAll("main .is-success.status").length > 1`)

	tab.click("Edit")
	tab.sees("Edit settle orders")
	tab.typeIn("Retries", "2")
	tab.click("Review changes")
	tab.until("the difference is shown", `document.querySelector("dialog .diff")?.innerText.replace(/\s+/g, " ").includes("Retries 0 2")`)
	tab.click("Save")
	tab.sees("settle orders was saved")
	tab.click("Changes")
	tab.until("the change is in the audit", `document.querySelector(".audit-changes")?.innerText.includes("Retries")`)
	var job struct{ ExecutorFailRetryCount int }
	s.call("GET", "/jobs/1", nil, &job)
	require.Equal(t, 2, job.ExecutorFailRetryCount)
}

// A run is started from the list, its log grows while it is watched, and it is killed.
func TestARunIsWatchedAndKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "count things", map[string]any{"executorHandler": "count"})
	tab := s.open("jobs")
	tab.click("Run count things now")
	tab.typeIn("Parameter", "from the page")
	tab.click("Run now")
	tab.sees("count things was triggered")
	tab.visit(fmt.Sprintf("jobs/%d/runs", job))
	tab.until("the run is listed", `document.querySelector("tbody a.row-link")`)
	tab.eval(`document.querySelector("tbody a.row-link").click()`, nil)
	const lines = `Number(document.querySelector(".log")?.dataset.lines)`
	tab.until("lines appear", lines+" > 5")
	var before, after int
	tab.eval(lines, &before)
	tab.until("more lines appear", fmt.Sprintf("%s > %d", lines, before))
	tab.eval(lines, &after)
	require.Greater(t, after, before)
	tab.typeIn("Search in the log", "number=3")
	tab.until("only lines that match are shown", `[...document.querySelectorAll(".log-line")].every((l) => l.innerText.includes("number=3"))`)
	tab.click("Kill")
	tab.sees("Kill this run?")
	tab.click("Kill")
	tab.until("the run has failed", `document.querySelector(".page-title .is-fail.status")`)
	tab.sees("Why it failed")
	tab.click("Run again")
	tab.sees("Run 1 was repeated")
	var order struct{ LogIDs []int64 }
	testserver.Eventually(s.t, 30*time.Second, "the run was repeated", func() bool {
		s.call("GET", "/orders/2", nil, &order)
		return len(order.LogIDs) == 1
	})
	again := order.LogIDs[0]
	tab.visit("runs")
	tab.click(fmt.Sprintf("Kill run %d", again))
	tab.sees("Kill this run?")
	tab.sees("count things is stopped on")
	tab.click("Kill")
	s.ended(again)
	tab.until("the list shows its end, and offers nothing more", `!document.querySelector("[aria-label^='Kill run']")`)
}

// Whatever users and executors write stays text.
func TestPayloadsStayText(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	payload := `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>{{7*7}}<br>javascript:alert(1)`
	group := s.group("Orders " + payload[:40])
	job := s.job(group, "name "+payload, map[string]any{"author": payload[:60], "executorHandler": "echo", "executorParam": payload})
	run := s.run(job, payload)
	s.ended(run)
	tab := s.open("")
	for _, path := range []string{"", "jobs", fmt.Sprintf("jobs/%d", job), fmt.Sprintf("jobs/%d/edit", job), fmt.Sprintf("jobs/new?copy=%d", job), "runs", fmt.Sprintf("runs/%d", run), "executors", "executors/1", "jobs?name=" + url.QueryEscape(payload)} {
		tab.visit(path)
		var title string
		tab.eval("document.title", &title)
		require.NotEqual(t, "owned", title, path)
		var injected int
		tab.eval(`document.querySelectorAll("main img, main script, body > script, [onerror]").length`, &injected)
		require.Zero(t, injected, path)
	}
	tab.visit(fmt.Sprintf("runs/%d", run))
	tab.sees("<script>document.title='owned'</script>")
	tab.sees("{{7*7}}")
}

// Sign-in opens above the page: what was typed before is kept, and the token is not in the address.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.group("Orders")
	tab := s.signIn("jobs/new")
	tab.allowed = append(tab.allowed, "401 (Unauthorized)")
	tab.sees("Dry run")
	tab.typeIn("Name", "typed before")
	tab.eval(`sessionStorage.removeItem("xxlwheel.token")`, nil)
	tab.click("Sign out")
	tab.until("sign-in is asked for", `document.querySelector("dialog[open]")`)
	tab.accessible("login")
	tab.picture("login")
	tab.click("With a token")
	tab.typeIn("Access token", "wrong")
	tab.press(kb.Enter)
	tab.sees("This token is not accepted.")
	tab.typeIn("Access token", s.token)
	tab.press(kb.Enter)
	tab.until("sign-in is gone", `!document.querySelector("dialog[open]")`)
	var name string
	tab.eval(`document.querySelector("input[name=name]").value`, &name)
	require.Equal(t, "typed before", name)

	fresh := s.signIn("jobs")
	fresh.sees("No jobs yet")
	var at string
	fresh.eval("location.href", &at)
	require.NotContains(t, at, s.token)
}

// A user signs in by name and password; the session is a cookie that no script sees.
func TestAUserSignsIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	s.call("POST", "/users", map[string]any{"name": "li.na", "password": "correct horse", "grants": []any{map[string]any{"jobGroup": 0, "role": "admin"}}}, nil)
	tab := s.open("jobs?name=kept")
	tab.allowed = append(tab.allowed, "401 (Unauthorized)")
	tab.until("sign-in is asked for", `document.querySelector("dialog[open]")`)
	tab.accessible("login")
	tab.picture("login-user")
	tab.typeIn("Name", "li.na")
	tab.typeIn("Password", "wrong password")
	tab.press(kb.Enter)
	tab.sees("Name or password is wrong.")
	tab.typeIn("Password", "correct horse")
	tab.press(kb.Enter)
	tab.until("sign-in is gone", `!document.querySelector("dialog[open]")`)
	tab.sees("Nothing matches")
	tab.sees("li.na")
	var seen string
	tab.eval(`document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage)`, &seen)
	require.NotContains(t, seen, "session")
	require.NotContains(t, seen, "horse")
	tab.visit("jobs")
	tab.sees("No jobs yet")
	tab.click("Sign out")
	tab.until("sign-in is asked for again", `document.querySelector("dialog[open]")`)
	tab.visit("jobs")
	tab.until("and after a reload", `document.querySelector("dialog[open]")`)
}

// The one-time link of the first start creates the first user, and its token is removed from the
// address.
func TestTheFirstUser(t *testing.T) {
	t.Parallel()
	s := newReachableSite(t, "a-secret-of-executors")
	require.NotEmpty(t, s.setup)
	tab := s.open(strings.TrimPrefix(s.setup, "/console/"))
	tab.allowed = append(tab.allowed, "401 (Unauthorized)", "400 (Bad Request)")
	tab.sees("Create the first user")
	var at string
	tab.eval("location.href", &at)
	require.NotContains(t, at, "token")
	tab.accessible("setup")
	tab.picture("setup")
	tab.typeIn("Name", "admin")
	tab.typeIn("Password", "short")
	tab.typeIn("Password again", "short")
	tab.press(kb.Enter)
	tab.until("the rule stands beside the field", `document.querySelector(".field-error")?.innerText.includes("8")`)
	tab.typeIn("Password", "long enough")
	tab.typeIn("Password again", "long enough")
	tab.press(kb.Enter)
	tab.sees("Needs attention")
	tab.until("the user is named", `document.querySelector(".who")?.innerText === "admin"`)
}

// The main tasks need no mouse.
func TestWithoutAMouse(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	for _, name := range []string{"first", "second", "third"} {
		s.job(group, name, nil)
	}
	tab := s.open("jobs")
	tab.press("j")
	tab.press("j")
	tab.press("k")
	tab.press("j")
	tab.until("the second row has the focus", `document.activeElement.innerText === "second"`)
	tab.press("r")
	tab.until("run now is open", `document.querySelector("dialog[open] h2")?.innerText.includes("second")`)
	tab.press(kb.Escape)
	tab.until("the focus is back in the row", `!document.querySelector("dialog[open]") && document.activeElement.closest("tr")?.dataset.id === "2"`)
	tab.eval(`document.querySelectorAll("a.row-link")[1].focus()`, nil)
	tab.press(kb.Enter)
	tab.until("the job is open", `document.querySelector("h1").innerText === "second"`)
	tab.visit("jobs")
	tab.press("/")
	tab.until("the search has the focus", `document.activeElement.type === "search"`)
	tab.typeIn("Search", "ir") // chromedp types the slash in spite of preventDefault
	tab.rowsAre("first", "third")
	tab.eval(`document.activeElement.blur()`, nil)
	tab.press("j")
	tab.press("l")
	tab.until("the runs of the job are open", `location.pathname.endsWith("/runs") && location.search === "?job=1"`)
	tab.visit("jobs/2")
	tab.press("e")
	tab.until("the form is open", `location.pathname.endsWith("/jobs/2/edit") && document.querySelector("input[name=name]")?.value === "second"`)

	tab.visit("")
	tab.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	tab.until("the palette is open", `document.activeElement.getAttribute("role") === "combobox"`)
	tab.accessible("palette")
	tab.press("thi")
	tab.until("the job is found", `[...document.querySelectorAll("[role=option]")].some((o) => o.innerText.includes("third"))`)
	tab.press(kb.Enter)
	tab.until("it is opened", `document.querySelector("h1").innerText === "third"`)
	tab.press("?")
	tab.until("the keys are listed", `document.querySelector("dialog[open] kbd")`)
	tab.accessible("keys")

	tab.tick("Keys act alone, without Ctrl")
	tab.press(kb.Escape)
	tab.until("the keys are closed", `!document.querySelector("dialog[open]")`)
	tab.visit("jobs") // which loads the page again
	tab.press("?")
	tab.press("/")
	tab.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	tab.until("only the key with Ctrl acts", `document.activeElement.getAttribute("role") === "combobox" && document.querySelectorAll("dialog[open]").length === 1`)
	tab.press(kb.Escape)
	tab.click("Keyboard shortcuts")
	tab.tick("Keys act alone, without Ctrl")
	tab.press(kb.Escape)
	tab.press("?")
	tab.until("the keys are listed again", `document.querySelector("dialog[open] kbd")`)
}

// A screen reader finds a name for every control.
func TestNamesInTheAccessibilityTree(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := populate(s)
	tab := s.open("help")
	used := []string{"button", "link", "textbox", "searchbox", "checkbox", "combobox", "switch", "tab", "table", "img", "dialog", "spinbutton"}
	for _, path := range []string{"", "jobs", fmt.Sprintf("jobs/%d", p.job), fmt.Sprintf("jobs/%d/edit", p.job), fmt.Sprintf("jobs/%d/timeline", p.job), "runs", fmt.Sprintf("runs/%d", p.failed), "forecast", "graph", "executors", "nodes", "audit", "users", "settings", "transfer"} {
		tab.visit(path)
		names := tab.named(used)
		require.NotEmpty(t, names["link"], path)
		for role, all := range names {
			require.NotContains(t, all, "", "%s: a %s without a name", path, role)
		}
		if path == "jobs" {
			require.Contains(t, names["table"], "Jobs")
			require.Contains(t, names["button"], "Run settle outstanding orders now")
			require.Contains(t, names["switch"], "Schedule of settle outstanding orders")
			require.Contains(t, names["searchbox"], "Search")
		}
	}
}

// named returns the names of all elements with one of the roles, from the browser's accessibility
// tree.
func (t *tab) named(roles []string) map[string][]string {
	t.t.Helper()
	found := map[string][]string{}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal([]byte(v.Value), &s) // no text if it has none
		}
		return s
	}
	t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		tree, err := cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		for _, n := range tree.Nodes {
			if role := text(n.Role); !n.Ignored && slices.Contains(roles, role) {
				found[role] = append(found[role], text(n.Name))
			}
		}
		return err
	}))
	return found
}

// A list's filters are in its address, so that reload and back keep them.
func TestFiltersAreInTheAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	for i := range 110 {
		s.job(group, fmt.Sprintf("job %03d", i), nil)
	}
	tab := s.open("jobs")
	tab.until("a page of rows", `document.querySelectorAll("tbody tr").length === 100`)
	tab.sees("1 to 100")
	tab.click("Next")
	tab.until("the second page", `document.querySelectorAll("tbody tr").length === 10`)
	tab.eval("location.reload()", nil)
	tab.settled()
	tab.until("the second page after a reload", `document.querySelectorAll("tbody tr").length === 10`)
	tab.click("Job")
	tab.until("by name", `location.search.includes("sort=NAME") && document.querySelector("tbody a").innerText === "job 000"`)
	tab.click("Job")
	tab.until("by name, down", `document.querySelector("tbody a").innerText === "job 109"`)
	tab.typeIn("Search", "job 01")
	tab.until("ten match", `document.querySelectorAll("tbody tr").length === 10 && location.search.includes("name=job+01")`)
	tab.click("On")
	tab.sees("Nothing matches")
	tab.click("Clear filters")
	tab.until("all again", `document.querySelectorAll("tbody tr").length === 100`)
}

// TestTheSchedulerIsGoneAndBack checks that the page reports that the scheduler does not answer,
// keeps what it showed, and continues when the scheduler is back.
func TestTheSchedulerIsGoneAndBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.job(s.group("Orders"), "still here", nil)
	target, err := url.Parse(s.url)
	require.NoError(t, err)
	down := make(chan bool, 1)
	down <- false
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		is := <-down
		down <- is
		if is {
			panic(http.ErrAbortHandler) // the connection is cut
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close) // after the tab
	behind := *s
	behind.url = front.URL
	tab := behind.open("jobs")
	tab.allowed = append(tab.allowed, "net::ERR_")
	tab.sees("still here")
	<-down
	down <- true
	tab.sees("The scheduler does not answer")
	tab.sees("What is shown is what the scheduler said last")
	tab.sees("still here")
	tab.accessible("offline")
	<-down
	down <- false
	tab.until("the notice is gone", `!document.body.innerText.includes("does not answer")`)
}

// Old paths lead to the pages of the same purpose, below any prefix that a proxy removes.
func TestOldPathsAndAPrefix(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "found by its old path", nil)
	run := s.run(job, "")
	s.ended(run)
	target, err := url.Parse(s.url)
	require.NoError(t, err)
	front := httptest.NewServer(http.StripPrefix("/ops/xxl", httputil.NewSingleHostReverseProxy(target)))
	t.Cleanup(front.Close) // after the tab
	behind := *s
	behind.url = front.URL + "/ops/xxl"
	tab := behind.open("")
	for path, want := range map[string]string{
		"": "/ops/xxl/console/", "xxl-job-admin/jobinfo": "/ops/xxl/console/jobs", "joblog?jobId=1": "/ops/xxl/console/runs?job=1",
		"xxl-job-admin/joblog/logDetailPage?id=" + fmt.Sprint(run): fmt.Sprintf("/ops/xxl/console/runs/%d", run),
	} {
		tab.visit("../" + path)
		var at string
		tab.eval("location.pathname + location.search", &at)
		require.Equal(t, want, at, path)
	}
	tab.visit("jobs")
	tab.click("found by its old path")
	tab.until("links inside have the prefix", fmt.Sprintf(`location.pathname === "/ops/xxl/console/jobs/%d" && document.querySelector("h1").innerText === "found by its old path"`, job))
	require.True(t, strings.HasPrefix(behind.url, front.URL))
}

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// rowsAre waits until a list has rows of just these names, in any order.
func (t *tab) rowsAre(names ...string) {
	t.t.Helper()
	want, err := json.Marshal(names)
	require.NoError(t.t, err)
	t.until(fmt.Sprint("the rows are ", names), fmt.Sprintf(`((want) => { const is = [...document.querySelectorAll("tbody a.row-link, tbody button.row-link")].map((e) => e.innerText); return is.length === want.length && want.every((w) => is.includes(w)); })(%s)`, want))
}

// Each list is filtered by what XXL-JOB's lists are filtered by.
func TestFilters(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	orders := s.group("Orders")
	s.call("POST", "/groups", map[string]any{"appName": "billing-service", "title": "Billing"}, nil)
	settle := s.job(orders, "settle", map[string]any{"author": "li.na"})
	collect := s.job(orders, "collect", map[string]any{"executorHandler": "fail"})
	good, bad := s.run(settle, ""), s.run(collect, "")
	s.ended(good)
	s.ended(bad)
	tab := s.open("jobs")
	tab.choose("Search in", "author")
	tab.typeIn("Search", "li")
	tab.rowsAre("settle")
	tab.choose("Search in", "handler")
	tab.typeIn("Search", "ail")
	tab.rowsAre("collect")
	tab.until("the address has the filter", `location.search.includes("handler=ail") && !location.search.includes("author")`)
	tab.visit("jobs")
	tab.choose("Last result", "FAIL")
	tab.rowsAre("collect")
	tab.choose("Last result", "NONE")
	tab.sees("Nothing matches")

	tab.visit("runs")
	tab.rowsAre("settle", "collect")
	tab.choose("Time", "today")
	tab.rowsAre("settle", "collect")
	tab.choose("Time", "custom")
	tab.setTime("From", "2020-01-01T00:00")
	tab.rowsAre("settle", "collect")
	tab.setTime("Until before", "2020-01-02T00:00")
	tab.sees("Nothing matches")
	tab.looksRight("runs-of-a-time")
	tab.until("each label of a filter is one line", `[...document.querySelectorAll(".filters > label")].every((l) => { const line = new Range(); line.selectNodeContents(l.firstChild); return line.getClientRects().length === 1; })`)
	tab.choose("Time", "")
	tab.typeIn("Executor address contains", "127.0.0.1:")
	tab.until("the address of the page has it", `new URLSearchParams(location.search).get("address") === "127.0.0.1:"`)
	tab.rowsAre("settle", "collect")
	tab.typeIn("Executor address contains", "10.0.0.7")
	tab.sees("Nothing matches")
	tab.click("Clear filters")
	tab.rowsAre("settle", "collect")
	tab.until("the field is empty", `document.querySelector("input[aria-label='Executor address contains']").value === ""`)
	tab.visit("runs?address=10.0.0.8")
	tab.until("a link fills the field", `document.querySelector("input[aria-label='Executor address contains']").value === "10.0.0.8"`)
	tab.sees("Nothing matches")
	tab.typeIn("Executor address contains", kb.Backspace)
	tab.rowsAre("settle", "collect")
	tab.choose("Group", "1")
	tab.until("jobs of the group are offered", `document.querySelectorAll("select[aria-label=Job] option").length === 3`)
	tab.choose("Job", fmt.Sprint(settle))
	tab.rowsAre("settle")
	tab.picture("runs-of-a-job")

	tab.visit("executors")
	tab.rowsAre("Orders", "Billing")
	tab.typeIn("Search by name or app name", "BILLING-")
	tab.rowsAre("Billing")
	tab.typeIn("Search by name or app name", "nothing of that name")
	tab.sees("Nothing matches")

	tab.visit("?days=7")
	tab.until("a bar for each day", `document.querySelectorAll(".chart title").length === 7`)
	tab.click("30 d")
	tab.until("a bar for each day", `document.querySelectorAll(".chart title").length === 30`)
	tab.accessible("overview-of-30-days")
	tab.picture("overview-of-30-days")
}

// In a group with more jobs than the list of choices holds, a job is found by its name.
func TestRunsOfAJobAmongMany(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.manyJobs(group, 1000)
	settle := s.job(group, "settle orders", nil)
	s.ended(s.run(settle, ""))
	tab := s.open(fmt.Sprintf("runs?group=%d", group))
	const choices = `[...document.querySelectorAll("select[aria-label=Job] option")].map((e) => e.innerText)`
	tab.until("the first are offered", choices+`.length === 1001 && !`+choices+`.includes("settle orders")`)
	tab.typeIn("Search jobs by name", "settle")
	tab.until("it is offered", choices+`.join() === "All jobs,settle orders"`)
	tab.choose("Job", fmt.Sprint(settle))
	tab.rowsAre("settle orders")
	tab.looksRight("runs-of-a-job-among-many")
	tab.typeIn("Search jobs by name", "no such job")
	tab.until("none is offered, and the chosen one is named", `!document.querySelector("select[aria-label=Job]") && [...document.querySelectorAll(".filters button")].some((e) => e.innerText === "settle orders")`)
	tab.typeIn("Search jobs by name", kb.Backspace)
	tab.until("all are offered again", choices+`.length === 1001`)
}

// Users are found by name and by role.
func TestUsersAreFound(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.user("wang.fang", 0, "admin")
	s.user("li.na", 0, "viewer")
	s.user("li.wei", 0, "operator")
	tab := s.signedIn("wang.fang", "users")
	tab.rowsAre("wang.fang", "li.na", "li.wei")
	tab.typeIn("Search by name", "LI.")
	tab.rowsAre("li.na", "li.wei")
	tab.choose("Role", "operator")
	tab.rowsAre("li.wei")
	tab.choose("Role", "admin")
	tab.sees("Nothing matches")
	tab.accessible("users-filtered")
}

// A page whose bundle cannot be loaded says so, and opens once the bundle can be loaded.
func TestABundleThatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	tab := s.open("jobs")
	tab.allowed = append(tab.allowed, "net::ERR_BLOCKED_BY_CLIENT")
	block := func(patterns ...*network.BlockPattern) {
		tab.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
			return err
		}))
	}
	block(&network.BlockPattern{URLPattern: "*://*:*/console/assets/more-*", Block: true})
	tab.click("Executors")
	tab.sees("Try again")
	tab.accessible("no-bundle")
	tab.picture("no-bundle")
	block()
	tab.click("Try again")
	tab.sees("No groups of executors")
}

// The form offers expressions to begin with, and says in words what the chosen one does.
func TestAnExpressionToBeginWith(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	tab := s.open("jobs/new")
	tab.choose("Begin with", "0 0 2 L * ?")
	tab.until("the field has it", `document.querySelector("input[name=scheduleConf]").value === "0 0 2 L * ?"`)
	tab.until("it is said in words", `document.querySelector(".preview").innerText.includes("last day of the month")`)
	tab.allowed = append(tab.allowed, "400 (Bad Request)") // a busy machine shows half-typed text
	tab.typeIn("Schedule", "0 0 3 L * ?")
	tab.until("it is none of them any longer", `[...document.querySelectorAll("select")].find((e) => e.labels[0]?.innerText === "Begin with").value === ""`)
}

// The heads of the columns order the list of jobs, by mouse and by keyboard, also by the latest
// result.
func TestJobsAreOrderedByTheirHeads(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	good := s.job(group, "b succeeds", nil)
	bad := s.job(group, "c fails", map[string]any{"executorHandler": "fail"})
	s.job(group, "a never ran", nil)
	s.ended(s.run(good, ""))
	s.ended(s.run(bad, ""))
	tab := s.open("jobs")
	rows := func(what string, names ...string) {
		t.Helper()
		want, err := json.Marshal(names)
		require.NoError(t, err)
		tab.until(what, fmt.Sprintf(`JSON.stringify([...document.querySelectorAll("tbody a.row-link")].map((e) => e.innerText)) === %q`, want))
	}
	sorted := func(head, way string) {
		t.Helper()
		tab.until(head+" says its order", fmt.Sprintf(`[...document.querySelectorAll("th[aria-sort]")].map((e) => e.innerText.trim() + " " + e.ariaSort).join() === %q`, head+" "+way))
	}
	rows("by id", "b succeeds", "c fails", "a never ran")
	tab.click("Latest runs")
	rows("by result", "c fails", "b succeeds", "a never ran")
	sorted("Latest runs", "ascending")
	tab.click("Latest runs")
	rows("by result, the other way", "a never ran", "b succeeds", "c fails")
	sorted("Latest runs", "descending")
	tab.accessible("jobs by result")
	tab.eval(`[...document.querySelectorAll("th button")].find((e) => e.innerText === "Latest runs").focus()`, nil)
	tab.press(kb.Enter)
	rows("by Enter", "c fails", "b succeeds", "a never ran")
	tab.until("the focus stays", `document.activeElement.innerText === "Latest runs"`)
	tab.press(" ")
	rows("by the space bar", "a never ran", "b succeeds", "c fails")
	tab.until("the order is in the address", `location.search.includes("sort=RESULT") && location.search.includes("desc=true")`)
	tab.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
	tab.press(kb.Enter)
	sorted("Schedule", "ascending")
	tab.click("Job")
	rows("by name", "a never ran", "b succeeds", "c fails")
	sorted("Job", "ascending")
}

// A link to another list of jobs replaces what the field of the search shows.
func TestTheSearchShowsWhatTheListIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.job(group, "settle", map[string]any{"author": "li.na"})
	s.job(group, "collect", nil)
	tab := s.open("jobs")
	const shows = `document.querySelector("main input[type=search]").value === %q && document.querySelector("select[aria-label='Search in']").value === %q`
	tab.typeIn("Search", "set")
	tab.rowsAre("settle")
	tab.click("Jobs")
	tab.rowsAre("settle", "collect")
	tab.until("the field is empty", fmt.Sprintf(shows, "", "name"))
	tab.eval(`history.back()`, nil)
	tab.rowsAre("settle")
	tab.until("the field has the text again", fmt.Sprintf(shows, "set", "name"))
	tab.visit("jobs?author=li")
	tab.rowsAre("settle")
	tab.until("the field is the one that the address names", fmt.Sprintf(shows, "li", "author"))
	tab.typeIn("Search", kb.Backspace)
	tab.rowsAre("settle", "collect")
	tab.until("the field remains chosen", fmt.Sprintf(shows, "", "author"))
}

// The selection of all jobs that match ends when another field is searched.
func TestAnotherFieldEndsTheSelectionOfAll(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	for i := range 101 { // more than a page
		s.job(group, fmt.Sprintf("greet %d", i), nil)
	}
	tab := s.open("jobs?name=greet")
	tab.tick("Select all jobs of this page")
	tab.click("Select all 101 that match")
	tab.sees("All 101 jobs that match are selected")
	tab.choose("Search in", "handler")
	tab.until("the handler is searched", `location.search.includes("handler=greet")`)
	tab.until("the page remains selected, and no more", `!document.querySelector(".bulk-bar b").innerText.includes("match")`)
}

package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTheLoadAhead checks the heat map of the load ahead, whose cells list their jobs, and the
// table with the same figures.
func TestTheLoadAhead(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	tab := s.open("forecast")
	tab.sees("Nothing is due")
	hourly := s.job(group, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0/5 * * * ?"})
	// Hours away, so that both jobs are in one whole quarter of an hour: the present cuts the first
	// quarter and the last one.
	close := fmt.Sprintf("0 50 %d * * ?", time.Now().Add(6*time.Hour).Hour())
	daily := s.job(group, "close the day", map[string]any{"scheduleType": "CRON", "scheduleConf": close})
	for _, job := range []int64{hourly, daily} {
		s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	}
	s.ended(s.run(hourly, ""))
	// The time of the hand-over is stored after the result if the result comes first, and the page
	// reads run times only once a minute.
	testserver.Eventually(t, 20*time.Second, "the run time is known", func() bool {
		var f struct{ UnknownDurations int }
		s.call("GET", "/forecast?hours=24", nil, &f)
		return f.UnknownDurations == 1
	})
	tab.visit("forecast")
	tab.until("a day of quarters", `document.querySelectorAll("rect[data-at]").length >= 96 && document.querySelectorAll("rect.heat").length > 90`)
	tab.sees("Busiest quarter of an hour")
	tab.until("the busiest one has both jobs", `[...document.querySelectorAll(".col-8 tbody a")].map((a) => a.innerText).sort().join() === "close the day,settle orders"`)
	tab.until("the colours are explained", `[...document.querySelectorAll(".legend small")].map((s) => s.innerText.trim()).join() === "≤ 1 fire,≤ 2 fires,≤ 4 fires"`)
	tab.sees("1 job has no recent run")
	tab.eval(`[...document.querySelectorAll("rect[data-at]")].find((r) => /\b3 fires/.test(r.textContent)).dispatchEvent(new MouseEvent("click", { bubbles: true }))`, nil)
	tab.until("a cell lists its job", `location.search.includes("at=") && document.querySelectorAll(".col-8 tbody tr").length === 1 && document.querySelector(".col-8 tbody").innerText.includes("settle orders")`)
	tab.until("by keyboard too", `document.querySelector(".col-4 tbody a[aria-current=true]")`)
	tab.click("Run time")
	tab.until("the run time is shown", `location.search.includes("by=time") && document.querySelectorAll("rect.heat").length > 90`)
	tab.click("7 days")
	tab.until("a week of quarters", `document.querySelectorAll("rect[data-at]").length >= 672`)
	tab.visit("forecast?at=2000-01-01T00:00:00Z")
	tab.sees("Busiest quarter of an hour") // a time in the past is left out
}

// TestTheGraphOfJobs checks that the graph shows child jobs in layers, the last results, and what
// is not triggered when one fails.
func TestTheGraphOfJobs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	tab := s.open("graph")
	tab.sees("No job has child jobs")
	last := s.job(group, "send report", nil)
	middle := s.job(group, "build report", map[string]any{"childJobIds": []int64{last}})
	first := s.job(group, "collect payments", map[string]any{"executorHandler": "fail", "childJobIds": []int64{middle}})
	other := s.job(group, "settle orders", map[string]any{"childJobIds": []int64{last}})
	s.ended(s.run(first, ""))
	s.ended(s.run(other, ""))
	tab.visit("graph")
	node := func(id int64) string { return fmt.Sprintf(`document.querySelector('[data-job="%d"]')`, id) }
	tab.until("layers stand beside each other", fmt.Sprintf(`((x) => x(%s) === x(%s) && x(%s) < x(%s) && x(%s) < x(%s))((e) => e.getBoundingClientRect().left)`, node(first), node(other), node(first), node(middle), node(middle), node(last)))
	tab.until("the failure is drawn", node(first)+`.querySelector(".bar-fail")`)
	tab.until("and the success", node(other)+`.querySelector(".bar-ok")`)
	tab.until("the table has them", `document.querySelectorAll("tbody tr").length === 4`)
	tab.eval(node(first)+`.dispatchEvent(new MouseEvent("click", { bubbles: true }))`, nil)
	tab.sees("If it fails, 2 jobs are not triggered.")
	tab.until("only what hangs together is shown", `document.querySelectorAll("[data-job]").length === 3 && location.search === "?job=`+fmt.Sprint(first)+`"`)
	tab.until("what fails with it is marked", node(last)+`.querySelector(".is-lost") && document.querySelector("tbody").innerText.includes("Not triggered with it")`)
	tab.accessible("graph-chosen")
	tab.picture("graph-chosen")
	tab.click("Show all jobs")
	tab.click("1: What fails with settle orders")
	tab.sees("If it fails, 1 job is not triggered.")
}

// TestALargeGraph checks that only the jobs in view are drawn, and that scrolling draws the others.
func TestALargeGraph(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	const chains = 60
	var first, last int64
	for i := range chains {
		child := s.job(group, fmt.Sprintf("report %d", i), nil)
		parent := s.job(group, fmt.Sprintf("collect %d", i), map[string]any{"childJobIds": []int64{child}})
		if i == 0 {
			first = parent
		}
		last = parent
	}
	tab := s.open("graph")
	drawn := func(id int64) string { return fmt.Sprintf(`document.querySelector('[data-job="%d"]')`, id) }
	tab.until("the top is drawn", drawn(first)+` && !`+drawn(last))
	tab.until("not all are", fmt.Sprintf(`document.querySelectorAll("[data-job]").length < %d`, chains))
	tab.eval(`document.querySelector(".graph").scrollTo(0, 1e6)`, nil)
	tab.until("the end is drawn, and in view", fmt.Sprintf(`((e, box) => e && e.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom)(%s, document.querySelector(".graph"))`, drawn(last)))
	tab.until("the top is no longer drawn", `!`+drawn(first))
}

// TestTheCallsOfTheAPI checks that the page of the API lists each call, with a line for curl.
func TestTheCallsOfTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	tab := s.signIn("api")
	tab.until("all calls", `document.querySelectorAll("details").length > 60`)
	tab.typeIn("Search in calls", "trigger")
	tab.until("those that match", `document.querySelectorAll("details").length < 10 && location.search === "?find=trigger"`)
	tab.eval(`[...document.querySelectorAll("summary")].find((e) => e.innerText.includes("/jobs/{id}/trigger")).click()`, nil)
	var line string
	tab.until("the line is there", `document.querySelector("pre[aria-label=curl]")`)
	tab.eval(`document.querySelector("pre[aria-label=curl]").innerText`, &line)
	require.Contains(t, line, "-X POST")
	require.Contains(t, line, s.url+"/api/v1/jobs/1/trigger")
	require.Contains(t, line, "Bearer $TOKEN")
	require.NotContains(t, line, s.token)
	tab.sees("executorParam")
	tab.accessible("api-open")
	tab.picture("api-open")
}

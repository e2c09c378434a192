package browser

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// manyJobs creates n jobs, "job 000000" and so on, past the API, which has no call for that. They
// are stopped, and have up to 86,400 different cron expressions.
func (s *site) manyJobs(group int64, n int) {
	s.t.Helper()
	const chunk = 5000
	for from := 0; from < n; from += chunk {
		var edits []xxladapter.JobEdit
		for i := from; i < min(from+chunk, n); i++ {
			edits = append(edits, xxladapter.JobEdit{Act: xxladapter.ActCreate, Job: &xxladapter.Job{
				GroupID: group, Name: fmt.Sprintf("job %06d", i), Author: "wang.fang", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: fmt.Sprintf("%d %d %d * * ?", i%60, i/60%60, i/3600%24),
				GlueType: xxladapter.GlueBean, Handler: "greet", Route: xxladapter.RouteFirst, Block: xxladapter.BlockSerial, Misfire: xxladapter.MisfireDoNothing,
			}})
		}
		_, err := s.store.EditJobs(s.t.Context(), edits, true)
		require.NoError(s.t, err)
	}
}

// startAll switches the schedules of all jobs on, due in an hour at the earliest, so that none
// fires while the test looks at them.
func (s *site) startAll() {
	s.t.Helper()
	const chunk = 5000
	first := func(now time.Time) time.Time { return now.Add(time.Hour) }
	for after := int64(0); ; {
		jobs, err := s.store.Jobs(s.t.Context(), xxladapter.JobFilter{AfterID: after, Limit: chunk, Light: true})
		require.NoError(s.t, err)
		if len(jobs) == 0 {
			return
		}
		var edits []xxladapter.JobEdit
		for _, j := range jobs {
			edits = append(edits, xxladapter.JobEdit{Act: xxladapter.ActStart, Job: &xxladapter.Job{ID: j.ID}, First: first})
			after = j.ID
		}
		_, err = s.store.EditJobs(s.t.Context(), edits, true)
		require.NoError(s.t, err)
	}
}

// mostRows is how many rows of a list may be in the document.
const mostRows = 200

// A list of 100,000 jobs is paged, filtered and sorted, and what a filter selects is stopped at
// once.
func TestAHundredThousandJobs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.manyJobs(s.group("Orders"), 100_000)
	tab := s.open("jobs")
	rows := func() (n int) {
		t.Helper()
		tab.eval(`document.querySelectorAll("tr").length`, &n)
		return n
	}
	tab.sees("10,000+")
	for range 3 {
		var last string
		tab.eval(`[...document.querySelectorAll("tbody a.row-link")].at(-1).innerText`, &last)
		tab.click("Next")
		tab.until("the next page", fmt.Sprintf(`document.querySelector("tbody a.row-link")?.innerText > %q`, last))
		require.LessOrEqual(t, rows(), mostRows)
	}
	tab.sees("301 to 400")
	tab.click("Previous")
	tab.until("the page before is drawn whole", `document.querySelector("tbody a.row-link").innerText === "job 000200" && document.querySelectorAll("tbody tr").length === 100`)
	tab.typeIn("Search", "job 0042")
	tab.until("a hundred match", `document.querySelector(".page-title .muted")?.innerText === "100" && document.querySelectorAll("tbody tr").length === 100`)
	tab.tick("Select job 004200")
	tab.click("Select all 100 that match")
	tab.click("Start")
	tab.click("Start")
	tab.sees("100 jobs done.")
	tab.click("Close")
	require.Equal(t, 100, s.running())
	tab.visit("jobs?running=true")
	tab.until("those that are on", `document.querySelectorAll("tbody tr").length === 100`)
	tab.tick("Select all jobs of this page")
	tab.click("Stop")
	tab.click("Stop")
	tab.sees("100 jobs done.")
	require.LessOrEqual(t, rows(), mostRows+100, "the list and the results")
	require.Zero(t, s.running())
}

// slow makes the tab as slow as on a laptop that is some years old, on a mobile network: CPU slowed
// 4 times, latency of 40 ms, 10 Mbit/s.
func (t *tab) slow() {
	t.t.Helper()
	t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Latency: 40, DownloadThroughput: 10e6 / 8, UploadThroughput: 10e6 / 8}},
		})
		return err
	}))
}

// watch writes down in each new document when the first rows stand, and all tasks over 50 ms.
const watch = `window.seen = { rows: 0, tasks: [] };
new PerformanceObserver((l) => l.getEntries().forEach((e) => seen.tasks.push(e.duration))).observe({ type: "longtask", buffered: true });
(function look() {
	if (document.querySelector("tbody tr")) requestAnimationFrame(() => (seen.rows = performance.now()));
	else requestAnimationFrame(look);
})();`

func (t *tab) watch() {
	t.t.Helper()
	t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch})
		return err
	}))
}

// rowsAfter opens a path of the console and returns when its first rows stood, in ms after the
// navigation began.
func (t *tab) rowsAfter(path string) (ms float64) {
	t.t.Helper()
	t.do(chromedp.Navigate(t.at.url + "/console/" + path))
	t.until("rows stand", `window.seen?.rows > 0`)
	t.eval(`seen.rows`, &ms)
	return ms
}

// BenchmarkBudgets prints what the browser measures beside its budget. Its figures hold for an idle
// machine; with -short there are few jobs, and the benchmark only shows that it works.
func BenchmarkBudgets(b *testing.B) {
	jobs := 100_000
	if testing.Short() {
		jobs = 1000
	}
	s := newSite(b, "")
	s.manyJobs(s.group("Orders"), jobs)
	var table budget
	say := table.say
	for b.Loop() {
		tab := s.open("help")
		tab.watch()
		tab.slow()
		forget := func() {
			tab.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := cdp.Call(ctx, target, network.ClearBrowserCache, cdp.Empty{})
				return err
			}))
		}
		forget()
		cold := tab.rowsAfter("jobs")
		var bytes float64
		tab.eval(`performance.getEntries().filter((e) => e.encodedBodySize && !e.name.includes("/api/")).reduce((n, e) => n + e.encodedBodySize, 0) / 1024`, &bytes)
		warm := tab.rowsAfter("jobs")
		say("first visit to jobs, files", bytes, 90, "KB")
		say("rows stand, slow browser, empty cache", cold, 1500, "ms")
		say("rows stand, slow browser, filled cache", warm, 600, "ms")
		b.ReportMetric(bytes, "KB/visit")
		b.ReportMetric(cold, "ms/cold")
		b.ReportMetric(warm, "ms/warm")

		fast := s.open("help")
		fast.watch()
		fast.visit("jobs")
		fast.until("the address of the API is near", `location.pathname.endsWith("/console/jobs")`)
		say("API: a page of 100 jobs", fast.ask("jobs?limit=100&light&count"), 50, "ms")
		say("API: with the newest 20 runs of each", fast.ask("jobs?limit=100&light&count&recent"), 50, "ms")
		say("API: the page as the list asks for it, with words", fast.ask("jobs?limit=100&light&count&recent&words"), 50, "ms")
		say("API: jobs by a part of their name", fast.ask("jobs?limit=100&light&count&name=99"), 200, "ms")
		say("API: 1,000 jobs", fast.ask("jobs?limit=1000&light"), 150, "ms")
		fast.eval(`(seen.tasks.length = 0, 0)`, nil)
		pages := min(20, jobs/100-1)
		for i := range pages {
			fast.click("Next")
			fast.until("the next page", fmt.Sprintf(`document.querySelector(".pager")?.innerText.replaceAll(",", "").includes("%d ") && document.querySelectorAll("tbody tr").length === 100`, (i+1)*100+1))
			fast.eval(`scrollTo(0, document.body.scrollHeight)`, nil)
		}
		var longest, rows float64
		fast.eval(`Math.max(0, ...seen.tasks)`, &longest)
		fast.eval(`document.querySelectorAll("tr").length`, &rows)
		say("the longest task while paging and scrolling", longest, 50, "ms")
		say("rows in the document", rows, mostRows, "rows")
		b.ReportMetric(longest, "ms/task")
		s.startAll()
		var counted int
		fast.eval(fmt.Sprintf(`(async () => (await (await fetch(%q)).json()).jobs)()`, s.url+"/api/v1/forecast"), &counted)
		require.Equal(b, jobs, counted)
		say("API: forecast of all jobs, which are on", fast.ask("forecast"), 2000, "ms")
		if !testing.Short() {
			say("stop all jobs at once", stopAll(fast), 20_000, "ms")
		}
	}
	fmt.Println(table.String()) // a log of a benchmark has ten lines at most
}

// stopAll stops all jobs from the list and returns how long it took.
func stopAll(t *tab) (ms float64) {
	t.t.Helper()
	t.visit("jobs")
	t.tick("Select all jobs of this page")
	t.eval(`[...document.querySelectorAll(".bulk-bar button")].find((e) => e.innerText.startsWith("Select all")).click()`, nil)
	t.click("Stop")
	t.until("all are counted", `document.querySelector("dialog h2").innerText.includes("100,000")`)
	t.eval(`(window.began = performance.now(), 0)`, nil)
	t.click("Stop")
	for ms == 0 {
		_ = t.mayEval(`document.querySelector("dialog")?.innerText.includes("100,000 jobs done.") ? performance.now() - began : 0`, &ms)
	}
	return ms
}

package browser

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// A budget prints what was measured beside what is allowed.
type budget struct{ strings.Builder }

func (b *budget) say(what string, is, most float64, unit string) {
	fmt.Fprintf(b, "\n%-52s %8.1f of %6.0f %s", what, is, most, unit)
}

// ask returns the median duration of five calls of the API from the page, in ms.
func (t *tab) ask(path string) (ms float64) {
	t.t.Helper()
	t.eval(fmt.Sprintf(`(async () => { const all = []; for (let i = 0; i < 5; i++) { const from = performance.now(); await (await fetch(%q)).text(); all.push(performance.now() - from); } return all.sort((a, b) => a - b)[2]; })()`, t.at.url+"/api/v1/"+path), &ms)
	return ms
}

// frames makes the page write down its longest gap between two frames from now on.
const frames = `(() => { window.gap = 0; let last = performance.now(); (function next() { requestAnimationFrame((now) => { gap = Math.max(gap, now - last); last = now; next(); }); })(); return 0; })()`

// BenchmarkPages prints what the pages with the most data need, beside the budgets. Its figures
// hold for an idle machine; with -short there is little data, and the benchmark only shows that it
// works.
func BenchmarkPages(b *testing.B) {
	fires, jobs, seconds := 10_000, 2000, 20
	if testing.Short() {
		fires, jobs, seconds = 20, 20, 2
	}
	s := newSite(b, "")
	group := s.group("Orders")
	often := s.job(group, "settle orders", nil)
	var calls errgroup.Group
	calls.SetLimit(20)
	for range fires {
		calls.Go(func() error {
			r, err := http.Post(fmt.Sprintf("%s/api/v1/jobs/%d/trigger", s.url, often), "application/json", strings.NewReader("{}"))
			if err != nil {
				return err
			}
			defer r.Body.Close()
			_, err = io.Copy(io.Discard, r.Body)
			return err
		})
	}
	require.NoError(b, calls.Wait())
	before := int64(0)
	for i := range jobs { // chains of ten
		fields := map[string]any{}
		if i%10 > 0 {
			fields["childJobIds"] = []int64{before}
		}
		before = s.job(group, fmt.Sprintf("step %04d", i), fields)
	}
	for b.Loop() {
		var table budget
		tab := s.open("help")
		tab.watch()
		longest := func(path, there string) (ms float64) {
			tab.visit(path)
			tab.until("the page is drawn", there)
			tab.eval(`Math.max(0, ...seen.tasks)`, &ms)
			return ms
		}
		until := time.Now()
		span := fmt.Sprintf("jobs/%d/timeline?from=%s&to=%s", often, until.Add(-time.Hour).UTC().Format(time.RFC3339), until.UTC().Format(time.RFC3339))
		table.say(fmt.Sprintf("API: timeline with %d fires", fires), tab.ask(span), 100, "ms")
		table.say("the longest task while the timeline is drawn", longest(fmt.Sprintf("jobs/%d/timeline?span=1h", often), `document.querySelector("svg.chart path.bar-ok, svg.chart path.bar-run")`), 50, "ms")
		table.say(fmt.Sprintf("API: graph of %d jobs", jobs), tab.ask("graph"), 300, "ms")
		table.say("the longest task while the graph is drawn", longest("graph", `document.querySelectorAll("[data-job]").length > 1`), 50, "ms")

		log := s.job(group, "write much", map[string]any{"executorHandler": "pour"})
		run := s.run(log, strconv.Itoa(seconds))
		tab.visit(fmt.Sprintf("runs/%d", run))
		tab.until("lines appear", `Number(document.querySelector(".log")?.dataset.lines) > 100`)
		tab.eval(frames, nil)
		tab.until("all was read", fmt.Sprintf(`Number(document.querySelector(".log")?.dataset.lines) >= %d`, min(1000*seconds, 50_000)))
		var gap float64
		tab.eval(`gap`, &gap)
		table.say("the longest frame while 1,000 lines a second come", gap, 50, "ms")
		s.ended(run)
		b.ReportMetric(gap, "ms/frame")
		fmt.Println(table.String())
	}
}

var storeCalls = regexp.MustCompile(`(?m)^xxlwheel_store_op_duration_seconds_count\{op="(\w+)"\} (\d+)$`)

// BenchmarkConsoles prints how often the store is asked while 50 people look at the list of jobs
// and nothing happens, beside the budget.
func BenchmarkConsoles(b *testing.B) {
	people, lasts := 50, time.Minute
	if testing.Short() {
		people, lasts = 3, 2*time.Second
	}
	s := startSite(b, "", loopback, func(o *node.Options, _ string) { o.Metrics = metrics.New() })
	s.manyJobs(s.group("Orders"), 1000)
	for range people {
		tab := s.open("jobs")
		tab.until("the page hears", hears)
	}
	asked := func() (n int) {
		b.Helper()
		r, err := http.Get(s.url + "/metrics")
		require.NoError(b, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(b, err)
		for _, line := range storeCalls.FindAllStringSubmatch(string(text), -1) {
			if line[1] == "now" {
				continue // reads a clock, and asks no database
			}
			count, err := strconv.Atoi(line[2])
			require.NoError(b, err)
			n += count
		}
		return n
	}
	for b.Loop() {
		before := asked()
		time.Sleep(lasts) // real time, in which the pages poll
		rate := float64(asked()-before) / lasts.Seconds()
		var table budget
		table.say(fmt.Sprintf("%d open consoles, calls of the store", people), rate, 10, "a second")
		b.ReportMetric(rate, "calls/s")
		fmt.Println(table.String())
	}
}

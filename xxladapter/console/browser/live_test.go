package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// hears is true once the page receives events. Such a page polls only every two minutes, longer
// than any test waits.
const hears = `document.querySelector(".health").dataset.live === "true"`

// front starts a proxy in front of the site. The proxy counts the streams of events and of logs, or
// refuses them.
func (s *site) front(refuse bool) (behind *site, streams *atomic.Int32) {
	s.t.Helper()
	target, err := url.Parse(s.url)
	require.NoError(s.t, err)
	streams = &atomic.Int32{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") || strings.HasSuffix(r.URL.Path, "/tail") {
			if refuse {
				http.Error(w, `{"code":"conflict","message":"too many listeners"}`, http.StatusConflict)
				return
			}
			streams.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	s.t.Cleanup(server.Close)
	copied := *s
	copied.url = server.URL
	return &copied, streams
}

// beside opens another tab of the same person, in the same profile. Faults of its page are not
// recorded.
func (t *tab) beside(path string) *tab {
	t.t.Helper()
	ctx, cancel := chromedp.NewContext(t.ctx)
	other := &tab{t: t.t, ctx: ctx, at: t.at, found: map[string]bool{}}
	t.t.Cleanup(cancel)
	require.NoError(t.t, chromedp.Do(ctx)) // the tab lasts as long as the context of its first step
	other.visit(path)
	return other
}

// TestPagesHearOfChanges checks that pages show changes at once, and that two tabs share one
// connection: the second takes over when the first is closed.
func TestPagesHearOfChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.job(group, "settle orders", nil)
	behind, streams := s.front(false)
	runs := behind.open("runs")
	runs.until("the page hears", hears)
	run := s.run(job, "")
	runs.until("the run is shown", fmt.Sprintf(`document.querySelector('tbody a[href$="/runs/%d"]')`, run))
	s.ended(run)
	runs.until("its result is shown", `document.querySelector("tbody .is-success.status")`)

	jobs := runs.beside("jobs")
	jobs.until("the other tab hears too", hears)
	require.EqualValues(t, 1, streams.Load(), "two tabs share a connection")
	s.call("POST", "/jobs", map[string]any{"jobGroup": group, "name": "made elsewhere", "author": "li.na", "executorHandler": "greet", "scheduleType": "NONE"}, nil)
	jobs.sees("made elsewhere")

	holder, other := runs, jobs
	holder.do(chromedp.Navigate("about:blank")) // leaves the console
	other.until("the other tab has taken over", hears)
	testserver.Eventually(s.t, 30*time.Second, "a second connection", func() bool { return streams.Load() == 2 })
	s.call("POST", "/jobs", map[string]any{"jobGroup": group, "name": "made later", "author": "li.na", "executorHandler": "greet", "scheduleType": "NONE"}, nil)
	other.sees("made later")
}

// TestPagesPollWithoutStreams checks that pages poll where streams are refused, and so does the log
// of a run.
func TestPagesPollWithoutStreams(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "count things", map[string]any{"executorHandler": "count"})
	behind, _ := s.front(true)
	tab := behind.open("runs")
	tab.allowed = append(tab.allowed, "409 (Conflict)")
	run := s.run(job, "")
	tab.until("the run is shown", fmt.Sprintf(`document.querySelector('tbody a[href$="/runs/%d"]')`, run))
	tab.until("the page does not hear", `!(`+hears+`)`)
	tab.visit(fmt.Sprintf("runs/%d", run))
	tab.until("lines appear", `Number(document.querySelector(".log")?.dataset.lines) > 5`)
	s.call("POST", fmt.Sprintf("/runs/%d/kill", run), nil, nil)
	tab.until("the run has ended", `document.querySelector(".page-title .is-fail.status")`)
}

// TestALongLog checks that a long log keeps its newest lines, has only those in view in the
// document, and shows colours.
func TestALongLog(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "write much", map[string]any{"executorHandler": "flood"})
	tab := s.open("")
	tab.visit(fmt.Sprintf("runs/%d", s.run(job, "60000")))
	tab.until("all was read", `Number(document.querySelector(".log")?.dataset.lines) >= 60000`)
	tab.until("few lines are in the document", `document.querySelectorAll(".log-line").length < 200 && document.querySelectorAll(".log-line").length > 10`)
	tab.until("the last line is in view", `[...document.querySelectorAll(".log-line")].some((l) => l.innerText.includes("line 59999"))`)
	tab.until("colours are classes", `[...document.querySelectorAll(".log .is-ok")].some((e) => e.innerText.startsWith("line"))`)
	tab.until("no escapes remain", `!document.querySelector(".log").innerText.includes("\u001b")`)
	tab.eval(`document.querySelector(".log").scrollTop = 0`, nil)
	tab.until("the oldest line that is kept", `(n => n > 9000 && n < 10100)(Number(document.querySelector(".log-no").innerText))`)
	tab.accessible("run-long-log")
	tab.typeIn("Search in the log", "LINE 5999")
	tab.until("ten lines match", `document.querySelectorAll(".log-line").length === 10`)
	tab.click("Wrap")
	tab.until("and wrapped", `document.querySelectorAll(".is-wrapped .log-line").length === 10`)
	tab.picture("run-long-log")
	var downloaded int
	tab.eval(`new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((x) => done(x.split("\n").length - 1)); return make(b); }; document.querySelector("button[aria-label=Download]").click(); })`, &downloaded)
	require.Equal(t, 50000, downloaded)
}

// TestALogThatIsCut checks that the reason why the text of a run is incomplete is shown above the
// lines that came before.
func TestALogThatIsCut(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	run := s.run(s.job(s.group("Orders"), "count", map[string]any{"executorHandler": "count"}), "")
	tab := s.open(fmt.Sprintf("runs/%d", run))
	tab.until("lines come", `document.querySelectorAll(".log-line").length > 1`)
	require.NoError(t, s.store.SaveTexts(t.Context(), []xxladapter.RunText{{LogID: run, Text: "step\n", Size: 9000, Note: "the disk was full"}}))
	tab.until("the reason is shown above them", `document.querySelector(".banner")?.innerText.includes("the disk was full") && document.querySelectorAll(".log-line").length > 1`)
}

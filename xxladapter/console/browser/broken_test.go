package browser

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// through returns the site behind a handler, whose next answers as the site does.
func (s *site) through(handle func(w http.ResponseWriter, r *http.Request, next http.Handler)) *site {
	s.t.Helper()
	target, err := url.Parse(s.url)
	require.NoError(s.t, err)
	next := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, next) }))
	ctx, cancel := context.WithCancel(context.Background())
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	s.t.Cleanup(func() { // after the tab's cleanup, which may leave a failed test's window open
		cancel()
		server.Close()
	})
	behind := *s
	behind.url = server.URL
	return &behind
}

// refuse answers with an error in the format of the scheduler.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"code":"internal","message":"the disk is full","messageZh":"磁盘已满"}`)
}

// cut sends the beginning of an answer and cuts the connection.
func cut(w http.ResponseWriter, beginning string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, beginning)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// TestAnAnswerThatBreaksOffIsNone checks that a connection that breaks within an answer is reported
// like one that was never made: by a page without data, by a page that keeps what it showed, and by
// an order, which is not reported as done.
func TestAnAnswerThatBreaksOffIsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.job(s.group("Orders"), "settle orders", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "3600"})
	var breaks atomic.Bool
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if breaks.Load() && strings.HasPrefix(r.URL.Path, "/api/") {
			cut(w, `{"jobs":[`)
		}
		next.ServeHTTP(w, r)
	}).open("help")
	tab.allowed = append(tab.allowed, "net::ERR_")
	breaks.Store(true)
	tab.eval(`document.querySelector('nav a[href$="/jobs"]').click()`, nil)
	tab.until("the list says it", `document.querySelector(".is-failure")?.innerText.includes("No answer")`)
	tab.sees("The scheduler does not answer")
	breaks.Store(false)
	tab.until("the list is shown", `[...document.querySelectorAll("tbody a")].some((e) => e.innerText === "settle orders")`)
	tab.until("the notice is gone", `!document.body.innerText.includes("does not answer")`)

	breaks.Store(true)
	tab.click("Schedule of settle orders")
	tab.until("the order is not called done", `document.querySelector(".toast")?.innerText.includes("The scheduler does not answer")`)
	tab.until("the page says it", `document.querySelector(".banner")?.innerText.includes("The scheduler does not answer")`)
	tab.until("what was shown remains", `[...document.querySelectorAll("tbody a")].some((e) => e.innerText === "settle orders")`)
}

// TestAProxyWithoutAScheduler checks that the page says that the scheduler does not answer when a
// proxy answers in its place, and not when the answer is the scheduler's own.
func TestAProxyWithoutAScheduler(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.job(group, "still here", nil)
	var status atomic.Int32
	var own atomic.Bool
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if is := int(status.Load()); is != 0 && strings.HasPrefix(r.URL.Path, "/api/") {
			if own.Load() {
				refuse(w, is)
			} else {
				http.Error(w, "<h1>"+http.StatusText(is)+"</h1>", is)
			}
			return
		}
		next.ServeHTTP(w, r)
	}).open("jobs")
	tab.allowed = append(tab.allowed, "502 (Bad Gateway)", "503 (Service Unavailable)", "504 (Gateway Timeout)")
	for _, is := range []int32{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		tab.sees("still here")
		status.Store(is)
		s.job(group, fmt.Sprintf("made during %d", is), nil) // the page asks again
		tab.until(fmt.Sprintf("%d is told", is), `document.querySelector(".banner")?.innerText.includes("The scheduler does not answer")`)
		tab.sees("still here")
		status.Store(0)
		tab.until("the notice is gone", `!document.querySelector(".banner")`)
	}
	own.Store(true)
	status.Store(http.StatusServiceUnavailable)
	tab.visit("nodes")
	tab.until("the refusal is told", `document.querySelector(".is-failure")?.innerText.includes("the disk is full")`)
	tab.until("the scheduler answers", `document.querySelector(".health").classList.contains("is-success")`)
}

// TestAPageThatIsRefusedSaysSo checks that a page that keeps old data says why the data is not
// updated.
func TestAPageThatIsRefusedSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.job(group, "settle orders", nil)
	var refuses atomic.Bool
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if refuses.Load() && r.URL.Path == "/api/v1/jobs" {
			refuse(w, http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	}).open("jobs")
	tab.allowed = append(tab.allowed, "500 (Internal Server Error)")
	tab.sees("settle orders")
	refuses.Store(true)
	s.job(group, "made meanwhile", nil) // the page asks again
	tab.until("the page says it", `((text) => text?.includes("the disk is full") && text.includes("What is shown is what the scheduler said last"))(document.querySelector(".banner")?.innerText)`)
	tab.sees("settle orders")
	tab.looksRight("refused")
	tab.eval(`document.querySelector('nav a[href$="/help"]').click()`, nil)
	tab.until("another page does not say it", `!document.querySelector(".banner")`)
	tab.eval(`document.querySelector('nav a[href$="/jobs"]').click()`, nil)
	tab.until("the page says it again", `document.querySelector(".banner")?.innerText.includes("the disk is full")`)
	refuses.Store(false)
	tab.sees("made meanwhile")
	tab.until("the notice is gone", `!document.querySelector(".banner")`)
}

// TestTheSessionIsAskedForAgain checks that a page offers what the caller may do, although its
// first question about the caller was not answered.
func TestTheSessionIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.job(s.group("Orders"), "settle orders", nil)
	var down atomic.Bool
	down.Store(true)
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if down.Load() && r.URL.Path == "/api/v1/session" {
			panic(http.ErrAbortHandler) // the connection is cut
		}
		next.ServeHTTP(w, r)
	}).open("jobs")
	tab.allowed = append(tab.allowed, "net::ERR_")
	tab.sees("settle orders")
	down.Store(false)
	tab.sees("New job")
	tab.until("the page hears", hears)
}

// TestPartsOfPagesSayThatTheyFailed checks that the message of a refusal stands where the answer
// would, and that nothing there claims to be an answer.
func TestPartsOfPagesSayThatTheyFailed(t *testing.T) {
	t.Parallel()
	for _, part := range []struct {
		name, page string
		call       string         // path and query of the call that is refused
		open       func(tab *tab) // leads to the part
		place      string         // selects the part
		claim      string         // what would be untrue
	}{
		{"pauses", "settings", "/pauses?open=true", nil, `[aria-label="Pauses"]`, "Nothing is paused"},
		{"take over", "transfer", "/info", nil, `[aria-label="Take over from XXL-JOB"]`, "The scheduler was started without"},
		{"executors of a run", "jobs", "/groups/1", func(tab *tab) { tab.click("Run settle orders now") }, "dialog fieldset", "No executor is registered"},
		{"parameter of a run", "jobs", "/jobs/1", func(tab *tab) { tab.click("Run settle orders now") }, "dialog .field", ""},
		{"search", "help", "/jobs?name=settle&limit=8", func(tab *tab) {
			tab.click("Search")
			tab.typeIn("Search", "settle")
		}, "dialog .palette", "Nothing found"},
	} {
		t.Run(part.name, func(t *testing.T) {
			s := newSite(t, "")
			require.EqualValues(t, 1, s.group("Orders"))
			require.EqualValues(t, 1, s.job(1, "settle orders", nil))
			tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if strings.TrimPrefix(r.URL.RequestURI(), "/api/v1") == part.call {
					refuse(w, http.StatusInternalServerError)
					return
				}
				next.ServeHTTP(w, r)
			}).open("help")
			tab.allowed = append(tab.allowed, "500 (Internal Server Error)")
			tab.do(chromedp.Navigate(tab.at.url + "/console/" + part.page))
			if part.open != nil {
				part.open(tab)
			}
			tab.until("the part says it", fmt.Sprintf("document.querySelector(`%s`)?.innerText.includes(\"the disk is full\")", part.place))
			var text string
			tab.eval(fmt.Sprintf("document.querySelector(`%s`).innerText", part.place), &text)
			if part.claim != "" {
				require.NotContains(t, text, part.claim)
			}
			tab.accessible(part.name)
			tab.picture("refused-" + strings.ReplaceAll(part.name, " ", "-"))
		})
	}
}

// TestATokenThatIsNotCopied checks that the page reports a browser that refuses its clipboard,
// since the token is shown only once.
func TestATokenThatIsNotCopied(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.group("Orders")
	s.user("wang.fang", 0, "admin")
	tab := s.signedIn("wang.fang", "me")
	tab.eval(`(navigator.clipboard.writeText = () => Promise.reject(new DOMException("not allowed", "NotAllowedError")), true)`, nil)
	tab.click("New token")
	tab.typeIn("Used for", "nightly report")
	tab.click("Create")
	tab.sees("it is not shown again")
	tab.click("Copy")
	tab.until("it is told", `document.querySelector(".toast.is-failed")?.innerText.includes("not allowed")`)
}

// TestARefusalWithoutWordsIsTold checks that an answer that gives no reason is reported by its
// status. HTTP/2 has no reason phrases, so a proxy's refusal may have no words at all.
func TestARefusalWithoutWordsIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.job(s.group("Orders"), "settle orders", nil)
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/trigger") {
			conn, out, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = out.WriteString("HTTP/1.1 413 \r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				_ = out.Flush()
				_ = conn.Close()
			}
			return
		}
		next.ServeHTTP(w, r)
	}).open("jobs")
	tab.allowed = append(tab.allowed, "status of 413")
	tab.click("Run settle orders now")
	tab.click("Run now")
	tab.until("the dialog says it", `document.querySelector("dialog .field-error")?.innerText.includes("413")`)
}

// TestALogThatBreaksOffSaysSo checks that a log says why no more lines come, until more come.
func TestALogThatBreaksOffSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	run := s.run(s.job(s.group("Orders"), "count", map[string]any{"executorHandler": "count"}), "")
	intact, breakOff := context.WithCancel(t.Context())
	var refuses atomic.Bool
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if path := r.URL.Path; strings.HasSuffix(path, "/tail") || strings.HasSuffix(path, "/log") {
			if refuses.Load() {
				refuse(w, http.StatusInternalServerError)
				return
			}
			if intact.Err() == nil {
				ctx, cancel := context.WithCancel(r.Context())
				defer context.AfterFunc(intact, cancel)()
				r = r.WithContext(ctx)
			}
		}
		next.ServeHTTP(w, r)
	}).open(fmt.Sprintf("runs/%d", run))
	tab.allowed = append(tab.allowed, "500 (Internal Server Error)", "net::ERR_")
	tab.until("lines come", `document.querySelectorAll(".log-line").length > 1`)
	refuses.Store(true)
	breakOff()
	tab.until("the reason stands above them", `document.querySelector(".panel .banner")?.innerText.includes("the disk is full") && document.querySelectorAll(".log-line").length > 1`)
	tab.accessible("log-broken-off")
	refuses.Store(false)
	tab.until("the reason is gone", `!document.querySelector(".panel .banner") && document.querySelectorAll(".log-line").length > 1`)
}

// TestManyJobsUntilTheConnectionBreaks checks that what was done before the connection broke is
// counted and can be taken back, and that what has no result is counted apart, also when jobs are
// taken back.
func TestManyJobsUntilTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	for i := range 5 {
		s.job(group, fmt.Sprintf("settle %d", i), map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "3600"})
	}
	const withResult = 3
	var lines atomic.Int32
	lines.Store(1 + withResult) // the first is the number of jobs
	breaks := make(chan struct{})
	tab := s.through(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path != "/api/v1/jobs/bulk" {
			next.ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		next.ServeHTTP(whole, r)
		_, _ = io.WriteString(w, strings.Join(slices.Collect(strings.Lines(whole.Body.String()))[:lines.Load()], ""))
		_ = http.NewResponseController(w).Flush()
		select { // the browser may drop what it has not passed on when the connection breaks
		case <-breaks:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	}).open("jobs")
	tab.allowed = append(tab.allowed, "net::ERR_")
	breakAfter := func(results int) {
		tab.until("results are there", fmt.Sprintf(`document.querySelector("dialog progress")?.value === %d`, results))
		breaks <- struct{}{}
	}
	tab.tick("Select all jobs of this page")
	tab.click("Start")
	tab.sees("Start 5 jobs?")
	tab.click("Start")
	breakAfter(withResult)
	tab.sees("3 jobs done.")
	tab.sees("2 jobs have no result")
	lines.Add(-1)
	tab.click("Undo")
	breakAfter(withResult - 1)
	tab.sees("2 jobs taken back.")
	tab.sees("1 jobs have no result")
	require.Equal(t, 2, s.running())
}

// TestAFileThatCannotBeReadIsTold checks that the page reports a file that is gone when it is read.
func TestAFileThatCannotBeReadIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	tab := s.open("transfer")
	tab.eval(`(File.prototype.text = () => Promise.reject(new DOMException("the file is gone", "NotFoundError")), true)`, nil)
	tab.give(map[string]string{"jobs.yaml": "jobs: []"})
	tab.until("it is told", `document.querySelector(".toast.is-failed")?.innerText.includes("the file is gone")`)
	tab.until("the same file can be chosen again", `document.querySelector("input[type=file]").value === ""`)
}

package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

//go:embed testdata/axe.min.js
var axe string

// A tab is a page of the browser. One that open returns has a profile of its own, and the test
// fails at its end if the page wrote an error or a warning, broke its policy, or asked another
// host.
type tab struct {
	t   testing.TB
	ctx context.Context
	at  *site

	mu      sync.Mutex
	faults  []string
	found   map[string]bool // findings of axe that were reported
	allowed []string        // parts of faults that the test makes on purpose
}

// limit is how long one step in the browser may take, on a busy machine.
const limit = 30 * time.Second

// open opens a tab at a path of the console.
func (s *site) open(path string) *tab {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.profile()) // ends what listens, and leaves the window open
	tab := &tab{t: s.t, ctx: ctx, at: s, found: map[string]bool{}}
	home, err := url.Parse(s.url)
	require.NoError(s.t, err)
	require.NoError(s.t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				tab.fault("console: %s", arguments(e.Args))
			}
		case *runtime.EventExceptionThrown:
			tab.fault("exception: %s %s", e.ExceptionDetails.Text, arguments([]*runtime.RemoteObject{e.ExceptionDetails.Exception}))
		case *cdplog.EventEntryAdded:
			if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Level == cdplog.EntryLevelWarning {
				tab.fault("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
			}
		case *network.EventRequestWillBeSent:
			if to, err := url.Parse(e.Request.URL); err == nil && to.Host != home.Host && to.Scheme != "data" {
				tab.fault("request to another host: %s", e.Request.URL)
			}
		}
	}))
	s.t.Cleanup(func() {
		tab.mu.Lock()
		faults := slices.Clone(tab.faults)
		tab.mu.Unlock()
		cancel()
		for _, fault := range faults {
			if !slices.ContainsFunc(tab.allowed, func(part string) bool { return strings.Contains(fault, part) }) {
				s.t.Error(fault)
			}
		}
	})
	tab.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err1 := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		_, err2 := cdp.Call(ctx, t, cdplog.Enable, cdp.Empty{})
		return errors.Join(err1, err2)
	}), chromedp.EmulateViewport(1440, 900))
	tab.visit(path)
	return tab
}

// signIn gives the tab the site's token and opens a path.
func (s *site) signIn(path string) *tab {
	s.t.Helper()
	tab := s.open("help#token=" + s.token)
	tab.until("the token is taken", `sessionStorage.getItem("xxlwheel.token")`) // once the scheduler has said who asks
	tab.visit(path)
	return tab
}

func (t *tab) fault(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

func arguments(args []*runtime.RemoteObject) string {
	var texts []string
	for _, a := range args {
		if a == nil {
			continue
		}
		texts = append(texts, string(a.Value)+a.Description)
	}
	return strings.Join(texts, " ")
}

// do runs steps in the page.
func (t *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	require.NoError(t.t, chromedp.Do(ctx, steps...))
}

// visit opens a path of the console and waits until its data is there.
func (t *tab) visit(path string) {
	t.t.Helper()
	t.do(chromedp.Navigate(t.at.url + "/console/" + path))
	t.settled()
}

// settled waits until the page has its heading and nothing is being loaded for the first time, or
// sign-in is asked for.
func (t *tab) settled() {
	t.t.Helper()
	t.until("the page is there", `document.querySelector("h1") !== null && (document.querySelector(".waiting") === null || document.querySelector("dialog[open]") !== null)`)
}

// eval evaluates an expression in the page and stores the result, or what it promises, in value;
// nil stores nothing.
func (t *tab) eval(expression string, value any) {
	t.t.Helper()
	require.NoError(t.t, t.mayEval(expression, value), expression)
}

func (t *tab) mayEval(expression string, value any) error {
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("Promise.resolve(("+expression+")).then((v) => JSON.stringify(v ?? null))", chromedp.EvalAwaitPromise))
	if err != nil || value == nil {
		return err
	}
	return json.Unmarshal([]byte(text), value)
}

// until waits until an expression is true.
func (t *tab) until(what, expression string) {
	t.t.Helper()
	var err error
	if !testserver.Within(limit, func() bool {
		var is bool
		err = t.mayEval("!!("+expression+")", &is) // fails while the page changes
		return err == nil && is
	}) {
		t.picture("failed")
		t.t.Fatalf("not within %v: %s (%s) %v", limit, what, expression, err)
	}
}

// sees waits until the page shows a text.
func (t *tab) sees(text string) {
	t.t.Helper()
	quoted, err := json.Marshal(text)
	require.NoError(t.t, err)
	t.until("the page shows "+text, "document.body.innerText.includes("+string(quoted)+")")
}

// click presses the control with this accessible name, which is its text or its label.
func (t *tab) click(name string) {
	t.t.Helper()
	quoted, err := json.Marshal(name)
	require.NoError(t.t, err)
	find := `[...(document.querySelector("dialog[open]") ?? document).querySelectorAll("button, a, [role=option], summary")].find((e) => e.checkVisibility() && (e.getAttribute("aria-label") ?? e.innerText).trim() === ` + string(quoted) + `)`
	t.until("there is "+name, `((e) => e && !e.disabled && (e.click(), true))(`+find+`)`)
}

// typeIn replaces the text of the field with this label, with the keyboard.
func (t *tab) typeIn(label, text string) {
	t.t.Helper()
	quoted, err := json.Marshal(label)
	require.NoError(t.t, err)
	field := `[...(document.querySelector("dialog[open]") ?? document).querySelectorAll("input, textarea, select")].find((e) => (e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? "").replace("*", "").trim() === ` + string(quoted) + `)`
	t.until("there is a field "+label, field)
	t.eval(field+`.focus(), `+field+`.select?.()`, nil)
	t.do(chromedp.KeyEvent(text))
}

// tick presses the box with this label.
func (t *tab) tick(label string) {
	t.t.Helper()
	box := fmt.Sprintf(`[...document.querySelectorAll("input[type=checkbox]")].find((e) => (e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? "").trim() === %q)`, label)
	t.until("there is a box "+label, `((e) => e && !e.disabled && (e.click(), true))(`+box+`)`)
}

// choose selects the option with this value in the last list with this label.
func (t *tab) choose(label, value string) {
	t.t.Helper()
	script := fmt.Sprintf(`(() => { const e = [...(document.querySelector("dialog[open]") ?? document).querySelectorAll("select")].reverse().find((e) => (e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? "").replace("*", "").trim() === %q); e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); e.dispatchEvent(new Event("input", { bubbles: true })); return e.value; })()`, label, value)
	var is string
	t.eval(script, &is)
	require.Equal(t.t, value, is, label)
}

// setTime gives the field of date and time whose label begins with this text a value, as a picker
// does.
func (t *tab) setTime(label, wall string) {
	t.t.Helper()
	field := fmt.Sprintf(`[...document.querySelectorAll("input[type=datetime-local]")].find((e) => e.labels[0].innerText.startsWith(%q))`, label)
	t.until("there is a field "+label, field)
	t.eval(fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); })(%s)`, wall, field), nil)
}

func (t *tab) press(keys string) {
	t.t.Helper()
	t.do(chromedp.KeyEvent(keys))
}

// look sets the width of the window, and language and theme with the buttons of the page.
func (t *tab) look(lang, theme string, width int64) {
	t.t.Helper()
	t.do(chromedp.EmulateViewport(width, 900))
	t.until("the page speaks "+lang, fmt.Sprintf(`document.documentElement.lang === %q || void document.querySelector("button.lang").click()`, lang))
	t.until("the page is "+theme, fmt.Sprintf(`document.documentElement.dataset.theme === %q || void document.querySelector("button.lang + button").click()`, theme))
	t.settled()
}

// accessible fails the test on each finding of axe, by the rules of WCAG 2.2 A and AA. It searches
// the first 20 rows of a list: the others come from the same lines of code.
func (t *tab) accessible(where string) {
	t.t.Helper()
	var findings []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	var loaded bool
	t.eval("typeof axe !== 'undefined'", &loaded)
	if !loaded {
		t.eval("(() => { "+axe+" })()", nil)
	}
	// axe measures only the part of a control that the bar at the top does not cover.
	t.eval(`scrollTo(0, 0)`, nil)
	t.eval(`axe.run({ exclude: ["tbody tr:nth-child(n+21)"] }, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"], preload: false }).then((r) => r.violations.map((v) => ({ ID: v.id, Help: v.help, Nodes: v.nodes.slice(0, 3).map((n) => ({ HTML: n.html.slice(0, 200), FailureSummary: n.failureSummary })) })))`, &findings)
	for _, f := range findings {
		if finding := fmt.Sprint(f); t.found[finding] { // on another page already
			continue
		} else {
			t.found[finding] = true
		}
		t.t.Errorf("%s: axe %s: %s: %+v", where, f.ID, f.Help, f.Nodes)
	}
}

// fits fails the test if the page is wider than the window, a panel's content wider than the panel,
// a table wider than its place, a value apart from its name, or the chosen tab out of view. Tables
// have to fit only at a phone's 390 px and from 1024 px on: a window that is enlarged four times is
// narrower than a phone's.
func (t *tab) fits(where string) {
	t.t.Helper()
	var size struct {
		Page, Window float64
		Widest, Out  string
	}
	// Pages follow a new width in the frame after it.
	t.eval(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => {
		const right = (e) => e.getBoundingClientRect().right;
		const widest = [...document.querySelectorAll("main *")].filter((e) => !e.closest(".spoken")).reduce((a, b) => (right(b) >= right(a) ? b : a), document.body);
		const wide = [...document.querySelectorAll(innerWidth >= 1024 || innerWidth === 390 ? ".panel-body, .table-box:not(.graph)" : ".panel-body")].find((e) => e.scrollWidth > e.clientWidth + 1);
		const tab = document.querySelector(".tabs [aria-current]");
		const apart = [...document.querySelectorAll(".facts:not(.is-list) dd")].find((e) => {
			const name = new Range();
			name.selectNodeContents(e.previousElementSibling);
			return e.getBoundingClientRect().top - name.getBoundingClientRect().bottom > 5;
		});
		const out = wide ?? apart ?? (tab && right(tab) > right(tab.parentElement) + 1 ? tab : undefined);
		return { Page: document.documentElement.scrollWidth, Window: innerWidth, Widest: widest.outerHTML.slice(0, 120), Out: out ? out.scrollWidth + " in " + out.clientWidth + ": " + out.outerHTML.slice(0, 300) : "" };
	})`, &size)
	if size.Page > size.Window {
		t.t.Errorf("%s: the page is %v wide, the window %v: %s", where, size.Page, size.Window, size.Widest)
	}
	if size.Out != "" {
		t.t.Errorf("%s: does not fit its place: %s", where, size.Out)
	}
}

// looksRight judges the page in both languages, on a narrow and a wide screen, and takes a picture
// of each by name.
func (t *tab) looksRight(name string) {
	for _, lang := range []string{"zh-CN", "en"} {
		for _, width := range []int64{390, 1440} {
			where := fmt.Sprintf("%s-%s-%d", name, lang, width)
			t.look(lang, "light", width)
			t.fits(where)
			t.accessible(where)
			t.picture(where)
		}
	}
}

// picture writes a picture of the window, if a folder is given.
func (t *tab) picture(name string) {
	t.t.Helper()
	if *screens == "" {
		return
	}
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t.t, err)
	require.NoError(t.t, os.MkdirAll(*screens, 0o755))
	require.NoError(t.t, os.WriteFile(*screens+"/"+name+".png", data, 0o644))
}

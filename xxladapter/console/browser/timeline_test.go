package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// The timeline shows due times above runs, results, what is still to come, and the same in a table.
func TestTheTimelineOfAJob(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	failing := s.job(group, "collect payments", map[string]any{"executorHandler": "fail", "scheduleType": "FIX_RATE", "scheduleConf": "2"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", failing), nil, nil)
	var list struct{ Runs []struct{ ID int64 } }
	testserver.Eventually(s.t, 30*time.Second, "it failed twice", func() bool {
		s.call("GET", fmt.Sprintf("/runs?job=%d&status=FAIL", failing), nil, &list)
		return len(list.Runs) > 1
	})
	tab := s.open(fmt.Sprintf("jobs/%d", failing))
	tab.click("Timeline")
	drawn := func(class string) string {
		return fmt.Sprintf(`(document.querySelector("svg.chart path.%s")?.getAttribute("d") ?? "")`, class)
	}
	tab.until("failed runs are drawn", drawn("bar-fail")+`.split("M").length > 2`)
	tab.until("none has succeeded", drawn("bar-ok")+` === ""`)
	tab.until("what is to come is drawn", `[...document.querySelectorAll("svg.chart path[stroke-dasharray='2 2']")].some((p) => p.getAttribute("d"))`)
	tab.until("the picture says its figures", `/[2-9]\d* failed, 0 misfires/.test(document.querySelector("svg.chart").getAttribute("aria-label"))`)
	tab.until("the table has what is to come", `document.querySelector(".table").innerText.includes("To come")`)

	s.call("POST", fmt.Sprintf("/jobs/%d/stop", failing), nil, nil)
	tab.click("7 days")
	tab.until("the length is in the address", `location.search.includes("span=7d")`)
	tab.click("30 days")
	tab.until("a month is in the address, and its runs are drawn", `location.search.includes("span=30d") && `+drawn("bar-fail")+` !== ""`)
	for _, look := range []struct {
		lang, theme string
		width       int64
	}{
		{"en", "light", 1440}, {"zh-CN", "dark", 1024}, {"zh-CN", "light", 390}, {"en", "dark", 390},
	} {
		tab.look(look.lang, look.theme, look.width)
		tab.visit(fmt.Sprintf("jobs/%d/timeline?span=30d", failing))
		tab.until("a month is drawn", `document.querySelectorAll("svg.chart g text").length > 1`)
		tab.until("its days stand apart", `(() => { const at = [...document.querySelectorAll("svg.chart g text")].map((e) => e.getBoundingClientRect()); return at.every((b, i) => i === 0 || b.left > at[i - 1].right); })()`)
		name := fmt.Sprintf("timeline-month-%s-%s-%d", look.lang, look.theme, look.width)
		tab.accessible(name)
		tab.fits(name)
		tab.picture(name)
	}
	for day := range 14 { // the marks of the axis repeat after 14 days; each month has the runs
		to := time.Now().AddDate(0, 0, day+1).UTC().Format(time.RFC3339)
		tab.visit(fmt.Sprintf("jobs/%d/timeline?span=30d&to=%s", failing, to))
		tab.until("a month before "+to+" has two days by name", `document.querySelectorAll("svg.chart g text").length > 1`)
	}
	tab.look("en", "light", 1440)
	tab.visit(fmt.Sprintf("jobs/%d/timeline?span=30d", failing))
	tab.click("1 hour")
	tab.click("Earlier")
	tab.until("nothing ran an hour ago", `document.body.innerText.includes("Nothing was due, and nothing ran") && location.search.includes("to=")`)
	tab.click("Now")
	tab.until("the present again", drawn("bar-fail")+` !== ""`)
	tab.until("a click on a bar opens its run", fmt.Sprintf(`document.querySelector('.table a[href$="/runs/%d"]')`, list.Runs[0].ID))
	tab.eval(`(() => { const svg = document.querySelector("svg.chart"); const m = /M([\d.]+) (\d+)H/.exec(svg.querySelector(".bar-fail").getAttribute("d")); const box = svg.getBoundingClientRect(); const by = { bubbles: true, clientX: box.left + Number(m[1]) * box.width / svg.viewBox.baseVal.width + 1, clientY: box.top + Number(m[2]) + 3 }; svg.dispatchEvent(new MouseEvent("click", by)); })()`, nil)
	tab.until("the run is open", `/\/runs\/\d+$/.test(location.pathname) && document.querySelector(".page-title .is-fail.status")`)
}

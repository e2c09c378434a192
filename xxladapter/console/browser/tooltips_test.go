package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// What a pointer sees in a tooltip is reachable without one: the names of the rail's icons, the
// figures of a chart, the browser's zone, and notes and addresses that are longer than a line.
func TestNothingIsToldByATooltipAlone(t *testing.T) {
	t.Parallel()
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = tokyo })
	run := s.run(s.job(s.group("Orders"), "settle orders", nil), "")
	s.ended(run)
	address := "http://settlement-service-of-all-merchants-and-regions.example.org:9999/"
	var group struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "manual", "addressType": 1, "addressList": []string{address}}, &group)
	note := "Replaced on Thursday by the machine in rack 12; kept until the audit has read its disks."
	s.call("POST", fmt.Sprintf("/groups/%d/drain", group.ID), map[string]any{"address": address, "note": note}, nil)

	tab := s.open("")
	tab.look("en", "light", 1024)
	const words = `[...document.querySelectorAll(".rail-list .rail-text")].every((e) => e.checkVisibility())`
	tab.until("the rail has icons only", "!("+words+")")
	tab.click("Menu")
	tab.until("the menu says their names", words+` && document.querySelector(".top-menu button").getAttribute("aria-expanded") === "true"`)
	tab.accessible("rail-open-1024")
	tab.picture("rail-open-1024")
	tab.click("Executors")
	tab.until("a name leads to its page and closes the menu", `location.pathname.endsWith("/executors") && !document.querySelector(".rail.is-open")`)

	tab.visit("")
	tab.until("the chart can show its figures", `document.querySelector("figure details:not([open]) > summary")?.innerText === "All figures"`)
	tab.eval(`document.querySelector("figure summary").click()`, nil)
	tab.until("each hour has its row", `[...document.querySelectorAll("figure tbody tr")].filter((e) => e.checkVisibility() && /^\d\d:00( \d+){3}$/.test(e.innerText.trim().replace(/\s+/g, " "))).length === 24`)
	tab.accessible("overview-figures")
	tab.fits("overview-figures")

	tab.visit(fmt.Sprintf("runs/%d", run))
	tab.until("the page of a run names the browser's offset where the times have another", `[...document.querySelectorAll(".page-title .tag")].some((e) => /^Browser UTC([+-](?!09:00)|$)/.test(e.innerText))`)

	tab.visit("settings")
	tab.click("Pause schedules")
	tab.until("a field of time names its zone", `document.querySelector("dialog input[type=datetime-local]")?.labels[0].innerText === "Until (UTC+09:00)"`)

	for _, width := range []int64{1024, 390} {
		tab.look("en", "light", width)
		tab.visit(fmt.Sprintf("executors/%d", group.ID))
		tab.until("the address and its note are whole", fmt.Sprintf(`((cell) => [%q, %q].every((text) => cell?.innerText.includes(text)) && [cell, ...cell.querySelectorAll("*")].every((e) => e.scrollWidth <= e.clientWidth || getComputedStyle(e).display === "inline"))(document.querySelector("tbody td"))`, address, note))
		tab.fits(fmt.Sprint("executor-long-", width))
		tab.accessible(fmt.Sprint("executor-long-", width))
		tab.picture(fmt.Sprint("executor-long-", width))
	}
}

// What needs attention stands above the chart where there is no room beside it, and it comes first
// for keys and screen readers at each width.
func TestWhatNeedsAttentionComesFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	tab := s.open("")
	const top = `((name) => document.querySelector("[aria-label='" + name + "']").getBoundingClientRect())`
	tab.until("the panels are there", `document.querySelector("[aria-label='Needs attention'].panel") && document.querySelector("[aria-label='Results'].panel")`)
	for width, want := range map[int64]string{
		1440: top + `("Needs attention").left > ` + top + `("Results").right && ` + top + `("Needs attention").top === ` + top + `("Results").top`,
		1024: top + `("Needs attention").bottom < ` + top + `("Results").top`,
		390:  top + `("Needs attention").bottom < ` + top + `("Results").top`,
	} {
		tab.look("en", "light", width)
		tab.until(fmt.Sprintf("it has its place at %d px", width), want)
		tab.until("it comes first", `[...document.querySelectorAll("main .panel")][0].getAttribute("aria-label") === "Needs attention"`)
		tab.until("the next fires stand below it", top+`("Next fires").top > `+top+`("Needs attention").bottom`)
	}
}

// A notice stays while its button has the focus, and files are chosen with a button that speaks the
// language of the page.
func TestANoticeStaysWhileItIsPointedAt(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.job(s.group("Orders"), "settle orders", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "3600"})
	tab := s.open("jobs")
	tab.click("Schedule of settle orders")
	tab.until("a notice", `document.querySelector(".toast button")`)
	tab.eval(`document.querySelector(".toast button").focus(), window.shown = performance.now()`, nil)
	tab.until("it is there after its time", `performance.now() - shown > 8000 && document.querySelector(".toast")`)
	tab.eval(`document.activeElement.blur()`, nil)
	tab.until("it goes once it is left", `!document.querySelector(".toast")`)
	tab.visit("transfer")
	tab.look("zh-CN", "light", 1440)
	tab.until("a button chooses files", `[...document.querySelectorAll("main button")].some((e) => e.innerText.trim() === "选择文件") && !document.querySelector("input[type=file]").checkVisibility()`)
}

package browser

import (
	"fmt"
	"testing"
)

// Details that a reader sees at once: nothing that has room is cut, what belongs together stands on
// one line, and the words of the API are translated.
func TestDetailsOfPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	settle := s.job(group, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 ? * MON-FRI", "tags": []string{"finance", "nightly", "settlement-of-all-merchants"}})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", settle), nil, nil)
	failing := s.job(group, "collect payments", map[string]any{"executorHandler": "fail"})
	s.ended(s.run(failing, ""))
	var paused struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reports", "title": "Reports"}, &paused)
	s.call("POST", "/pauses", map[string]any{"jobGroup": paused.ID, "note": "the ledger moves"}, nil)

	tab := s.open("jobs")
	tab.look("en", "dark", 1440)
	tab.until("short tags are not cut", `((tags) => tags.length === 2 && tags.every((e) => e.scrollWidth <= e.clientWidth))([...document.querySelectorAll("tbody button.tag")])`)
	tab.until("a choice that is too long ends in dots", `[...document.querySelectorAll(".filters select")].every((e) => getComputedStyle(e).textOverflow === "ellipsis")`)
	const pressed = `((pressed) => light(pressed) / light(pressed.parentElement))(document.querySelector(".segments [aria-pressed=true]"))`
	const luminance = `((light) => %s >= 1.15)((e) => { const [r, g, b] = getComputedStyle(e).backgroundColor.match(/[\d.]+/g).slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; })`
	for _, theme := range []string{"dark", "light"} {
		tab.look("en", theme, 1440)
		tab.until("the segment that is chosen differs from its ground in "+theme, fmt.Sprintf(luminance, pressed))
	}
	tab.visit(fmt.Sprintf("jobs?show=%d", settle))
	tab.until("each next fire of the panel is one line", `((lines) => lines.length === 5 && lines.every((e) => e.getClientRects().length === 1))([...document.querySelectorAll(".drawer dd div > time")])`)

	tab.visit("")
	tab.until("the legend stands at the switch of the chart", `((legend) => legend && legend.nextElementSibling.getBoundingClientRect().left - legend.getBoundingClientRect().right < 40)(document.querySelector(".panel-head .legend"))`)
	tab.visit(fmt.Sprintf("jobs/%d/why", failing))
	tab.until("what unfolds is marked", `((e) => e && getComputedStyle(e).display === "list-item")(document.querySelector("[data-code=failed] summary"))`)
	tab.visit("settings")
	for lang, by := range map[string]string{"en": "without sign-in", "zh-CN": "未登录"} {
		tab.look(lang, "light", 1440)
		tab.until("who paused is translated", fmt.Sprintf(`[...document.querySelectorAll("tbody td")].some((e) => e.innerText.trim() === %q)`, by))
		tab.until("the zone of the scheduler is named", `![...document.querySelectorAll("dd")].some((e) => e.innerText.trim() === "Local")`)
	}
}

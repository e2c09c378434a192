package browser

import (
	"fmt"
	"testing"
)

// The overview names jobs that fail in a row, groups without an executor and jobs that have never
// fired, and leads to what explains them. A job that failed once is not among them.
func TestTheOverviewNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	broken := s.job(group, "collect payments", map[string]any{"executorHandler": "fail"})
	var newest int64
	for range 3 {
		newest = s.run(broken, "")
		s.ended(newest)
	}
	s.ended(s.run(s.job(group, "failed once", map[string]any{"executorHandler": "fail"}), ""))
	var idle struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reports", "title": "Reports"}, &idle)
	never := s.job(idle.ID, "close the year", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 1 1 ?"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", never), nil, nil)

	tab := s.open("")
	for _, entry := range []struct{ path, name, text string }{
		{fmt.Sprintf("runs/%d", newest), "collect payments", "Failed 3 times in a row."},
		{fmt.Sprintf("executors/%d", idle.ID), "Reports", "no executor is registered"},
		{fmt.Sprintf("jobs/%d/why", never), "close the year", "never fired"},
	} {
		tab.until(entry.text, fmt.Sprintf(`[...document.querySelectorAll("[aria-label='Needs attention'] li")].some((e) => e.querySelector("a").getAttribute("href") === "/console/%s" && e.innerText.includes(%q) && e.innerText.includes(%q))`, entry.path, entry.name, entry.text))
	}
	tab.until("nothing else needs attention", `document.querySelectorAll("[aria-label='Needs attention'] li").length === 3`)
	tab.until("the next fire is there", `document.querySelector("[aria-label='Next fires'] li").innerText.includes("close the year")`)
	tab.accessible("overview-attention")
	tab.picture("overview-attention")
	tab.click("collect payments")
	tab.until("it leads to the newest failure", fmt.Sprintf(`document.querySelector("h1").innerText === "Run %d"`, newest))
}

package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// The page names why a job ran badly, and leads to the records that prove it.
func TestWhyARunFailed(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "collect payments", map[string]any{"executorHandler": "fail"})
	run := s.run(job, "")
	s.ended(run)
	tab := s.open(fmt.Sprintf("jobs/%d", job))
	tab.click("Why")
	tab.until("the failure is named", `document.querySelector("[data-code=failed]")?.innerText.includes("payment gateway refused the settlement")`)
	tab.click("The rest of the message")
	tab.until("the trace is below it", `document.querySelector("[data-code=failed] pre")?.innerText.includes("Read timed out")`)
	tab.click("中文: 切换语言")
	tab.until("in Chinese too", `document.querySelector("[data-code=failed]")?.innerText.includes("失败")`)
	tab.click("EN: switch language")
	tab.click(fmt.Sprintf("Run #%d", run))
	tab.sees("Why it failed")
}

// A time at which nothing ran is explained by a schedule that is off, or that does not name the
// time.
func TestWhyNothingRan(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.job(group, "settle orders", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "1"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	testserver.Eventually(s.t, 30*time.Second, "it ran", func() bool {
		var list struct{ Runs []struct{ ID int64 } }
		s.call("GET", fmt.Sprintf("/runs?job=%d", job), nil, &list)
		return len(list.Runs) > 0
	})
	s.call("POST", fmt.Sprintf("/jobs/%d/stop", job), nil, nil)
	tab := s.open(fmt.Sprintf("jobs/%d/why", job))
	tab.until("the last due time did run", `document.querySelector("[data-code=ran]")`)

	// The field is filled by script: how its parts are typed depends on the browser's language.
	field := `document.querySelector("input[type=datetime-local]")`
	ask := func(value string) {
		t.Helper()
		tab.eval(fmt.Sprintf(`%s.value = %q, %s.dispatchEvent(new Event("input", { bubbles: true }))`, field, value, field), nil)
		tab.click("Explain")
	}
	ask("2099-03-01T02:00")
	tab.until("the schedule is off", `document.querySelector("[data-code=stopped]")?.innerText.includes("switched it off")`)
	tab.until("the time is in the address", `location.search.includes("at=2099-0")`)
	tab.until("the field shows it", field+`.value.startsWith("2099-03-01T02:00")`)
	ask("")
	tab.sees("Give a date and a time")
	tab.click("Last due time")
	tab.until("the last due time again", `document.querySelector("[data-code=ran]") && location.search === ""`)
	ask("2099-03-01T02:00")
	tab.until("the change proves it", `document.querySelector("[data-code=stopped] a")`)
	tab.eval(`document.querySelector("[data-code=stopped] a").click()`, nil)
	tab.until("the audit is open", `location.pathname.endsWith("/changes") && document.querySelector(".entries")`)
	tab.until("it says what was done", `["created", "started", "stopped"].every((did) => document.querySelector(".entries").innerText.includes(did))`)

	nightly := s.job(group, "nightly", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 2 * * ?"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", nightly), nil, nil)
	tab.visit(fmt.Sprintf("jobs/%d/why?at=2099-03-01T05:00:00Z", nightly))
	tab.until("the nearest times are named", `document.querySelector("[data-code=no_match]")?.innerText.match(/ 2099-0[23]-\d\d 02:30:00 /)`)

	tab.allowed = append(tab.allowed, "400 (Bad Request)")
	tab.visit(fmt.Sprintf("jobs/%d/why?at=nonsense", nightly))
	tab.until("a wrong time in the address is refused", `document.querySelector(".is-failure")`)
}

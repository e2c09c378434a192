package browser

import (
	"fmt"
	"testing"
)

// The browser's back button asks, as links do, before it leaves a form with changes.
func TestGoingBackKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open(fmt.Sprintf("jobs/%d", job))
	tab.click("Edit")
	tab.typeIn("Retries", "2")
	tab.until("the change can be reviewed", `[...document.querySelectorAll("button[type=submit]")].some((b) => !b.disabled)`)
	tab.eval(`(window.confirm = () => { window.asked = (window.asked ?? 0) + 1; return window.asked > 1; }, true)`, nil)
	tab.eval(`history.back()`, nil)
	tab.until("the page asks", `window.asked === 1`)
	tab.until("the form and its address stay", fmt.Sprintf(`location.pathname.endsWith("/jobs/%d/edit") && document.querySelector("[name=executorFailRetryCount]")?.value === "2"`, job))
	tab.eval(`history.back()`, nil)
	tab.until("the page asks again", `window.asked === 2`)
	tab.until("the page before is there", fmt.Sprintf(`location.pathname.endsWith("/jobs/%d") && !document.querySelector("[name=executorFailRetryCount]")`, job))
	tab.eval(`history.forward()`, nil)
	tab.until("a form without changes does not ask", `document.querySelector("[name=executorFailRetryCount]")?.value === "0" && window.asked === 2`)
}

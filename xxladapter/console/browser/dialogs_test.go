package browser

import (
	"fmt"
	"testing"
)

// A dialog gives the focus to its first field, or to what cancels it, and not to the button that
// closes it. One that is higher than the window keeps its buttons in view.
func TestDialogs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open("jobs")
	tab.click("Run settle orders now")
	tab.until("the parameter has the focus", `document.activeElement.matches("dialog textarea")`)
	tab.click("Cancel")
	tab.tick("Select settle orders")
	tab.click("Stop")
	tab.sees("Stop 1 job?")
	tab.visit(fmt.Sprintf("jobs/%d", job))
	tab.click("Delete")
	tab.until("what cancels it has the focus", `document.activeElement.matches("dialog button") && document.activeElement.innerText === "Cancel"`)

	tab.visit("settings")
	tab.look("en", "dark", 1024)
	tab.click("Edit cn")
	tab.until("each day has a line", `/^(\d{4}-\d\d-\d\d\n)+\d{4}-\d\d-\d\d$/.test(document.querySelector("dialog textarea")?.value)`)
	tab.until("its buttons are in view", `((box) => box.top > 0 && box.bottom <= innerHeight)(document.querySelector("dialog .dialog-foot button[type=submit]").getBoundingClientRect())`)
	tab.accessible("calendar")
	tab.picture("calendar-dark-1024")
}

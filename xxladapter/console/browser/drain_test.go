package browser

import (
	"fmt"
	"testing"
)

// An address is drained, and gets runs again, on the page of its group.
func TestDrainingAnExecutor(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.job(group, "settle orders", nil)
	var g struct {
		AddressList []string
		Drains      []struct{ Address, Note string }
	}
	s.call("GET", fmt.Sprintf("/groups/%d", group), nil, &g)
	address := g.AddressList[0]
	tab := s.open(fmt.Sprintf("executors/%d", group))
	tab.click("Drain " + address)
	tab.typeIn("Note", "kernel update")
	tab.accessible("drain")
	tab.picture("drain")
	tab.click("Drain")
	tab.sees("gets no new runs")
	tab.sees("kernel update")
	tab.accessible("drained")
	tab.picture("drained")
	failed := s.run(job, "")
	s.ended(failed)
	tab.visit(fmt.Sprintf("runs/%d", failed))
	tab.until("the run found no executor", `document.querySelector(".page-title .is-fail.status")`)
	tab.visit(fmt.Sprintf("jobs/%d/why", job))
	tab.until("why names the drain", `document.querySelector("[data-code=drained]")`)
	tab.visit(fmt.Sprintf("executors/%d", group))
	tab.click("Send runs to " + address + " again")
	tab.click("End")
	tab.until("it is no longer drained", `!document.querySelector(".tag.is-warn")`)
	done := s.run(job, "")
	s.ended(done)
	tab.visit(fmt.Sprintf("runs/%d", done))
	tab.until("the run succeeded", `document.querySelector(".page-title .is-success.status")`)
}

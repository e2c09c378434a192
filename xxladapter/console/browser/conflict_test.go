package browser

import (
	"fmt"
	"testing"
)

// A change that somebody else saved while a form was open is shown and kept.
func TestTwoEditors(t *testing.T) {
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open(fmt.Sprintf("jobs/%d/edit", job))
	tab.allowed = append(tab.allowed, "409 (Conflict)")
	tab.typeIn("Retries", "2")
	s.call("PUT", fmt.Sprintf("/jobs/%d", job), map[string]any{"author": "li.na"}, nil)
	tab.click("Review changes")
	tab.click("Save")
	tab.sees("Somebody else changed this")
	tab.until("both changes are shown", `document.querySelector("dialog .diff")?.innerText.replace(/\s+/g, " ").includes("Owner li.na wang.fang Retries 0 2")`)
	tab.accessible("conflict")
	tab.picture("conflict")
	tab.click("Continue with mine on top")
	tab.click("Review changes")
	tab.click("Save")
	tab.sees("settle orders was saved")
	var is struct {
		Author                 string
		ExecutorFailRetryCount int
	}
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
	if is.Author != "li.na" || is.ExecutorFailRetryCount != 2 {
		t.Errorf("the job has %+v, want the changes of both", is)
	}
}

package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A change that somebody else saved while a form was open is shown and kept.
func TestTwoEditors(t *testing.T) {
	t.Parallel()
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
	tab.click("Take theirs")
	tab.until("the form has theirs", `document.querySelector("[name=author]").value === "li.na" && document.querySelector("[name=executorFailRetryCount]").value === "0"`)
	tab.typeIn("Retries", "2")
	s.call("PUT", fmt.Sprintf("/jobs/%d", job), map[string]any{"executorTimeout": 30}, nil)
	tab.click("Review changes")
	tab.click("Save")
	tab.until("what changed since is shown", `document.querySelector("dialog .diff")?.innerText.replace(/\s+/g, " ").includes("Time limit, seconds 30 0")`)
	tab.click("Continue with mine on top")
	tab.click("Review changes")
	tab.click("Save")
	tab.sees("settle orders was saved")
	var is struct {
		Author                 string
		ExecutorFailRetryCount int
		ExecutorTimeout        int
	}
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
	if is.Author != "li.na" || is.ExecutorFailRetryCount != 2 || is.ExecutorTimeout != 30 {
		t.Errorf("the job has %+v, want the changes of both", is)
	}
}

// Somebody else edits a group while its dialog is open. The differences are shown, and the user can
// take those changes or continue with their own on top.
func TestTwoEditorsOfAGroup(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	path := fmt.Sprintf("/groups/%d", s.group("Orders"))
	for _, taken := range []struct{ button, title, app string }{
		{"Take theirs", "Theirs", siteApp},
		{"Continue with mine on top", "Mine", "renamed-service"},
	} {
		s.call("PUT", path, map[string]any{"appName": siteApp, "title": "Orders", "addressType": 0}, nil)
		tab := s.open("executors/1")
		tab.allowed = append(tab.allowed, "409 (Conflict)")
		tab.press("e")
		tab.typeIn("App name", siteApp) // chromedp types the e in spite of preventDefault
		tab.typeIn("Name", "Mine")
		other := map[string]any{"appName": siteApp, "title": "Theirs", "addressType": 0}
		if taken.title == "Mine" {
			other = map[string]any{"appName": "renamed-service", "title": "Orders", "addressType": 0}
		}
		s.call("PUT", path, other, nil)
		tab.click("Save")
		tab.sees("Somebody else changed this")
		if taken.title == "Mine" {
			tab.until("both changes are shown", `document.querySelector("dialog .diff").innerText.replace(/\s+/g, " ").includes("App name renamed-service orders-service Name Orders Mine")`)
			tab.until("and marked", `[...document.querySelectorAll("dialog ins")].map((e) => e.innerText).join() === "renamed-service,Mine"`)
		} else {
			tab.until("both changes are shown", `document.querySelector("dialog .diff").innerText.replace(/\s+/g, " ").includes("Name Theirs Mine")`)
		}
		tab.accessible("conflict of a group")
		tab.picture("conflict-group")
		tab.click("Back")
		tab.until("nothing typed is lost", `document.querySelectorAll("dialog input")[1]?.value === "Mine"`)
		tab.click("Save")
		tab.sees("Somebody else changed this")
		tab.click(taken.button)
		tab.until("the form keeps what was taken", fmt.Sprintf(`[...document.querySelectorAll("dialog input")].slice(0, 2).map((e) => e.value).join() === %q`, taken.app+","+taken.title))
		tab.click("Save")
		tab.sees(taken.title + " was saved")
		var is struct{ AppName, Title string }
		s.call("GET", path, nil, &is)
		require.Equal(t, taken.app, is.AppName)
		require.Equal(t, taken.title, is.Title)
	}
}

package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// An earlier version of a job is restored from the page of its changes, after a dialog has shown
// the fields that the restore changes. The schedule stays on. Viewers are offered no restore.
func TestAnEarlierVersionOfAJobIsRestored(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	job := s.job(group, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 1 1 ?", "executorParam": "first"})
	path := fmt.Sprintf("/jobs/%d", job)
	s.call("PUT", path, map[string]any{"scheduleConf": "0 0 3 1 1 ?", "executorParam": "second"}, nil)
	s.call("POST", path+"/start", nil, nil)

	tab := s.signIn(fmt.Sprintf("jobs/%d/changes", job))
	tab.until("the newest of three is in use", `((l) => l.length === 3 && l[0].innerText.includes("In use") && !l[0].querySelector("button"))(document.querySelectorAll(".versions li"))`)
	tab.until("the button begins where the version above it does", `((e) => e && Math.abs(e.getBoundingClientRect().left + 7 - e.closest("li").querySelector("b").getBoundingClientRect().left) < 1)([...document.querySelectorAll(".versions button")].at(-1))`)
	tab.click("Restore 1")
	tab.until("it shows what comes back, and nothing else", `[...document.querySelectorAll("dialog .audit-changes li")].map((l) => l.innerText.replace(/\s+/g, " ")).sort().join("; ") === "Parameter second → first; Schedule 0 0 3 1 1 ? → 0 0 2 1 1 ?"`)
	tab.accessible("version-restore")
	tab.picture("version-restore")
	tab.click("Restore")
	tab.sees("The version was restored")
	tab.until("as a new version", `document.querySelectorAll(".versions li").length === 4`)
	tab.fits("job-changes")
	var is struct {
		ScheduleConf, ExecutorParam string
		Running                     bool
	}
	s.call("GET", path, nil, &is)
	require.Equal(t, "0 0 2 1 1 ?", is.ScheduleConf)
	require.Equal(t, "first", is.ExecutorParam)
	require.True(t, is.Running)

	s.user("root", 0, "admin")
	s.user("viewer", 0, "viewer")
	reader := s.signedIn("viewer", fmt.Sprintf("jobs/%d/changes", job))
	reader.until("the versions are there", `document.querySelectorAll(".versions li").length === 4`)
	reader.until("without a way to restore them", `!document.querySelector(".versions button")`)
}

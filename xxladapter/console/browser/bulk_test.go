package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// running returns how many jobs are on.
func (s *site) running() int {
	s.t.Helper()
	var list struct{ Count int }
	s.call("GET", "/jobs?running=true&count&limit=1", nil, &list)
	return list.Count
}

// Jobs are selected by mouse and by key, started together, and taken back; each refusal has its
// reason.
func TestManyJobsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	for i := range 8 {
		s.job(group, fmt.Sprintf("settle %d", i), map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "3600"})
	}
	s.job(group, "by hand only", nil)
	tab := s.open("jobs")
	tab.until("rows", `document.querySelectorAll("tbody tr").length === 9`)
	tab.press("j")
	tab.press("x")
	tab.sees("1 job selected")
	tab.click("Clear selection")
	tab.until("nothing is selected", `!document.querySelector(".bulk-bar") && !document.querySelector("tbody :checked")`)
	tab.typeIn("Search", "settle")
	tab.until("eight match", `document.querySelectorAll("tbody tr").length === 8`)
	tab.tick("Select all jobs of this page")
	tab.sees("8 jobs selected")
	tab.tick("Select settle 7")
	tab.sees("7 jobs selected")
	tab.accessible("bulk-bar")
	tab.picture("bulk-bar")
	tab.click("Start")
	tab.sees("Start 7 jobs?")
	tab.accessible("bulk-ask")
	tab.picture("bulk-ask")
	tab.click("Start")
	tab.sees("7 jobs done.")
	tab.accessible("bulk-done")
	tab.picture("bulk-done")
	require.Equal(t, 7, s.running())
	tab.click("Undo")
	tab.sees("7 jobs taken back.")
	require.Zero(t, s.running())
	tab.click("Close")
	tab.until("the selection is gone", `!document.querySelector(".bulk-bar, dialog[open]")`)

	// The list selects all jobs that match, on every page.
	tab.tick("Select settle 0")
	tab.click("Select all 8 that match")
	tab.sees("All 8 jobs that match are selected")
	tab.click("Change")
	tab.sees("Change 8 jobs?")
	tab.typeIn("Owner", "li.na")
	tab.click("Add a field")
	tab.until("a second field", `document.querySelectorAll("dialog select").length === 2`)
	tab.choose("Field", "executorFailRetryCount") // the last list of this name
	tab.typeIn("Retries", "many")
	tab.click("Change")
	tab.until("a wrong number is refused", `document.querySelector("dialog .field-error")?.innerText.includes("many")`)
	tab.typeIn("Retries", "3")
	tab.accessible("bulk-change")
	tab.picture("bulk-change")
	tab.click("Change")
	tab.sees("8 jobs done.")
	var job struct{ ExecutorFailRetryCount int }
	s.call("GET", "/jobs/3", nil, &job)
	require.Equal(t, 3, job.ExecutorFailRetryCount)
	tab.click("Undo")
	tab.sees("8 jobs taken back.")
	s.call("GET", "/jobs/3", nil, &job)
	require.Zero(t, job.ExecutorFailRetryCount)
	tab.click("Close")

	tab.visit("jobs")
	tab.tick("Select all jobs of this page")
	s.call("DELETE", "/jobs/2", nil, nil)
	tab.click("Stop")
	tab.click("Stop")
	tab.sees("8 jobs done. 1 job refused.")
	tab.until("the refusal has its reason", `document.querySelector(".bulk-results tr").innerText.includes("job 2 does not exist")`)
	tab.press(kb.Escape)

	tab.visit("jobs?name=settle+3")
	tab.tick("Select all jobs of this page")
	tab.click("Run now")
	tab.typeIn("Parameter", "from the page")
	tab.click("Run now")
	tab.sees("1 job done.")
	tab.click("Close")
	testserver.Eventually(s.t, 30*time.Second, "the run has the parameter", func() bool {
		var runs struct {
			Runs []struct{ JobName, ExecutorParam, Status string }
		}
		s.call("GET", "/runs", nil, &runs)
		return len(runs.Runs) == 1 && runs.Runs[0].JobName == "settle 3" && runs.Runs[0].ExecutorParam == "from the page" && runs.Runs[0].Status == "SUCCESS"
	})
	tab.until("the row shows how it went", `document.querySelector(".spark title")?.textContent === "1 run, none failed; the newest: Succeeded"`)
	tab.tick("Select all jobs of this page")
	tab.click("Delete")
	tab.click("Delete")
	tab.sees("1 job done.")
	tab.click("Close")
	tab.sees("Nothing matches")
}

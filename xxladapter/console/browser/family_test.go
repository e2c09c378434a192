package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// runsOf waits until a job has count runs with results, and returns their ids, the oldest first.
func (s *site) runsOf(job int64, count int) (ids []int64) {
	s.t.Helper()
	testserver.Eventually(s.t, 30*time.Second, fmt.Sprintf("job %d has %d results", job, count), func() bool {
		var list struct {
			Runs []struct {
				ID     int64
				Status string
			}
		}
		s.call("GET", fmt.Sprintf("/runs?job=%d", job), nil, &list)
		ids = nil
		for _, l := range list.Runs {
			if l.Status != "RUNNING" {
				ids = append(ids, l.ID)
			}
		}
		return len(ids) == count
	})
	return ids
}

// The page of a run shows the shards and the attempts of its fire together, each with its result,
// and on its track the runs of child jobs. An executor shows its beat and its runs, and one that
// has left is named as gone on the overview and on the page of its group.
func TestAFireIsShownTogether(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	leave := s.executor(t.TempDir())
	group := s.group("Orders")
	testserver.Eventually(s.t, 30*time.Second, "both executors are registered", func() bool {
		var g struct{ AddressList []string }
		s.call("GET", fmt.Sprintf("/groups/%d", group), nil, &g)
		return len(g.AddressList) == 2
	})
	all := s.job(group, "collect payments of all merchants", map[string]any{"executorHandler": "fail", "executorRouteStrategy": "SHARDING_BROADCAST", "executorFailRetryCount": 1})
	child := s.job(group, "send the report", nil)
	parent := s.job(group, "close the day", map[string]any{"childJobIds": []int64{child}})
	s.call("POST", fmt.Sprintf("/jobs/%d/trigger", all), nil, nil)
	fire := s.runsOf(all, 4)
	s.ended(s.run(parent, ""))
	first := s.runsOf(parent, 1)[0]
	followed := s.runsOf(child, 1)[0]

	tab := s.open(fmt.Sprintf("runs/%d", fire[0]))
	tab.until("the other three runs of the fire are there, with their results", `document.querySelectorAll(".track + .kin a .is-fail.status").length === 3`)
	tab.sees("Shard 1/2")
	tab.sees("attempt 2")
	for _, look := range []struct {
		lang, theme string
		width       int64
	}{{"en", "light", 1440}, {"zh-CN", "dark", 390}} {
		tab.look(look.lang, look.theme, look.width)
		tab.visit(fmt.Sprintf("runs/%d", fire[0]))
		tab.fits(fmt.Sprint("run-of-a-fire-", look.width))
		tab.accessible(fmt.Sprint("run-of-a-fire-", look.width))
		tab.picture(fmt.Sprint("run-of-a-fire-", look.width))
	}
	tab.look("en", "light", 1440)
	tab.visit(fmt.Sprintf("runs/%d", fire[0]))
	tab.until("the fire is there again", `document.querySelector(".track + .kin a")`)
	tab.eval(`document.querySelector(".track + .kin a:last-of-type").click()`, nil)
	tab.until("it leads to that run", fmt.Sprintf(`document.querySelector("h1").innerText === "Run %d"`, fire[3]))

	tab.visit(fmt.Sprintf("runs/%d", first))
	tab.until("the run of the child is on the track", fmt.Sprintf(`document.querySelector(".track .is-done .kin a")?.pathname.endsWith("/runs/%d")`, followed))
	tab.accessible("run-with-child")
	tab.picture("run-with-child")
	tab.click("Run again")
	s.runsOf(parent, 2)
	tab.sees("Repeated by run")
	tab.eval(`document.querySelector(".track .kin a").click()`, nil)
	tab.until("the child names its parent", fmt.Sprintf(`[...document.querySelectorAll(".facts dd")].some((e) => e.innerText === "#%d close the day")`, first))

	counting := s.run(s.job(group, "count things", map[string]any{"executorHandler": "count"}), "")
	tab.visit(fmt.Sprintf("executors/%d", group))
	tab.until("both have a beat", `document.querySelectorAll("tbody tr time").length === 2`)
	const working = `[...document.querySelectorAll("tbody a[href*='status=RUNNING']")].filter((a) => a.checkVisibility())`
	tab.until("one of them has a run", working+`.length === 1`)
	tab.accessible("executors-at-work")
	tab.picture("executors-at-work")
	tab.eval(working+`[0].click()`, nil)
	tab.until("the run is listed", fmt.Sprintf(`document.querySelector("tbody a.row-link")?.pathname.endsWith("/runs/%d")`, counting))
	const address = "Executor address contains"
	tab.until("the field has the address", fmt.Sprintf(`document.querySelector("input[aria-label='%s']").value === new URLSearchParams(location.search).get("address")`, address))
	tab.typeIn(address, kb.Backspace)
	tab.until("the address is no longer in the filter", `!location.search.includes("address=")`)
	s.call("POST", fmt.Sprintf("/runs/%d/kill", counting), nil, nil)

	leave()
	tab.visit("")
	tab.until("one is gone", `[...document.querySelectorAll(".figure")].some((e) => e.innerText.replace(/\s+/g, " ") === "Executors 1 1 gone")`)
	tab.accessible("overview-gone")
	tab.picture("overview-gone")
	tab.visit(fmt.Sprintf("executors/%d", group))
	tab.click("Gone")
	tab.until("it leads to its last run", `document.querySelector("h1").innerText.startsWith("Run ")`)
}

package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// The pages of a job show its times in its own zone and name it, and those of a job without one show
// the scheduler's. The clock of the frame is the scheduler's on all of them.
func TestTimesAreInTheZoneOfTheJob(t *testing.T) {
	t.Parallel()
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = time.UTC })
	group := s.group("Orders")
	job := s.job(group, "open the market", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 9 * * ?", "settings": map[string]any{"zone": "Asia/Tokyo"}})
	other := s.job(group, "open the books", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 9 * * ?"})
	run := s.run(job, "")
	s.ended(run)
	var is struct{ TriggerTime time.Time }
	s.call("GET", fmt.Sprintf("/logs/%d", run), nil, &is)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	at := func(in *time.Location) string { return is.TriggerTime.In(in).Format("15:04:05") }

	tab := s.open(fmt.Sprintf("jobs/%d", job))
	const clock = `document.querySelector(".clock").innerText.includes("UTC")`
	const next = `[...document.querySelectorAll("section[aria-label='Next fires'] .times li, .times.is-one li")]`
	tab.sees("Asia/Tokyo UTC+09:00")
	tab.until("it fires by its own clock", next+`.length === 12 && `+next+`.every((l) => l.innerText.includes("09:30:00"))`)
	ran := func(in *time.Location) string {
		return fmt.Sprintf(`document.querySelector("tbody time").innerText.includes(%q)`, at(in))
	}
	tab.until("it ran by its own clock", ran(tokyo))
	tab.until("the pointer is told the zone", `document.querySelector("tbody time").title.includes("UTC+09:00")`)
	tab.until("the clock of the frame is the scheduler's", clock)
	for _, path := range []string{"runs", "why", "timeline?span=1h", "changes"} {
		tab.visit(fmt.Sprintf("jobs/%d/%s", job, path))
		tab.sees("Asia/Tokyo UTC+09:00")
		tab.until("its times have the zone's offset", `[...document.querySelectorAll("main time")].length > 0 && [...document.querySelectorAll("main time")].every((e) => e.title.includes("UTC+09:00"))`)
	}
	tab.visit(fmt.Sprintf("jobs/%d/why", job))
	tab.until("the time that is asked for is the zone's", fmt.Sprintf(`document.querySelector("input[type=datetime-local]").value.includes(%q) && document.querySelector("form.filters label").innerText.includes("UTC+09:00")`, is.TriggerTime.In(tokyo).Format("T15:04:")))
	tab.visit(fmt.Sprintf("runs/%d", run))
	tab.sees("Asia/Tokyo UTC+09:00")
	for _, width := range []int64{1440, 390} {
		tab.look("en", "light", width)
		tab.visit(fmt.Sprintf("jobs/%d", job))
		tab.fits(fmt.Sprint("job-zone-", width))
		tab.accessible(fmt.Sprint("job-zone-", width))
		tab.picture(fmt.Sprint("job-zone-", width))
	}
	tab.look("en", "light", 1440)

	// Without a load in between, the next pages have the scheduler's zone again.
	tab.eval(`document.querySelector(".rail-list a[href$='/runs']").click()`, nil)
	tab.until("a list has the scheduler's zone", `location.pathname.endsWith("/runs") && `+ran(time.UTC))
	tab.visit(fmt.Sprintf("jobs/%d", other))
	tab.until("a job without a zone has the scheduler's", next+`.every((l) => l.innerText.includes("09:30:00")) && !document.querySelector("main").innerText.includes("UTC+")`)
}

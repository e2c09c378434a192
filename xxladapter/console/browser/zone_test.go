package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// The pages of a job show its times in its own zone and name it, and those of a job without one
// show the scheduler's. The clock of the frame is the scheduler's on all of them.
func TestTimesAreInTheZoneOfTheJob(t *testing.T) {
	t.Parallel()
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = time.UTC })
	group := s.group("Orders")
	job := s.job(group, "open the market", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 9 * * ?", "settings": map[string]any{"zone": "Asia/Tokyo"}})
	other := s.job(group, "open the books", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 9 * * ?"})
	run := s.run(job, "")
	s.ended(run)
	var is struct{ TriggerTime time.Time }
	s.call("GET", fmt.Sprintf("/runs/%d", run), nil, &is)
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
	// The run was due a moment before it was triggered, which may be in the minute before.
	const filled = `[%q, %q].some((at) => document.querySelector("input[type=datetime-local]").value.includes(at)) && document.querySelector("form.filters label").innerText.includes("UTC+09:00")`
	minuteOf := func(at time.Time) string { return at.In(tokyo).Format("T15:04:") }
	tab.until("the time that is asked for is the zone's", fmt.Sprintf(filled, minuteOf(is.TriggerTime), minuteOf(is.TriggerTime.Add(-10*time.Second))))

	// The list is restricted to the minute of the run, by the clock of the job.
	minute := is.TriggerTime.Truncate(time.Minute)
	field := func(label, zone string, at time.Time) string {
		return fmt.Sprintf(`[...document.querySelectorAll("input[type=datetime-local]")].some((e) => e.labels[0].innerText.includes(%q) && e.labels[0].innerText.includes("UTC%s") && e.value === %q)`, label, zone, at.Format("2006-01-02T15:04"))
	}
	tab.visit(fmt.Sprintf("jobs/%d/runs?since=custom", job))
	tab.until("it ran at some time", `document.querySelectorAll("tbody tr").length === 1`)
	tab.setTime("Until before", minute.In(tokyo).Format("2006-01-02T15:04"))
	tab.sees("Nothing matches")
	tab.setTime("Until before", minute.Add(time.Minute).In(tokyo).Format("2006-01-02T15:04"))
	tab.setTime("From", minute.In(tokyo).Format("2006-01-02T15:04"))
	tab.until("the run is in that minute", `document.querySelectorAll("tbody tr").length === 1`)
	tab.until("the fields name the zone", field("From", "+09:00", minute.In(tokyo))+" && "+field("Until before", "+09:00", minute.Add(time.Minute).In(tokyo)))
	var search string
	tab.eval("location.search", &search)
	asked, err := url.ParseQuery(strings.TrimPrefix(search, "?"))
	require.NoError(t, err)
	for name, want := range map[string]time.Time{"from": minute, "to": minute.Add(time.Minute)} {
		at, err := time.Parse(time.RFC3339, asked.Get(name))
		require.NoError(t, err, search)
		require.True(t, want.Equal(at), "%s is %s, must be %s", name, at, want)
	}
	tab.visit("runs" + search)
	tab.until("a list in another zone means the same minute", `document.querySelectorAll("tbody tr").length === 1 && `+field("From", "", minute.UTC())+" && "+field("Until before", "", minute.Add(time.Minute).UTC()))
	tab.visit(fmt.Sprintf("runs/%d", run))
	tab.sees("Asia/Tokyo UTC+09:00")

	// On pages in the scheduler's zone, too, the times of a job are in the zone of the job.
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	tab.visit(fmt.Sprintf("jobs?show=%d", job))
	const drawer = `document.querySelector("aside.drawer")`
	tab.until("the next times in the drawer", `((times) => times.length === 5 && times.every((e) => e.innerText.endsWith("09:30:00") && e.title.includes("09:30:00 UTC+09:00")))([...document.querySelectorAll("aside.drawer dd div > time")])`)
	tab.until("the drawer names the zone of its times", drawer+`.innerText.includes("Asia/Tokyo UTC+09:00")`)
	tab.until("the runs in the drawer", fmt.Sprintf(`((e) => e?.title.includes("UTC+09:00") && e.innerText.includes(%q))(%s?.querySelector(".drawer-runs time"))`, at(tokyo), drawer))
	night := s.job(group, "reconcile by night", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 3 * * ?", "settings": map[string]any{"zone": "Asia/Tokyo"}})
	tab.visit(fmt.Sprintf("jobs/%d/edit", night))
	tab.until("the dry run names the zone", `document.querySelector(".preview h2")?.parentElement.innerText.includes("Asia/Tokyo")`)
	// In the scheduler's zone, it is the evening of the day before.
	tab.until("its times and days of the week are the zone's", `((all) => all.length === 50 && all.every((l) => l.innerText.includes("03:30:00") && l.innerText.includes(new Date(l.innerText.slice(0, 10)).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" }))))([...document.querySelectorAll(".preview .times li")])`)
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

// The days of a timeline begin at midnight after the clocks have changed, too.
func TestDaysOfATimelineAfterTheClocksChange(t *testing.T) {
	t.Parallel()
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = time.UTC })
	job := s.job(s.group("Orders"), "close the day", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 0 * * ?", "settings": map[string]any{"zone": "Europe/Berlin"}})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	for _, week := range []struct{ to, days string }{
		{"2040-10-31T00:00:00%2B01:00", "10-24,10-25,10-26,10-27,10-28,10-29,10-30,10-31"}, // back on the 28th
		{"2040-03-28T00:00:00%2B02:00", "03-21,03-22,03-23,03-24,03-25,03-26,03-27,03-28"}, // forth on the 25th
	} {
		tab := s.open("jobs")
		tab.look("en", "light", 800) // two labels of one day do not fit
		tab.visit(fmt.Sprintf("jobs/%d/timeline?span=7d&to=%s", job, week.to))
		const labels = `[...document.querySelectorAll("svg.chart g text")]`
		tab.until("the axis has labels", labels+`.length > 5`)
		var days string
		tab.eval(labels+`.map((e) => e.innerHTML).join()`, &days)
		require.Contains(t, week.days, days)
	}
}

// In a week in which the clocks change, each quarter of an hour of the heat map has its place.
func TestAWeekAheadInWhichTheClocksChange(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = berlin })
	tab := s.open("help")
	for from, columns := range map[string]int{"2040-10-24T22:00:00Z": 25 * 4, "2040-03-19T23:00:00Z": 24 * 4} {
		// The API forecasts from the present on.
		tab.eval(fmt.Sprintf(`(((real) => window.fetch = (to, how) => new URL(to).pathname.endsWith("/forecast") ? Promise.resolve(Response.json({
			minutes: 15, jobs: 1, unknownDurations: 0, cells: Array.from({ length: 672 }, (_, i) => ({ at: new Date(Date.parse(%q) + i * 900e3).toISOString(), fires: 1, runSeconds: 0 })),
		})) : real(to, how))(window.fetch), true)`, from), nil)
		tab.click("Load ahead")
		tab.click("7 days")
		const cells = `[...document.querySelectorAll("rect[data-at]")]`
		tab.until("a week of quarters", fmt.Sprintf(cells+`.length === 672 && %s[0].dataset.at.startsWith(%q)`, cells, from[:10]))
		var places, across int
		tab.eval(`new Set(`+cells+`.map((e) => e.getAttribute("x") + " " + e.getAttribute("y"))).size`, &places)
		tab.eval(`new Set(`+cells+`.map((e) => e.getAttribute("x"))).size`, &across)
		require.Equal(t, 672, places, from)
		require.Equal(t, columns, across, from)
		tab.click("Help")
	}
}

// A scheduler whose zone has a name that browsers do not know shows its times by their offset.
func TestAZoneThatBrowsersDoNotKnow(t *testing.T) {
	t.Parallel()
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = time.FixedZone("Office", 5*3600+1800) })
	job := s.job(s.group("Orders"), "open the office", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 9 * * ?"})
	tab := s.open(fmt.Sprintf("jobs/%d", job))
	tab.until("it fires by the clock of the office", `[...document.querySelectorAll(".times.is-one li")].some((l) => l.innerText.includes("09:30:00"))`)
	tab.until("the clock of the frame has its offset", `document.querySelector(".clock").innerText.includes("+05:30")`)
	tab.visit(fmt.Sprintf("jobs/%d/edit", job))
	tab.until("and so has the dry run", `[...document.querySelectorAll(".preview .times li")].some((l) => l.innerText.includes("09:30:00"))`)
}

// The end of a pause has the zone's offset of that day, and the label beside it names the offset.
func TestTheEndOfAPauseAfterTheClocksChange(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Zone = berlin })
	tab := s.open("settings")
	tab.until("the zone is known", `document.querySelector(".clock").innerText.includes("Berlin")`)
	tab.click("Pause schedules")
	const field = `document.querySelector("dialog input[type=datetime-local]")`
	for day, zone := range map[string]string{"2040-01-15": "UTC+01:00", "2040-07-15": "UTC+02:00"} {
		tab.eval(fmt.Sprintf(`((e) => { e.value = "%sT10:00"; e.dispatchEvent(new Event("input", { bubbles: true })); })(%s)`, day, field), nil)
		tab.until(day, fmt.Sprintf(field+`.labels[0].innerText.includes(%q)`, zone))
	}
}

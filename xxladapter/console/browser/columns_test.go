package browser

import "testing"

// A list cuts no text while a column beside it has room: the width is divided by the lengths of the
// texts. Where all are long, each is cut to one line, and the table is as wide as its place.
func TestColumnsShareTheWidth(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Settlement of all merchants")
	for _, name := range []string{"settle orders", "send statements"} {
		s.job(group, name, map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 2 L * ?"})
	}
	s.call("POST", "/groups", map[string]any{"appName": "reporting-nightly-aggregation-cluster", "title": "Reports"}, nil)
	const cut = `[...document.querySelectorAll("tbody td, tbody td > .cut, tbody .row-link")].filter((e) => e.checkVisibility() && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 2))`

	tab := s.open("jobs")
	tab.look("en", "light", 1440)
	tab.until("the schedule is in words", `document.body.innerText.includes("at 02:30, on the last day of the month")`)
	tab.until("nothing is cut", cut+`.length === 0`)
	tab.visit("executors")
	tab.look("en", "light", 1024)
	tab.until("nothing is cut in the list of executors", cut+`.length === 0`)

	for range 2 {
		s.job(group, "recompute-monthly-statements-of-every-merchant-including-historic-adjustments", map[string]any{"executorHandler": "recomputeMonthlyStatementsOfEveryMerchantHandler", "scheduleType": "CRON", "scheduleConf": "0 0/5 9-18 ? * MON-FRI"})
	}
	tab.visit("jobs")
	for _, width := range []int64{1024, 1440, 1920} {
		tab.look("en", "light", width)
		tab.fits("jobs")
		tab.until("each row has one line", cut+`.length >= 2 && [...document.querySelectorAll("tbody tr")].every((e) => e.offsetHeight < 40)`)
	}

	const longest = "settlement-service-of-all-regions"
	// The first window is refused once there is a user.
	tab.allowed = append(tab.allowed, "401 (Unauthorized)")
	s.user(longest, 0, "admin")
	people := s.signedIn(longest, "users")
	people.look("en", "light", 1024)
	people.until("nothing is cut in the list of users", cut+`.length === 0`)
	people.fits("users")
	people.look("en", "light", 390)
	people.fits("users")
	people.picture("users-390")
}

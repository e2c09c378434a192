package browser

import (
	"fmt"
	"testing"
)

// The details of a job open beside the list by key and by button, follow the job, and give the
// focus back. Below 1200 px they are a dialog at the end of the page, and below 700 px a row leads
// to the page of its job alone.
func TestTheDetailsBesideTheListOfJobs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	first := s.job(group, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 * * ?", "executorParam": "merchant=4711", "tags": []string{"nightly"}})
	second := s.job(group, "recompute-monthly-statements-of-every-merchant-including-historic-adjustments", map[string]any{"executorHandler": "fail"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", first), nil, nil)
	s.ended(s.run(first, ""))
	tab := s.open("jobs")
	row := func(id int64) string { return fmt.Sprintf(`document.querySelector("tr[data-id='%d']")`, id) }
	drawer := `document.querySelector("aside.drawer")`

	tab.until("the list is there", row(first))
	tab.eval(row(first)+`.querySelector(".row-link").focus()`, nil)
	tab.press("d")
	tab.until("the drawer has the focus", drawer+` && document.activeElement === `+drawer)
	tab.until("it shows the job and its run", drawer+`.innerText.includes("merchant=4711") && `+drawer+`.innerText.includes("Succeeded") && `+drawer+`.innerText.includes("at 02:00, every day")`)
	tab.until("its address says so", fmt.Sprintf(`new URLSearchParams(location.search).get("show") === "%d"`, first))
	tab.until("the list stands beside it", drawer+`.getBoundingClientRect().left >= document.querySelector(".table-box").getBoundingClientRect().right`)
	s.call("POST", fmt.Sprintf("/jobs/%d/stop", first), nil, nil)
	tab.until("it follows the job", drawer+`.querySelector("dd").innerText.startsWith("Off")`)
	tab.until("a job that is off has its next five times too", drawer+`.querySelectorAll("dd div > time").length === 5`)
	tab.press("\x1b")
	tab.until("it is gone, and the focus is back", `!`+drawer+` && document.activeElement === `+row(first)+`.querySelector(".row-link")`)

	for _, look := range []struct {
		lang, theme string
		width       int64
	}{
		{"en", "light", 1440}, {"zh-CN", "dark", 1440}, {"zh-CN", "light", 1024}, {"en", "dark", 1024}, {"en", "light", 390}, {"zh-CN", "dark", 390},
	} {
		tab.look(look.lang, look.theme, look.width)
		for _, job := range []int64{first, second} {
			name := fmt.Sprintf("drawer-%s-%s-%d-%d", look.lang, look.theme, look.width, job)
			tab.visit(fmt.Sprintf("jobs?show=%d", job))
			box := drawer
			if look.width < 1200 {
				box = `document.querySelector("dialog.is-side[open]")`
			}
			tab.until("the details are there", box+` && !`+box+`.querySelector(".waiting") && `+box+`.querySelector("h3")`)
			tab.fits(name)
			if job == second || look.width == 1440 { // the first job adds only what depends on the theme
				tab.accessible(name)
			}
			tab.picture(name)
		}
	}
	tab.look("en", "light", 1024)
	tab.visit("jobs")
	tab.until("the row has its button", row(first)+`?.querySelector("[data-key=d]")`)
	tab.eval(`((e) => { e.focus(); e.click(); })(`+row(first)+`.querySelector("[data-key=d]"))`, nil)
	tab.until("the dialog is there", `document.querySelector("dialog.is-side[open] h3")`)
	tab.press("\x1b")
	tab.until("the focus is on the button again", `!document.querySelector("dialog") && document.activeElement === `+row(first)+`.querySelector("[data-key=d]")`)
}

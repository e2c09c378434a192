package browser

import "testing"

// The list of jobs says cron expressions in the reader's words, on a wide and on a narrow screen,
// with one call for all rows; the expression stays in the tooltip. An expression whose words are
// long is cut.
func TestTheListSaysSchedulesInWords(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.job(group, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 * * ?", "settings": map[string]any{"zone": "Asia/Shanghai"}})
	s.job(group, "collect payments", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 7/13 9-18 ? 1,3,5 MON-FRI"})
	tab := s.open("jobs")
	for _, look := range []struct {
		lang, theme, words string
		width              int64
	}{
		{"en", "light", "at 02:00, every day", 1440},
		{"zh-CN", "dark", "每天，02:00", 1440},
		{"zh-CN", "light", "每天，02:00", 390},
		{"en", "dark", "at 02:00, every day", 390},
	} {
		tab.look(look.lang, look.theme, look.width)
		tab.visit("jobs")
		tab.until(look.words, `[...document.querySelectorAll("tbody [title]")].some((e) => e.offsetParent && e.innerText.trim() === "`+look.words+` Asia/Shanghai" && e.title.startsWith("0 0 2 * * ?\n"))`)
		tab.until("no row asks for its own words", `!performance.getEntriesByType("resource").some((e) => e.name.includes("/schedule/preview") && /0.0.2/.test(decodeURIComponent(e.name)))`)
		name := "schedule-words-" + look.lang + "-" + look.theme
		tab.accessible(name)
		tab.fits(name)
		tab.picture(name)
	}
}

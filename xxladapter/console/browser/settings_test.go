package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// webhook returns a channel to a server that answers with a status.
func webhook(t *testing.T, name string, status int) alarm.Channel {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(server.Close)
	channel, err := alarm.NewWebhook(alarm.Target{Name: name, URL: server.URL, Guard: alarm.Guard{Private: true}})
	require.NoError(t, err)
	return channel
}

// Settings show what the scheduler is, and test each channel for real.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", webhook(t, "on-call", http.StatusOK), webhook(t, "archive", http.StatusTeapot))
	s.group("Orders")
	tab := s.open("settings")
	tab.sees("SQLite")
	tab.sees("Kept for")
	tab.click("Send a test")
	tab.until("one channel took it", `document.querySelectorAll("td .is-success.status").length === 1`)
	tab.until("the other one refused, and says why", `document.querySelector(".is-note.field-error")?.innerText.includes("418")`)
	tab.accessible("settings-tested")
	tab.picture("settings-tested")
}

// A pause is begun and ended where everybody sees it, and suppresses due times meanwhile.
func TestAPause(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.job(group, "settle orders", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "1"})
	tab := s.open("settings")
	tab.sees("Nothing is paused")
	tab.click("Pause schedules")
	tab.choose("Groups", fmt.Sprint(group))
	tab.typeIn("Note", "the ledger moves")
	tab.accessible("pause-new")
	tab.picture("pause-new")
	tab.click("Pause")
	tab.sees("Orders is paused")
	tab.accessible("settings-paused")
	tab.picture("settings-paused")
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	tab.visit("jobs")
	tab.sees("Schedules are paused (Orders): the ledger moves")
	tab.visit(fmt.Sprintf("jobs/%d/misfires", job))
	tab.until("its due times are recorded", `[...document.querySelectorAll("tbody td")].some((e) => e.innerText === "paused")`)
	var runs struct{ Runs []struct{ ID int64 } }
	s.call("GET", "/runs", nil, &runs)
	require.Empty(t, runs.Runs)
	tab.visit("settings")
	tab.click("End the pause of Orders")
	tab.click("End")
	tab.sees("Orders fires again")
	testserver.Eventually(s.t, 30*time.Second, "it fires", func() bool {
		s.call("GET", "/runs", nil, &runs)
		return len(runs.Runs) > 0
	})
	tab.visit("jobs")
	tab.until("the notice is gone", `document.querySelector("tbody tr") && !document.querySelector(".banner")`)
}

// The built-in calendar is named in the reader's language, with the name that the API knows.
func TestTheNameOfTheBuiltInCalendar(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 * * ?"})
	tab := s.open("settings")
	for _, look := range []struct{ lang, theme, name, note string }{
		{"en", "light", "Public holidays of China (cn)", "Working days in mainland China"}, {"zh-CN", "dark", "中国法定节假日 (cn)", "中国大陆的工作日"},
	} {
		tab.look(look.lang, look.theme, 1440)
		tab.visit("settings")
		tab.sees(look.name)
		tab.sees(look.note)
		tab.accessible("calendar-name-" + look.lang)
		tab.visit(fmt.Sprintf("jobs/%d/edit", job))
		tab.until("the form offers it", fmt.Sprintf(`[...document.querySelectorAll("option")].some((o) => o.value === "cn" && o.text === %q)`, look.name))
	}
}

// A new calendar does not replace one that has its name.
func TestANewCalendarReplacesNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.call("PUT", "/calendars/plant", map[string]any{"weekend": []string{"SUNDAY"}, "years": []any{}, "note": "kept"}, nil)
	tab := s.open("settings")
	for _, name := range []string{"plant", " cn"} {
		tab.click("New calendar")
		tab.typeIn("Name", name)
		tab.click("Save")
		tab.until("it is refused", `document.querySelector("dialog .field-error")?.innerText === "There is a calendar of this name."`)
		tab.click("Cancel")
	}
	var is struct{ Note string }
	s.call("GET", "/calendars/plant", nil, &is)
	require.Equal(t, "kept", is.Note)
}

// A pause that lasts can be ended, however many have ended since it began.
func TestAPauseBeforeManyOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	s.call("POST", "/pauses", map[string]any{"all": true, "note": "the first one"}, nil)
	for range 20 {
		var pause struct{ ID int64 }
		s.call("POST", "/pauses", map[string]any{"jobGroup": group}, &pause)
		s.call("POST", fmt.Sprintf("/pauses/%d/end", pause.ID), nil, nil)
	}
	tab := s.open("settings")
	const rows = `[...document.querySelectorAll("table[aria-label=Pauses] tbody tr")]`
	tab.until("it is the first of the list", rows+`.length === 21 && `+rows+`[0].innerText.includes("the first one")`)
	tab.click("End the pause of All groups")
	tab.click("End")
	tab.until("it has ended", `!document.body.innerText.includes("End the pause") && !document.querySelector(".banner")`)
}

// A calendar is made, named by a job, and not deleted while a job names it.
func TestCalendars(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	tab := s.open("settings")
	tab.allowed = append(tab.allowed, "400 (Bad Request)", "409 (Conflict)")
	tab.click("New calendar")
	tab.typeIn("Name", "plant")
	tab.typeIn("Note", "days on which the plant stands still")
	tab.click("Add a year")
	tab.typeIn("Days without work", "yesterday")
	tab.click("Save")
	tab.until("a wrong day is refused", `document.querySelector("dialog .field-error")?.innerText.includes("yesterday")`)
	var year string
	tab.eval(`document.querySelector("dialog legend b").innerText`, &year)
	tab.typeIn("Days without work", year+"-05-01")
	tab.accessible("calendar-new")
	tab.picture("calendar-new")
	tab.click("Save")
	tab.sees("plant was saved")
	var calendar struct{ Years []struct{ Off []string } }
	s.call("GET", "/calendars/plant", nil, &calendar)
	require.Equal(t, []string{year + "-05-01"}, calendar.Years[0].Off)
	job := s.job(1, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 * * ?"})
	tab.visit(fmt.Sprintf("jobs/%d/edit", job))
	const marked = `[...document.querySelectorAll(".preview .times li")].filter((l) => l.innerText.includes("Day without work"))`
	const outlines = `[...document.querySelectorAll(".preview .calendar rect")].filter((r) => r.textContent.endsWith("Day without work"))`
	tab.until("the dry run marks no day", `document.querySelectorAll(".preview .times li").length === 50 && `+marked+`.length === 0 && `+outlines+`.length === 0`)
	tab.choose("Calendar", "plant")
	tab.until("the dry run marks all weekends and no other day", marked+`.length > 10 && [...document.querySelectorAll(".preview .times li")].every((l) => /Sat|Sun/.test(l.innerText) === l.innerText.includes("Day without work"))`)
	tab.until("the rest is counted", `document.querySelector(".preview summary").innerText === "Next " + (50 - `+marked+`.length) + " fires"`)
	var dry struct {
		Days []struct {
			Day      string
			Excluded bool
		}
		CalendarLacksYears []int
	}
	s.call("GET", "/schedule/preview?scheduleConf=0+0+2+*+*+%3F&calendar=plant&months=12", nil, &dry)
	off := []string{}
	first, err := time.Parse(time.DateOnly, dry.Days[0].Day)
	require.NoError(t, err)
	end := time.Date(first.Year()+1, first.Month(), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) // of the months that are drawn
	for _, d := range dry.Days {
		if d.Excluded && d.Day < end {
			off = append(off, d.Day+": Day without work")
		}
	}
	require.NotEmpty(t, off)
	var drawn []string
	tab.eval(outlines+`.map((r) => r.textContent)`, &drawn)
	require.Equal(t, off, drawn)
	tab.sees(fmt.Sprintf("%d days without work, which do not fire", len(off)))
	for _, lacking := range dry.CalendarLacksYears {
		tab.until("the calendar lacks a year", fmt.Sprintf(`/no days of .*%d/.test(document.querySelector(".preview").innerText)`, lacking))
	}
	tab.looksRight("dry-run-calendar")
	tab.click("Review changes")
	tab.click("Save")
	tab.sees("settle orders was saved")
	tab.visit("settings")
	tab.click("Delete plant?")
	tab.click("Delete")
	tab.until("a job names it", `document.querySelector("dialog .field-error")`)
	tab.press(kb.Escape)
	s.call("DELETE", fmt.Sprintf("/jobs/%d", job), nil, nil)
	tab.click("Delete plant?")
	tab.click("Delete")
	tab.until("it is gone", `!document.querySelector("dialog[open]") && !document.querySelector("main").innerText.includes("plant stands still")`)
}

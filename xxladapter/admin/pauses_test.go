package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

func TestBadPausesAndCalendarsAreRefused(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	year := func(fields string) string {
		return `{"weekend":[],"years":[{"year":2026,"off":[],"work":[]` + fields + `}]}`
	}
	for _, tt := range []struct{ call, body, message string }{
		{"POST /pauses", `{}`, "0 of all, jobGroup and appName are given, must be exactly one"},
		{"POST /pauses", `{"all":true,"jobGroup":1}`, "2 of all, jobGroup and appName are given"},
		{"POST /pauses", `{"jobGroup":0}`, "jobGroup is 0, must be the id of a group"},
		{"POST /pauses", `{"jobGroup":"1"}`, "jobGroup"},
		{"POST /pauses", `{"all":1}`, "all"},
		{"POST /pauses", `{"all":true,"for":"1h"}`, `unknown field "for"`},
		{"POST /pauses", `{"all":true,"until":"tomorrow"}`, "must be an RFC 3339 instant"},
		{"POST /pauses", `{"all":true,"until":"0001-01-01T00:00:00Z"}`, "must be after now"},
		{"POST /pauses", `{"all":true,"until":"2020-01-01T00:00:00Z"}`, "must be after now"},
		{"POST /pauses", `{"all":true,"until":"9999-01-01T00:00:00Z"}`, "must be at most 366 days ahead"},
		{"POST /pauses", `{"all":true,"note":"` + strings.Repeat("x", 501) + `"}`, "note has 501 characters"},
		{"POST /pauses/0/end", ``, `id is "0"`},
		{"POST /pauses/1/end", `{"now":true}`, `unknown field "now"`},
		{"GET /pauses?open=perhaps", ``, "must be true or false"},
		{"PUT /calendars/Office", `{"weekend":[],"years":[]}`, `name is "Office"`},
		{"PUT /calendars/office", `{"name":"home","weekend":[],"years":[]}`, `name is "home", must be "office" as in the path`},
		{"PUT /calendars/office", `{"builtIn":true,"weekend":[],"years":[]}`, "builtIn is true"},
		{"PUT /calendars/office", `{"weekend":["SUN"],"years":[]}`, `weekend is "SUN"`},
		{"PUT /calendars/office", `{"weekend":[0],"years":[]}`, "weekend"},
		{"PUT /calendars/office", year(`,"holidays":[]`), `unknown field "holidays"`},
		{"PUT /calendars/office", `{"weekend":[],"years":[{"year":2026,"off":["2025-05-01"],"work":[]}]}`, `off of 2026 has "2025-05-01"`},
		{"PUT /calendars/office", `{"weekend":[],"years":[{"year":2026,"off":["2026-02-30"],"work":[]}]}`, `off of 2026 has "2026-02-30"`},
		{"PUT /calendars/office", `{"weekend":[],"years":[{"year":2026,"off":["2026-05-02","2026-05-01"],"work":[]}]}`, "must be in ascending order"},
		{"PUT /calendars/office", `{"weekend":[],"years":[{"year":2026,"off":["2026-05-02"],"work":["2026-05-02"]}]}`, "must have no day in common"},
		{"PUT /jobs/1", `{"settings":{"calendar":"moon"}}`, `calendar is "moon", must be the name of a calendar`},
		{"PUT /jobs/1", `{"settings":{"calendar":"Moon"}}`, `calendar is "Moon", must be 1 to 64 lower-case letters`},
	} {
		method, path, _ := strings.Cut(tt.call, " ")
		status, body := s.do(method, "/api/v1"+path, testToken, tt.body)
		require.Equal(t, http.StatusBadRequest, status, "%s %s: %s", tt.call, tt.body, body)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), tt.message, "%s %s", tt.call, tt.body)
	}
	for _, call := range []string{"POST /pauses/4711/end", "GET /calendars/moon", "DELETE /calendars/moon", "DELETE /calendars/cn"} {
		method, path, _ := strings.Cut(call, " ")
		status, body := s.do(method, "/api/v1"+path, testToken, "")
		require.Equal(t, http.StatusNotFound, status, "%s: %s", call, body)
	}
	pauses, err := s.store.Pauses(t.Context(), xxladapter.PauseFilter{})
	require.NoError(t, err)
	require.Empty(t, pauses, "nothing was stored")
}

func TestACalendarThatJobsNameStays(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	put := func(path, body string) int {
		status, _ := s.do("PUT", "/api/v1"+path, testToken, body)
		return status
	}
	require.Equal(t, http.StatusOK, put("/calendars/office", `{"weekend":["FRIDAY"],"years":[{"year":2026,"off":["2026-05-01"],"work":["2026-05-08"]}]}`))
	var shown calendarForm
	s.get("/api/v1/calendars/office", &shown)
	require.Equal(t, []string{"2026-05-01"}, shown.Years[0].Off)
	require.False(t, shown.BuiltIn)
	require.Equal(t, http.StatusConflict, put("/calendars/office", `{"weekend":[],"years":[],"updateTime":"2026-01-01T00:00:00Z"}`))
	require.Equal(t, http.StatusOK, put("/jobs/1", `{"settings":{"calendar":"office"}}`))
	status, body := s.do("DELETE", "/api/v1/calendars/office", testToken, "")
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, body, "is named by 1 jobs")
	require.Equal(t, http.StatusOK, put("/jobs/1", `{"settings":{}}`))
	status, _ = s.do("DELETE", "/api/v1/calendars/office", testToken, "")
	require.Equal(t, http.StatusOK, status)

	// A built-in calendar can be replaced, and comes back.
	require.Equal(t, http.StatusOK, put("/jobs/1", `{"settings":{"calendar":"cn"}}`))
	require.Equal(t, http.StatusOK, put("/calendars/cn", `{"weekend":[],"years":[]}`))
	var list calendarList
	s.get("/api/v1/calendars", &list)
	require.Len(t, list.Calendars, 1)
	require.False(t, list.Calendars[0].BuiltIn)
	status, _ = s.do("DELETE", "/api/v1/calendars/cn", testToken, "")
	require.Equal(t, http.StatusOK, status)
	s.get("/api/v1/calendars/cn", &shown)
	require.True(t, shown.BuiltIn)
}

// TestWhatIsSuppressedIsShown checks that next times, overview and forecast show a pause and a
// calendar.
func TestWhatIsSuppressedIsShown(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	status, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"scheduleType":"CRON","scheduleConf":"0 0 * * * ?","settings":{"calendar":"weekdays"}}`)
	require.Equal(t, http.StatusBadRequest, status, body)
	every := `["SUNDAY","MONDAY","TUESDAY","WEDNESDAY","THURSDAY","FRIDAY"]`
	status, body = s.do("PUT", "/api/v1/calendars/weekdays", testToken, `{"weekend":`+every+`,"years":[]}`)
	require.Equal(t, http.StatusOK, status, body)
	status, body = s.do("PUT", "/api/v1/jobs/1", testToken, `{"scheduleType":"CRON","scheduleConf":"0 0 * * * ?","settings":{"calendar":"weekdays"}}`)
	require.Equal(t, http.StatusOK, status, body)
	require.NoError(t, storetest.StartAt(t.Context(), s.store, id, time.Now().Add(time.Hour).Truncate(time.Hour)))

	var next instantList
	s.get("/api/v1/jobs/1/next?count=30", &next)
	require.Len(t, next.Next, 30)
	for _, at := range next.Next {
		require.Equal(t, time.Saturday, at.In(s.server.opts.Zone).Weekday())
	}
	require.NotEmpty(t, next.Suppressed)
	require.Equal(t, "weekdays", next.Suppressed[0].Calendar)
	var shown overviewForm
	s.get("/api/v1/overview", &shown)
	require.Equal(t, []poorCalendar{{"weekdays", time.Now().In(s.server.opts.Zone).Year(), figure{Count: 1}}}, shown.Calendars)

	fires := func() (n int64) {
		var f forecastForm
		s.get("/api/v1/forecast?hours=168", &f)
		for _, c := range f.Cells {
			n += c.Fires
		}
		return n
	}
	require.InDelta(t, 24, fires(), 2, "the Saturday of the week")
	status, body = s.do("POST", "/api/v1/pauses", testToken, `{"all":true,"note":"maintenance"}`)
	require.Equal(t, http.StatusOK, status, body)
	require.Zero(t, fires())
	next = instantList{}
	s.get("/api/v1/jobs/1/next?count=30", &next)
	require.Empty(t, next.Next)
	require.EqualValues(t, 1, next.Suppressed[0].PauseID)
	s.get("/api/v1/overview", &shown)
	require.Equal(t, "maintenance", shown.Paused[0].Note)

	// The first of two pauses counts, as in the misfires that the scheduler records.
	status, body = s.do("POST", "/api/v1/pauses", testToken, `{"all":true}`)
	require.Equal(t, http.StatusOK, status, body)
	s.get("/api/v1/jobs/1/next", &next)
	require.EqualValues(t, 1, next.Suppressed[0].PauseID)
	status, body = s.do("POST", "/api/v1/pauses/2/end", testToken, "")
	require.Equal(t, http.StatusOK, status, body)

	// A manual trigger is accepted in a pause.
	status, body = s.do("POST", "/api/v1/jobs/1/trigger", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	status, body = s.do("POST", "/api/v1/pauses/1/end", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, body, `"open":false`)
}

// TestADayWithoutWorkOfADelayIsOneRow checks that the next times of a delay go beyond days with
// very many suppressed due times, as the schedule does.
func TestADayWithoutWorkOfADelayIsOneRow(t *testing.T) {
	plan, err := cron.ParsePlan(cron.FixDelay, "60", time.UTC)
	require.NoError(t, err)
	j := &xxladapter.Job{ScheduleType: xxladapter.ScheduleFixDelay, Settings: xxladapter.Settings{Calendar: xxladapter.ChinaCalendar}}
	saturday := time.Date(2026, 3, 7, 9, 0, 5, 0, time.UTC)
	list := nextFires(j, plan, saturday, 1, nil, time.UTC)
	require.Equal(t, []time.Time{time.Date(2026, 3, 9, 0, 0, 5, 0, time.UTC)}, list.Next)
	require.Equal(t, []suppressedTimes{
		{From: saturday, To: time.Date(2026, 3, 7, 23, 59, 5, 0, time.UTC), Calendar: xxladapter.ChinaCalendar},
		{From: saturday.Add(15 * time.Hour), To: time.Date(2026, 3, 8, 23, 59, 5, 0, time.UTC), Calendar: xxladapter.ChinaCalendar},
	}, list.Suppressed)
}

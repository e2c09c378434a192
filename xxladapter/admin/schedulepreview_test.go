package admin

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/preview"
)

func TestASchedulePreviewShowsTimesWordsAndClockChanges(t *testing.T) {
	s := newSite(t)
	var p schedulePreview
	s.get("/api/v1/schedule/preview?"+url.Values{
		"scheduleConf": {"0 30 2 * * ?"}, "zone": {"Europe/Berlin"}, "profile": {"sane"}, "from": {"2026-03-28T12:00:00Z"},
		"count": {"2"}, "months": {"1"},
	}.Encode(), &p)
	require.Equal(t, words{"at 02:30, every day", "每天，02:30"}, p.Words)
	require.Equal(t, "Europe/Berlin", p.Zone)
	require.Len(t, p.Times, 2)
	require.Equal(t, preview.Shifted, p.Times[0].Mark)
	require.Equal(t, "2026-03-29T01:00:00Z", p.Times[0].At.UTC().Format("2006-01-02T15:04:05Z07:00"))
	require.Equal(t, "+01:00", p.Changes[0].Before)
	require.Equal(t, "+02:00", p.Changes[0].After)
	require.Equal(t, []string{"2026-03-29T02:30:00"}, p.Changes[0].Skipped)
	require.Equal(t, previewDay{"2026-03-29", 1, false, false}, p.Days[0])

	p = schedulePreview{}
	s.get("/api/v1/schedule/preview?"+url.Values{
		"scheduleConf": {"0 0 9 * * ?"}, "zone": {"Asia/Shanghai"}, "from": {"2026-12-30T00:00:00+08:00"}, "count": {"4"}, "months": {"1"}, "calendar": {"cn"},
	}.Encode(), &p)
	var excluded []bool
	for _, at := range p.Times {
		excluded = append(excluded, at.Excluded)
	}
	require.Equal(t, []bool{false, false, false, true}, excluded, "the second of January is a Saturday; without data the first is a day like others")
	require.Equal(t, []int{2027}, p.Unknown)
	require.True(t, p.Days[3].Excluded)
	status, answer := s.do("GET", "/api/v1/schedule/preview?scheduleConf=0+0+9+*+*+%3F&calendar=moon", testToken, "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer, "must be the name of a calendar")

	p = schedulePreview{}
	s.get("/api/v1/schedule/preview?scheduleType=FIX_DELAY&scheduleConf=30", &p)
	require.True(t, p.Assumed)
	require.Len(t, p.Times, 50)
	require.Empty(t, p.Days)
	s.get("/api/v1/schedule/preview?scheduleType=NONE", &p)
	require.Empty(t, p.Times)
	s.get("/api/v1/schedule/preview?scheduleType=FIX_RATE&scheduleConf=2147483647&count=200&from=2026-01-01T00:00:00Z", &p)
	require.Len(t, p.Times, 117, "68 years apart, until the year 9999")
}

func TestASchedulePreviewNamesTheWrongField(t *testing.T) {
	s := newSite(t)
	for query, message := range map[string]string{
		"scheduleConf=0+0+25+*+*+?":            `scheduleConf: cron: hour "25" at column 5 must be 0 to 23`,
		"":                                     "scheduleConf: cron: ",
		"scheduleType=FIX_RATE&scheduleConf=0": `scheduleConf: cron: period of FIX_RATE is "0"`,
		"scheduleType=ONCE&scheduleConf=tomorrow":   `scheduleConf: cron: instant of ONCE is "tomorrow"`,
		"scheduleType=DAILY":                        `scheduleType is "DAILY", must be one of NONE, CRON, FIX_RATE, FIX_DELAY, ONCE`,
		"scheduleConf=" + strings.Repeat("1,", 300): "scheduleConf has 600 characters, must have at most 128",
		"scheduleConf=1&zone=Mars":                  `zone is "Mars", must be an IANA time zone`,
		"scheduleConf=1&profile=odd":                `profile is "odd", must be one of`,
		"scheduleConf=1&count=1001":                 "count is 1001, must be 1 to 1000",
		"scheduleConf=1&months=13":                  "months is 13, must be 0 to 12",
		"scheduleConf=1&months=-1":                  "months is",
		"scheduleConf=1&from=noon":                  `from is "noon", must be an RFC 3339 instant`,
		"conf=1":                                    `"conf" is not a parameter`,
	} {
		status, body := s.do("GET", "/api/v1/schedule/preview?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), message, query)
	}
}

// TestNoDueTimeIsAfterTheYear9999 asks for due times at the ends of what RFC 3339 has a form for,
// in zones in which another year begins earlier or later.
func TestNoDueTimeIsAfterTheYear9999(t *testing.T) {
	s := newSite(t)
	s.createJob(`,"scheduleType":"ONCE","scheduleConf":"9999-12-31T23:59:59Z","settings":{"zone":"Asia/Shanghai"}`)
	for path, want := range map[string][]time.Time{
		"jobs/1/next": {},
		"cron/next?expr=0+0+0+1+1+?&zone=Asia/Shanghai&from=9998-01-02T00:00:00Z":     {time.Date(9998, 12, 31, 16, 0, 0, 0, time.UTC)},
		"cron/next?expr=0+0+*+*+*+?&zone=Asia/Shanghai&from=9999-12-31T20:00:00Z":     {},
		"cron/next?expr=0+0+0+*+*+?&zone=America/New_York&from=9999-12-31T06:00:00Z":  {},
		"cron/next?expr=0+0+23+*+*+?&zone=America/New_York&from=9999-12-31T06:00:00Z": {time.Date(10000, 1, 1, 4, 0, 0, 0, time.UTC)},
	} {
		var list instantList
		s.get("/api/v1/"+path, &list)
		require.Len(t, list.Next, len(want), path)
		for i, at := range want {
			require.True(t, at.Equal(list.Next[i]), "%s: %v", path, list.Next)
		}
	}
	for _, path := range []string{"cron/next?expr=0+0+*+*+*+?", "schedule/preview?scheduleType=FIX_RATE&scheduleConf=60"} {
		status, answer := s.do("GET", "/api/v1/"+path+"&zone=America/New_York&from=0000-01-01T00:00:00Z", testToken, "")
		require.Equal(t, http.StatusBadRequest, status, answer)
		require.Contains(t, answer, "from is in the year 0, must be 1970 to 9999")
	}
}
